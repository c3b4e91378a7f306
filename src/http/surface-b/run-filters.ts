/** The filters of a list of runs. An index serves one of branch, commit and pull request; others look through its runs. */
import { runDocuments, type RunDocument } from '../../../projections/runs.js';
import { runIdOf } from '../../domain/runs/run-key.js';
import { limits } from '../../limits.js';
import type { Cursor } from '../../ports/views.js';
import type { Stored } from '../../projecting/typed-views.js';
import { findCounted, type FindCounted, type PageQuery } from '../../queries/find-page.js';
import type { TeamViews } from '../../queries/team-views.js';
import type { Call } from '../route.js';

type Where = PageQuery['where'];

/** What a query asks for. All of it must hold. */
export type RunFilter = {
  /** An index and a total serve it. */
  where: Where;
  /** The other fields. Empty if none is left. */
  others: Where;
};

/** The one that usually has the fewest runs comes first. */
const codeFields = ['commit', 'pull_request', 'branch'] as const;

/** The condition for each word of `status`: the outcome of a run, or its status. */
const statuses: Record<string, { outcome: string } | { status: string }> = {
  passed: { outcome: 'passed' },
  failed: { outcome: 'failed' },
  skipped: { outcome: 'skipped' },
  pending: { status: 'Pending' },
  running: { status: 'Running' },
  completed: { status: 'Completed' },
};

export function runFilterOf({ project_id, status, ...sent }: Call['query']): RunFilter {
  const [narrowest, ...others] = codeFields
    .filter((field) => sent[field] !== undefined)
    .map((field) => ({ [field]: String(sent[field]) }));
  return {
    where: {
      project_id: String(project_id),
      ...narrowest,
      ...(status !== undefined && statuses[String(status)]),
    },
    others: Object.assign({}, ...others) as Where,
  };
}

/** Finds the run with a key, if all conditions hold for it. */
export function findKeyed(
  views: TeamViews,
  team: string,
  runKey: string,
  others: Where,
): FindCounted<Stored<RunDocument>> {
  return async ({ where, offset, limit }) => {
    const id = runIdOf(String(where['project_id']), runKey);
    const found = id === null ? [] : await views.some(runDocuments, team, [id]);
    const wanted = Object.entries({ ...where, ...others });
    const items = found.filter((run) =>
      wanted.every(([field, value]) => run[field as keyof RunDocument] === value),
    );
    return { items: items.slice(offset, offset + limit), total: items.length };
  };
}

const PAGE = 100;

/**
 * Finds pages of runs. With `others`, it looks through the newest runs of the index, up to a limit, and the total counts
 * those of them that match: an index for each combination would make every write slower.
 */
export function findRuns(
  views: TeamViews,
  others: Where,
  looksThrough: (runs: number) => void,
): FindCounted<Stored<RunDocument>> {
  if (Object.keys(others).length === 0) return findCounted(views, runDocuments);
  const wanted = Object.entries(others);
  const matches = (run: RunDocument) =>
    wanted.every(([field, value]) => run[field as keyof RunDocument] === value);
  return async ({ where, sort, offset, limit }) => {
    const items: Stored<RunDocument>[] = [];
    let total = 0;
    let after: Cursor | null | undefined;
    let looked = 0;
    for (; looked < limits.runsLookedThrough && after !== null; looked += PAGE) {
      const page = await views.find(runDocuments, { where, sort, limit: PAGE, ...(after && { after }) });
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
