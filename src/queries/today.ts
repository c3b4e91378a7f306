/**
 * What needs somebody now, over all projects: new causes of failures, red default branches, tests that became flaky, known
 * failures that end, runs that are going. Its cost follows the projects that ran of late, not how long history is.
 */
import { groupDocuments, type GroupDocument } from '../../projections/history/failure-counts.js';
import { narrowed } from '../../projections/history/failure-scopes.js';
import { history } from '../../projections/history/history.js';
import { knownFailureDocuments } from '../../projections/history/known-failures.js';
import { idOfTest, testDocuments, type TestDocument } from '../../projections/history/tests.js';
import {
  isIncomplete,
  runSummaryDocuments,
  type RunSummaryDocument,
} from '../../projections/comparisons/run-summary-documents.js';
import { runDocuments, type RunDocument } from '../../projections/records/run-documents.js';
import { addDays } from '../clock.js';
import type { Reader } from '../domain/teams/access.js';
import type { components } from '../client/api.generated.js';
import { streamName, type Instant } from '../domain/event.js';
import { groupedBy } from '../domain/grouped-by.js';
import type { LedgerEvent } from '../domain/events.js';
import { understoodRun } from '../domain/understood.js';
import type { StreamReader } from '../log/streams.js';
import type { ViewReader } from '../ports/views.js';
import { typedViews, type TypedViews } from '../projecting/typed-views.js';
import type { FailureQueries, ProjectGroup } from './failure-queries.js';
import type { CauseRow, Causes } from './causes/causes.js';
import { recentProjects, type RecentProject } from './recent-projects.js';
import { shownRun, type ShownRun } from './shown-run.js';
import type { TeamViews } from './team-views.js';

type Of = { project_id: string; project: string };
type NewCause = Of & ProjectGroup & Pick<CauseRow, 'state' | 'owner'>;
type Today = Omit<components['schemas']['Today'], 'causes'> & {
  causes: Counted<NewCause & { first_run: ShownRun | null }>;
};
type RedBranch = Today['red']['items'][number];
type BranchWithoutVerdict = Today['without_verdict']['items'][number];
type Counted<T> = { items: T[]; total: number };
type NamedTest = { test_id: string; name: string; owner: string | null };

export type TodayQuery = { reader: Reader; now: Instant; since: Instant; who: readonly string[] };

/** Of each kind that are shown; the pages of a project have the others. */
const SHOWN = 20;
/** Of the kinds that need less. A page has up to a hundred rows. */
const FEWER = 10;
/** Of each kind that are read of one project. */
const READ = { causes: 100, runs: 40, flaky: 30, ending: 20, running: 20 };
const LOOKED_AT = 50;
/** A project that did not run for longer needs nobody. */
const QUIET_DAYS = 14;
const ENDING_DAYS = 7;
/** The stream of a test also has known failures that were set and ended. */
const EVENTS_OF_TEST = 10;

const newestFirst = { field: 'created_position', direction: 'descending' } as const;

export type Sources = {
  views: TeamViews;
  historyViews: ViewReader;
  log: StreamReader;
  failures: Pick<FailureQueries, 'shown'>;
  causes: Pick<Causes, 'rows'>;
};

export function openToday({ historyViews, ...sources }: Sources): (query: TodayQuery) => Promise<Today> {
  const parts: Parts = { ...sources, ofHistory: typedViews(historyViews, history) };
  return (query) => today(parts, query);
}

type Parts = Omit<Sources, 'historyViews'> & { ofHistory: TypedViews };

async function today(parts: Parts, { reader, now, since, who }: TodayQuery): Promise<Today> {
  const { projects, total } = await recentProjects(parts.views, reader, {
    now,
    days: QUIET_DAYS,
    most: LOOKED_AT,
  });
  const each = async <T>(read: (project: (typeof projects)[number]) => Promise<T[]>) =>
    (await Promise.all(projects.map(read))).flat();
  const [causes, branches, flaky, ending, running] = await Promise.all([
    each((project) => newCauses(parts, project, since)),
    Promise.all(projects.map((project) => defaultBranch(parts, project))),
    each((project) => becameFlaky(parts, project, reader, since)),
    each((project) => endingSoon(parts, project, now)),
    each((project) => runningNow(parts, project, now)),
  ]);
  const runs = await runsOf(parts, reader, [
    ...causes.map(({ first_seen }) => first_seen.run_id),
    ...flaky.map(({ run_id }) => run_id),
  ]);
  const red = branches.flatMap((branch) => branch.red);
  const withoutVerdict = branches.flatMap((branch) => branch.withoutVerdict);
  const isTheirs = (...names: (string | null)[]) =>
    who.length === 0 || names.some((name) => name !== null && who.includes(name.toLowerCase()));
  return {
    since,
    causes: counted(
      causes
        .map((cause) => ({
          ...cause,
          first_run: runs.get(cause.first_seen.run_id ?? '') ?? null,
        }))
        .filter((cause) => isTheirs(cause.owner, cause.first_run?.actor ?? null))
        .sort((one, other) => other.results - one.results),
    ),
    red: counted(
      red
        .filter((row) => isTheirs(row.since.actor, row.newest.actor))
        .sort((one, other) => (one.since.at < other.since.at ? -1 : 1)),
    ),
    without_verdict: counted(
      withoutVerdict.filter(({ newest }) => isTheirs(newest.actor)),
      FEWER,
    ),
    flaky: counted(
      flaky
        .map(({ run_id, ...test }) => ({ ...test, run: runs.get(run_id ?? '') ?? null }))
        // It may have been recorded long after it ran, as by an import.
        .filter(({ run }) => run === null || run.at >= since)
        .filter((test) => isTheirs(test.owner, test.run?.actor ?? null)),
    ),
    ending: counted(
      ending
        .filter((test) => isTheirs(test.owner))
        .sort((one, other) => (one.expires_at < other.expires_at ? -1 : 1)),
    ),
    running: counted(
      running.filter((run) => isTheirs(run.actor)),
      FEWER,
    ),
    projects: { total, looked_at: projects.length },
  };
}

async function newCauses(
  { ofHistory, failures, causes }: Parts,
  { default_branch: branch, ...of }: RecentProject,
  since: Instant,
): Promise<NewCause[]> {
  const { items } = await ofHistory.find(groupDocuments, {
    where: { listed_in: narrowed(of.project_id, { branch }) },
    sort: { field: 'last_at', direction: 'descending' },
    range: { from: since },
    limit: READ.causes,
  });
  const rows = await causes.rows(
    of.project_id,
    items.map(({ group }) => group.id),
  );
  const standing = new Map(items.map(({ group }, n) => [group.id, rows[n]!]));
  const isNew = ({ group, first }: GroupDocument) => {
    const { state } = standing.get(group.id)!;
    return state === 'came_back' || (state === 'open' && first !== null && first.at >= since);
  };
  const fresh = items.filter(isNew).sort((one, other) => other.results - one.results);
  const shown = await failures.shown(of.project_id, fresh.slice(0, SHOWN));
  return shown.map((group) => {
    const { state, owner } = standing.get(group.group)!;
    return { ...of, ...group, state, owner };
  });
}

/** By the newest completed run of each tool and environment. */
async function defaultBranch(
  { views, ofHistory }: Parts,
  { default_branch: branch, ...of }: RecentProject,
): Promise<{ red: RedBranch[]; withoutVerdict: BranchWithoutVerdict[] }> {
  const { project_id } = of;
  const where = { project_id, branch, status: 'Completed' };
  const { items } = await views.find(runDocuments, { where, sort: newestFirst, limit: READ.runs });
  if (items.length === 0) {
    const { items: others } = await views.find(runDocuments, {
      where: { project_id },
      sort: newestFirst,
      limit: 1,
    });
    const withoutVerdict = others.map((run) => ({
      ...of,
      branch,
      reason: 'no_run' as const,
      newest: shownRun(run),
    }));
    return { red: [], withoutVerdict };
  }
  const lines = byLine(items);
  const red = lines.flatMap((runs) => {
    const before = runs.findIndex(({ outcome }) => outcome !== 'failed');
    const bad = before === -1 ? runs : runs.slice(0, before);
    if (bad.length === 0) return [];
    return [{ ...of, branch, newest: shownRun(bad[0]!), since: shownRun(bad.at(-1)!), runs: bad.length }];
  });
  const newest = lines.map(([run]) => run!).filter(({ outcome }) => outcome !== 'failed');
  const summaries = await ofHistory.get(
    runSummaryDocuments,
    newest.map(({ test_run_id }) => test_run_id),
  );
  const withoutVerdict = newest.flatMap((run, n) => {
    const reason = reasonWithoutVerdict(run, summaries[n] ?? null);
    return reason === null ? [] : [{ ...of, branch, reason, newest: shownRun(run) }];
  });
  return { red, withoutVerdict };
}

/** Of a completed run that did not fail; null where it says that its tests passed or were skipped. */
function reasonWithoutVerdict(
  { outcome }: RunDocument,
  summary: RunSummaryDocument | null,
): 'empty' | 'incomplete' | null {
  if (summary === null || isIncomplete(summary)) return 'incomplete';
  return outcome === null ? 'empty' : null;
}

async function becameFlaky(
  { ofHistory, log }: Parts,
  { default_branch: _, ...of }: RecentProject,
  { team_id }: Reader,
  since: Instant,
) {
  const { items } = await ofHistory.find(testDocuments, {
    where: { troubled_in: of.project_id, state: 'flaky' },
    sort: { field: 'impact', direction: 'descending' },
    limit: READ.flaky,
  });
  const found = await Promise.all(
    items.map(async (test) => {
      const stream = streamName('test', team_id, idOfTest(test));
      const { events } = await log.readStream(stream, { direction: 'backwards', limit: EVENTS_OF_TEST });
      const became = (events as readonly LedgerEvent[]).find((event) => event.type === 'TestBecameFlaky');
      if (became === undefined || became.meta.at < since) return [];
      return [{ ...of, ...named(test), run_id: became.data.run_id }];
    }),
  );
  return found.flat();
}

async function endingSoon(
  { ofHistory }: Parts,
  { default_branch: _, ...of }: RecentProject,
  now: Instant,
): Promise<Today['ending']['items']> {
  const { items } = await ofHistory.find(knownFailureDocuments, {
    where: { project_id: of.project_id },
    sort: { field: 'expires_at', direction: 'ascending' },
    range: { to: addDays(now, ENDING_DAYS) },
    limit: READ.ending,
  });
  const tests = await ofHistory.get(
    testDocuments,
    items.map(({ test_id }) => test_id),
  );
  return tests.flatMap((test) => {
    if (test?.known_failure == null) return [];
    const { reason, expires_at } = test.known_failure;
    return [{ ...of, ...named(test), reason, expires_at }];
  });
}

async function runningNow(
  { views }: Parts,
  { default_branch: _, ...of }: RecentProject,
  now: Instant,
): Promise<(Of & ShownRun)[]> {
  const where = { project_id: of.project_id, status: 'Running' };
  const { items } = await views.find(runDocuments, { where, sort: newestFirst, limit: READ.running });
  return items
    .filter(({ updated_at }) => updated_at >= addDays(now, -1))
    .map((run) => ({ ...of, ...shownRun(run) }));
}

async function runsOf(
  { views }: Parts,
  reader: Reader,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, ShownRun>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const runs = await views.some(runDocuments, reader, wanted);
  return new Map(runs.map((run) => [run.test_run_id, shownRun(run)]));
}
function counted<T>(items: readonly T[], most = SHOWN): Counted<T> {
  return { items: items.slice(0, most), total: items.length };
}

/** Runs of one tool and environment: only these say something about each other. */
function byLine(runs: readonly RunDocument[]): RunDocument[][] {
  const lineOf = ({ metadata, environment_key }: RunDocument) =>
    JSON.stringify([understoodRun(metadata).tool, environment_key]);
  return [...groupedBy(runs, lineOf).values()];
}

function named(test: TestDocument): NamedTest {
  return { test_id: idOfTest(test), name: test.name, owner: test.owner };
}
