/** Surface B: the tests of a project, and the history of each. */
import type { ReadModel } from '../../projecting/freshness.js';
import type { WholeResult } from '../../queries/results/whole-results.js';
import { someResults } from '../../queries/results/run-results.js';
import type { TestQueries } from '../../queries/tests/test-queries.js';
import type { SortedPart } from '../../queries/statistics/sorted-tests.js';
import type { Trouble } from '../../queries/tests/troubled-tests.js';
import type { TestFilter } from '../../queries/tests/listed-tests.js';
import type { DatedEntry, Selection } from '../../queries/tests/test-views.js';
import { ranAt } from '../../domain/instant.js';
import { statusWords } from '../../domain/results/result.js';
import { searchPoints } from '../backpressure/request-cost.js';
import { invalid } from '../../errors.js';
import { ok, type Call, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { branchOf, environmentOf, instantOf, paged, partOf, requestedPage } from './pages.js';
import { statisticsFilterOf, windowOf } from '../statistics/routes.js';
import type { components } from '../../client/api.generated.js';

const PATH = '/projects/:id/tests';

export function testRoutes(sources: Sources): Route[] {
  const { tests } = sources;
  return [
    ...testHistoryRoutes(sources),
    {
      method: 'GET',
      path: PATH,
      operation: {
        id: 'listTests',
        summary: 'Lists the tests of a project, by name or by what they cost',
        answers: { 200: { page: 'Test' } },
      },
      role: 'viewer',
      reporter: true,
      query: 'TestsQuery',
      async handle(call) {
        const runs = call.query['details'] === 'true';
        // The last runs are read from the records: without the newest of them, they would be those of other runs.
        const { id } = await requestedTest(tests, call, 'history', ...(runs ? (['records'] as const) : []));
        const page = requestedPage(call);
        const selection = { ...selectionOf(call), runs };
        const part = { ...selection, ...partOf(call) };
        const { known_failure, trouble } = call.query as TestsQuery;
        const wanted = filterOf(call);
        const not_run_since = instantOf(call, 'not_run_since');
        mustBeAlone(call, { known_failure, trouble, not_run_since });
        const sorting = sortingOf(call, { known_failure, trouble, not_run_since });
        const list = async () => {
          if (sorting !== null)
            return tests.listSorted(call.key, id, { ...selection, ...sorting, ...wanted }, partOf(call));
          if (known_failure !== undefined) return tests.listKnownFailures(id, { ...part, ...wanted });
          if (trouble !== undefined) return tests.listTroubled(id, trouble, { ...part, ...wanted });
          if (not_run_since !== undefined) return tests.listIdle(id, not_run_since, part);
          return tests.list(id, { ...part, ...wanted, order: orderOf(call) });
        };
        const { items, total, searched } = await list();
        call.rate.charge(searchPoints(searched));
        return ok(paged(items, total, page));
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:test`,
      operation: { id: 'getTest', summary: 'Shows a test', answers: { 200: { data: 'Test' } } },
      role: 'viewer',
      reporter: true,
      asOf: 'test',
      query: 'TestQuery',
      async handle(call) {
        const { id, test } = await requestedTest(tests, call, 'history');
        return ok({ data: await tests.get(id, test, selectionOf(call)) });
      },
    },
    {
      method: 'GET',
      path: '/tests/:test',
      operation: {
        id: 'findTest',
        summary: 'Shows a test of which only the id is known',
        answers: { 200: { data: 'Test' } },
      },
      role: 'viewer',
      reporter: true,
      asOf: 'test',
      query: 'TestQuery',
      async handle(call) {
        await call.waitFor('history');
        const test = call.params['test']!;
        return ok({ data: await tests.get(await tests.projectOf(call.key, test), test, selectionOf(call)) });
      },
    },
  ];
}

function filterOf({ query }: Pick<Call, 'query'>): TestFilter {
  const { owner, tag, not_tag, q } = query as Partial<Record<string, string>>;
  return { owner, tag, not_tag, words: q === undefined ? [] : [q] };
}

/** Of a list in the order of names. */
function orderOf({ query }: Pick<Call, 'query'>): 'asc' | 'desc' {
  return query['order'] === 'desc' ? 'desc' : 'asc';
}

type TestsQuery = {
  known_failure?: 'true';
  trouble?: Trouble;
};

/** Each of `lists` selects tests by itself. */
function mustBeAlone({ query }: Call, lists: object): void {
  const [first, other] = Object.entries(lists).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (first === undefined) return;
  const isFiltered = ['owner', 'q', 'tag', 'not_tag'].some((name) => query[name] !== undefined);
  if (first === 'not_run_since' && isFiltered)
    invalid(`?${first}`, 'not_valid', 'cannot be combined with owner, q, tag or not_tag');
  if (other !== undefined) invalid(`?${first}`, 'not_valid', `cannot be combined with ${other}`);
}

type Sorting = Pick<SortedPart, 'sort' | 'order' | 'branch_class' | 'from' | 'to'>;

/** Null for a list that is not sorted. `lists`: they have orders of their own. */
function sortingOf(call: Call, lists: object): Sorting | null {
  const {
    sort,
    order = 'desc',
    ...rest
  } = call.query as Partial<Omit<Sorting, 'sort'>> & {
    sort?: Sorting['sort'] | 'name';
  };
  const { branch_class } = statisticsFilterOf(call);
  if (sort === undefined || sort === 'name') {
    const { from, to } = rest;
    const needs = sort === undefined ? 'needs sort' : 'needs another sort';
    const counted = { ...(sort === undefined && { order: call.query['order'] }), branch_class, from, to };
    for (const [name, value] of Object.entries(counted))
      if (value !== undefined) invalid(`?${name}`, 'not_valid', needs);
    if (sort === undefined) return null;
  }
  for (const [name, value] of Object.entries(lists))
    if (value !== undefined) invalid('?sort', 'not_valid', `cannot be combined with ${name}`);
  return sort === 'name' ? null : { sort, order, branch_class, ...windowOf(call) };
}

/** The results of a history are records. */
export function testHistoryRoutes({ tests, views, showResults }: Sources): Route[] {
  return [
    {
      method: 'GET',
      path: `${PATH}/:test/history`,
      operation: {
        id: 'getTestHistory',
        summary: 'Lists the results of a test, newest first',
        answers: { 200: { page: 'TestResult' } },
      },
      role: 'viewer',
      reporter: true,
      asOf: 'test',
      query: 'TestHistoryQuery',
      async handle(call) {
        const { id, test, current } = await requestedTest(tests, call, 'records', 'history');
        const { items, total } = await tests.history(id, test, { ...selectionOf(call), ...partOf(call) });
        const results = await someResults(views, call.key, items, current);
        return ok(paged(await showResults(call, results), total, requestedPage(call)));
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:test/outcomes`,
      operation: {
        id: 'listTestOutcomes',
        summary: 'Lists the outcomes of a test without metadata, newest first',
        answers: { 200: { page: 'TestOutcome' } },
      },
      role: 'viewer',
      reporter: true,
      asOf: 'test',
      query: 'TestOutcomesQuery',
      async handle(call) {
        const { id, test, current } = await requestedTest(tests, call, 'records', 'history');
        const { around, page: asked, per_page } = call.query as OutcomesQuery;
        if (around !== undefined && asked !== undefined)
          invalid('?page', 'not_valid', 'cannot be combined with around');
        const page = { page: asked ?? 1, per_page, offset: ((asked ?? 1) - 1) * per_page };
        const part = { ...selectionOf(call), offset: page.offset, limit: per_page };
        const { items, total } =
          around === undefined
            ? await tests.entries(id, test, part)
            : await tests.entriesAround(id, test, { ...part, result: around });
        const ids = items.map(({ result_id }) => result_id);
        const results = await someResults(views, call.key, ids, current);
        const shown = (await showResults(call, results)) as components['schemas']['TestResult'][];
        return ok(paged(outcomesOf(items, results, shown), total, page));
      },
    },
  ];
}

type OutcomesQuery = { around?: string; page?: number; per_page: number };

/** The entries whose results are there. */
function outcomesOf(
  entries: readonly DatedEntry[],
  results: readonly WholeResult[],
  shown: readonly components['schemas']['TestResult'][],
): components['schemas']['TestOutcome'][] {
  const byId = new Map(results.map((result, n) => [result.test_result_id, { result, shown: shown[n]! }]));
  return entries.flatMap(({ result_id, status, branch, at }) => {
    const found = byId.get(result_id);
    if (found === undefined) return [];
    const { test_run_id, attempt, duration_ms, environment_key, group, known, superseded_by } = found.shown;
    const outcome = { result_id, test_run_id, status: statusWords[status], attempt, duration_ms };
    const shown = { branch, environment_key, group, known, superseded_by };
    return [{ ...outcome, at: at ?? ranAt(found.result), ...shown }];
  });
}

/** Checks that the test exists before it waits. */
async function requestedTest(tests: TestQueries, { key, params, waitFor }: Call, ...models: ReadModel[]) {
  const { id, test } = params as { id: string; test: string };
  await tests.mustExist(key, id, test);
  return { id, test, current: await waitFor(...models) };
}

function selectionOf(call: Call): Selection {
  return { branch: branchOf(call), environment: environmentOf(call) };
}
