/** The filters of a list of runs. An index serves one of the fields of `narrowing`; others look through its runs. */
import { runDocuments, type RunDocument } from '../../../../projections/records/run-documents.js';
import type { Instant } from '../../../domain/event.js';
import { ranAt } from '../../../domain/instant.js';
import type { Reader } from '../../../domain/teams/access.js';
import { understoodRun } from '../../../domain/understood.js';
import { runIdOf } from '../../../domain/runs/run-key.js';
import { limits } from '../../../limits.js';
import type { Cursor, ViewQuery } from '../../../ports/views.js';
import { joinedLists, staysListed, type OldRuns } from '../../../queries/listed-runs.js';
import type { Stored } from '../../../projecting/typed-views.js';
import { findCounted, type FindCounted, type PageQuery } from '../../../queries/find-page.js';
import type { TeamViews } from '../../../queries/team-views.js';
import { hasAll, wordsIn } from '../../../queries/words.js';
import type { Call } from '../../route.js';
import { environmentOf, instantOf } from '../pages.js';

type Where = PageQuery['where'];

/** What a query asks for. All of it must hold. */
export type RunFilter = {
  /** An index and a total serve it. */
  where: Where;
} & Rest;

/** What no index serves. */
type Rest = {
  /** The other fields. Empty if none is left. */
  others: Where;
  /** All of these are in what says what the run is. */
  words?: readonly string[];
  /** It ran then or later. */
  since?: Instant;
};

/** The one that usually has the fewest runs comes first. */
const narrowing = ['commit', 'build', 'pull_request', 'branch', 'environment_key'] as const;

/** No index has them together with the status. */
const withoutStatus: readonly string[] = ['build', 'environment_key'];

/** These are in its metadata. */
const understood = ['tool', 'actor'] as const;

/** The condition for each word of `status`: the outcome of a run, or its status. */
const statuses: Record<string, { outcome: string } | { status: string }> = {
  passed: { outcome: 'passed' },
  failed: { outcome: 'failed' },
  skipped: { outcome: 'skipped' },
  pending: { status: 'Pending' },
  running: { status: 'Running' },
  completed: { status: 'Completed' },
};

export function runFilterOf(query: Call['query']): RunFilter {
  const { project_id, status } = query;
  const words = wordsIn(query['q'] as string | undefined);
  const since = instantOf({ query }, 'since');
  const sent: Call['query'] = { ...query, environment_key: environmentOf({ query }) };
  const [narrowest, ...others] = narrowing.filter((field) => sent[field] !== undefined);
  const by = (field: string | undefined) => (field === undefined ? {} : { [field]: String(sent[field]) });
  const withStatus = status === undefined ? {} : statuses[String(status)];
  const isServed = narrowest === undefined || !withoutStatus.includes(narrowest);
  return {
    where: { project_id: String(project_id), ...by(narrowest), ...(isServed && withStatus) },
    others: Object.assign(
      {},
      ...others.map(by),
      ...understood.filter((field) => sent[field] !== undefined).map(by),
      !isServed && withStatus,
    ) as Where,
    ...(words.length > 0 && { words }),
    ...(since !== undefined && { since }),
  };
}

function matching({ others, words = [], since }: Rest): (run: RunDocument) => boolean {
  const wanted = Object.entries(others);
  return (run) => {
    const { tool, actor } = understoodRun(run.metadata);
    const all: Readonly<Record<string, unknown>> = { ...run, tool, actor };
    return (
      wanted.every(([field, value]) => all[field] === value) &&
      (since === undefined || ranAt(run) >= since) &&
      (words.length === 0 || hasAll(textsOf(run).join('\n'), words))
    );
  };
}

/** What says what a run is: people search in these. */
function textsOf({ label, branch, commit, pull_request, metadata }: RunDocument): string[] {
  const { message, actor } = metadata ?? {};
  return [label, message, branch, commit, pull_request, actor].filter((each) => typeof each === 'string');
}

/** Finds the run with a key, if all conditions hold for it. */
export function findKeyed(
  views: TeamViews,
  reader: Reader,
  runKey: string,
  rest: Rest,
): FindCounted<Stored<RunDocument>> {
  return async ({ where, offset, limit }) => {
    const id = runIdOf(String(where['project_id']), runKey);
    const found = id === null ? [] : await views.some(runDocuments, reader, [id]);
    const items = found.filter(matching({ ...rest, others: { ...where, ...rest.others } }));
    return { items: items.slice(offset, offset + limit), total: items.length };
  };
}

const PAGE = 100;

/**
 * Finds pages of runs. With a rest, it looks through the first runs of the index, up to a limit, and the total counts
 * those of them that match: an index for each combination would make every write slower.
 */
export function findRuns(
  views: TeamViews,
  rest: Rest,
  looksThrough: (runs: number) => void,
  old: OldRuns | null = null,
): FindCounted<Stored<RunDocument>> {
  const { others, words, since } = rest;
  const served = Object.keys(others).length === 0 && words === undefined && since === undefined;
  const matches = matching(rest);
  if (old === null)
    return served ? findCounted(views, runDocuments) : lookThrough(views, matches, looksThrough);
  const { until } = old;
  const young = { from: until, exclusive: true };
  const stays = staysListed(old);
  return joinedLists(
    served
      ? async (query) => {
          const { items, total = 0 } = await views.find(runDocuments, {
            ...query,
            range: young,
            total: 'counted',
          });
          return { items, total };
        }
      : lookThrough(views, matches, looksThrough, young),
    lookThrough(views, (run) => matches(run) && stays(run), looksThrough, { to: until }),
  );
}

function lookThrough(
  views: TeamViews,
  matches: (run: RunDocument) => boolean,
  looksThrough: (runs: number) => void,
  range?: ViewQuery['range'],
): FindCounted<Stored<RunDocument>> {
  return async ({ where, sort, offset, limit }) => {
    const items: Stored<RunDocument>[] = [];
    let total = 0;
    let after: Cursor | null | undefined;
    let looked = 0;
    for (; looked < limits.runsLookedThrough && after !== null; looked += PAGE) {
      const page = await views.find(runDocuments, {
        where,
        sort,
        limit: PAGE,
        ...(range && { range }),
        ...(after && { after }),
      });
      for (const run of page.items.filter(matches)) {
        // Only those of the page are kept: each may have the largest metadata.
        if (total >= offset && items.length < limit) items.push(run);
        total += 1;
      }
      after = page.next;
    }
    looksThrough(looked);
    return { items, total };
  };
}
