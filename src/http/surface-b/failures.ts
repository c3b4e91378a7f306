/** Surface B: failures that are the same, of a run and of a project. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { runDocuments } from '../../../projections/records/run-documents.js';
import { fail } from '../../errors.js';
import { openCauses, type CauseFilter } from '../../queries/causes/causes.js';
import { openFailureQueries, type GroupRun } from '../../queries/failure-queries.js';
import { wordsIn } from '../../queries/words.js';
import { openGroupOutcomes } from '../../queries/group-outcomes.js';
import { resultsById } from '../../queries/results/results-by-id.js';
import { someResults } from '../../queries/results/run-results.js';
import { shownRun } from '../../queries/shown-run.js';
import type { TeamViews } from '../../queries/team-views.js';
import { namedResultsPoints } from '../backpressure/request-cost.js';
import { ok, type Call, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { branchOf, environmentOf, instantOf, paged, partOf, requestedPage } from './pages.js';

export type Parts = ReturnType<typeof partsOf>;

/** Results that a group names with its details. */
const FIRST_RESULTS = 5;

export function partsOf({ views, historyViews, comparisons, showResults, titles, actors }: Sources) {
  const failures = openFailureQueries(historyViews, comparisons.baselineOf, titles);
  const outcomes = openGroupOutcomes(views, historyViews);
  return { views, showResults, failures, outcomes, causes: openCauses(historyViews), actors };
}

export function failureRoutes(sources: Sources): Route[] {
  const parts = partsOf(sources);
  return [...ofRuns(parts), ...ofProjects(parts)];
}

function ofRuns(parts: Parts): Route[] {
  const { failures, views, showResults } = parts;
  return [
    {
      method: 'GET',
      path: '/test-runs/:id/failures',
      operation: {
        id: 'listTestRunFailures',
        summary: 'Lists the groups of failures of a run, new ones first',
        answers: { 200: { page: 'RunFailureGroup' } },
      },
      role: 'viewer',
      reporter: true,
      asOf: 'run',
      query: 'RunFailuresQuery',
      async handle(call) {
        const { run, current } = await requestedRun(views, call);
        const baseline = await requestedBaseline(views, call, run);
        const environment = environmentOf(call);
        const { items, total } = await failures.ofRun(run, { ...partOf(call), baseline, environment });
        const rows = await withExamples(parts, call, items, current);
        const shown = call.query['details'] === 'true' ? await withDetails(parts, call, run, rows) : rows;
        return ok(paged(shown, total, requestedPage(call)));
      },
    },
    {
      method: 'GET',
      path: '/test-runs/:id/failures/:group',
      operation: {
        id: 'listTestRunFailureResults',
        summary: 'Lists the results of a group of failures in a run',
        answers: { 200: { page: 'TestResult' } },
      },
      role: 'viewer',
      reporter: true,
      asOf: 'run',
      query: 'FailureResultsQuery',
      async handle(call) {
        const { run, current } = await requestedRun(views, call);
        const { items, total } = await failures.resultsOf(run.id, call.params['group']!, partOf(call));
        const results = await someResults(views, call.key, items, current);
        return ok(paged(await showResults(call, results), total, requestedPage(call)));
      },
    },
  ];
}

function ofProjects(parts: Parts): Route[] {
  const { failures, views } = parts;
  return [
    {
      method: 'GET',
      path: '/projects/:id/failures',
      operation: {
        id: 'listProjectFailures',
        summary: 'Lists the groups of failures of a project, those of most runs first',
        answers: { 200: { page: 'ProjectFailureGroup' } },
      },
      role: 'viewer',
      reporter: true,
      query: 'FailuresQuery',
      async handle(call) {
        const { id, current } = await requestedProject(views, call);
        const narrowed = { branch: branchOf(call), environment: environmentOf(call) };
        const { state, owner, q, sort = 'runs', order = 'desc' } = call.query as FailuresQuery;
        const part = { ...partOf(call), ...narrowed, since: instantOf(call, 'since') };
        const causes = { state, owner, words: wordsIn(q) };
        const { items, total } = await failures.ofProject(id, { ...part, causes, sort, order });
        const rows = await withExamples(parts, call, items, current);
        const of = await parts.causes.rows(
          id,
          items.map(({ group }) => group),
        );
        return ok(
          paged(
            rows.map((row, n) => ({ ...row, ...of[n] })),
            total,
            requestedPage(call),
          ),
        );
      },
    },
    {
      method: 'GET',
      path: '/projects/:id/failures/:group',
      operation: {
        id: 'getProjectFailure',
        summary: 'Shows a group of failures, and the runs in which it was seen',
        answers: { 200: 'ProjectFailure' },
      },
      role: 'viewer',
      reporter: true,
      query: 'PageQuery',
      handle: (call) => showGroup(parts, call),
    },
  ];
}

type FailuresQuery = Omit<CauseFilter, 'words'> & {
  q?: string;
  sort?: 'runs' | 'last_seen';
  order?: 'asc' | 'desc';
};

async function showGroup(parts: Parts, call: Call) {
  const { failures, views } = parts;
  const { id, current } = await requestedProject(views, call);
  const group = call.params['group']!;
  const [data, { items, total }] = await Promise.all([
    groupData(parts, call, { id, group, current }),
    failures.runsOf(id, group, partOf(call)),
  ]);
  const { data: runs, pagination } = paged(await named(views, call, items), total, requestedPage(call));
  return ok({ data, runs, pagination });
}

/** The runs with what they were of: a hash says nothing to people. */
async function named(views: TeamViews, { key }: Pick<Call, 'key'>, runs: readonly GroupRun[]) {
  const found = await views.some(
    runDocuments,
    key,
    runs.flatMap(({ run_id }) => run_id ?? []),
  );
  const shown = new Map(found.map((run) => [run.test_run_id, shownRun(run)]));
  return runs.map(({ run_id, commit, ...seen }) => {
    const { title, branch, actor, tool } = shown.get(run_id ?? '') ?? unnamed;
    return { run_id, commit, title, branch, actor, tool, ...seen };
  });
}

const unnamed = { title: null, branch: null, actor: null, tool: null };

/** All that is said of a group of a project. */
export async function groupData(
  parts: Parts,
  call: Pick<Call, 'key' | 'waitFor'>,
  { id, group, current }: { id: string; group: string; current: boolean },
) {
  const { failures, outcomes, causes, actors } = parts;
  const team = call.key.team_id;
  const found = await failures.group(id, group);
  const [[row], shown, cause] = await Promise.all([
    withExamples(parts, call, [found], current),
    outcomes.ofGroup({ team, project: id }, group, found.example),
    causes.details(id, group, await actors(team)),
  ]);
  return { ...row, ...cause, outcomes: shown };
}

async function requestedRun(views: TeamViews, { key, params, waitFor }: Call) {
  const current = await waitFor('records', 'history');
  const { test_run_id: id, project_id, team_id } = await views.get(runDocuments, key, params['id']!);
  return { run: { id, project_id, team_id }, current };
}

type RequestedRun = Awaited<ReturnType<typeof requestedRun>>['run'];

/** Another run of the project than the run's own baseline; undefined where none is asked for. */
async function requestedBaseline(
  views: TeamViews,
  { key, query }: Call,
  run: RequestedRun,
): Promise<string | undefined> {
  const wanted = query['baseline'];
  if (wanted === undefined) return undefined;
  const { test_run_id: id, project_id } = await views.get(runDocuments, key, String(wanted));
  if (id === run.id || project_id !== run.project_id) {
    fail('not_found', 'There is no such other run in the project of the run.');
  }
  return id;
}

export async function requestedProject(
  views: TeamViews,
  { key, params, waitFor }: Pick<Call, 'key' | 'params' | 'waitFor'>,
) {
  const current = await waitFor('records', 'history');
  const { project_id: id } = await views.get(projectDocuments, key, params['id']!);
  return { id, current };
}

/** The rows with the records of their examples in place of the ids. */
async function withExamples<T extends { example: string | null }>(
  { views, showResults }: Parts,
  call: Pick<Call, 'key' | 'waitFor'>,
  rows: readonly T[],
  current: boolean,
) {
  const ids = rows.flatMap(({ example }) => example ?? []);
  const results = await someResults(views, call.key, ids, current);
  const shown = await showResults(call, results);
  const records = new Map(results.map(({ test_result_id }, n) => [test_result_id, shown[n]]));
  return rows.map((row) => ({ ...row, example: records.get(row.example ?? '') ?? null }));
}

type Named = { id: string; name: string };

/** The rows with the outcomes and the first results of their groups, where the example is not the only result. */
async function withDetails<T extends { group: string; results: number; example: Named | null }>(
  parts: Parts,
  call: Call,
  { id }: RequestedRun,
  rows: readonly T[],
) {
  const { failures, views } = parts;
  const groups = rows.map(({ group }) => group);
  const first = { environment: environmentOf(call), limit: FIRST_RESULTS };
  const [outcomes, firsts] = await Promise.all([
    parts.outcomes.ofRun({ team: call.key.team_id, run: id }, groups),
    Promise.all(rows.map(({ group }) => failures.firstResults(id, group, first))),
  ]);
  const names = new Map<string, string>(
    rows.flatMap(({ example }) => (example === null ? [] : [[example.id, example.name] as const])),
  );
  const unnamed = firsts.flat().filter((each) => !names.has(each));
  call.rate.charge(namedResultsPoints(unnamed.length));
  for (const { test_result_id, test_name } of await resultsById(views, call.key, unnamed)) {
    names.set(test_result_id, test_name);
  }
  return rows.map((row, n) => ({
    ...row,
    outcomes: outcomes[n],
    first_results: firsts[n]!.flatMap((id) => (names.has(id) ? [{ id, name: names.get(id) }] : [])),
  }));
}
