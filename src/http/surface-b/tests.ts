/** Surface B: the tests of a project, and the history of each. */
import { someResults } from '../../queries/run-results.js';
import type { TestQueries, Trouble } from '../../queries/test-queries.js';
import { searchPoints } from '../request-cost.js';
import { invalid } from '../../errors.js';
import { ok, type Call, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import { paged, requestedPage } from './pages.js';
import type { ShowResults } from './result-records.js';

const PATH = '/projects/:id/tests';

/** These routes wait for the documents of the outbox projector, and for no others. */
export function testRoutes(tests: TestQueries): Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      operation: {
        id: 'listTests',
        summary: 'Lists the tests of a project by name',
        answers: { 200: { page: 'Test' } },
      },
      role: 'viewer',
      query: 'TestsQuery',
      async handle(call) {
        const { id } = await requestedTest(tests, call);
        const page = requestedPage(call);
        const { owner, q, known_failure, trouble } = call.query as TestsQuery;
        const alone = known_failure === undefined ? 'trouble' : 'known_failure';
        if (known_failure !== undefined || trouble !== undefined) {
          if (owner !== undefined || q !== undefined)
            invalid(`?${alone}`, 'not_valid', 'cannot be combined with owner or q');
          if (known_failure !== undefined && trouble !== undefined)
            invalid('?known_failure', 'not_valid', 'cannot be combined with trouble');
          const { items, total } =
            trouble === undefined
              ? await tests.listKnownFailures(id, partOf(call))
              : await tests.listTroubled(id, trouble, partOf(call));
          return ok(paged(items, total, page));
        }
        const { items, total, searched } = await tests.list(id, { ...partOf(call), owner, q });
        call.rate.charge(searchPoints(searched));
        return ok(paged(items, total, page));
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:test`,
      operation: { id: 'getTest', summary: 'Shows a test', answers: { 200: { data: 'Test' } } },
      role: 'viewer',
      query: 'TestQuery',
      async handle(call) {
        const { id, test } = await requestedTest(tests, call);
        return ok({ data: await tests.get(id, test, branchOf(call)) });
      },
    },
  ];
}

type TestsQuery = { owner?: string; q?: string; known_failure?: 'true'; trouble?: Trouble };

/** The results of a history come from the views of the ledger, so this route waits for both. */
export function testHistoryRoutes(tests: TestQueries, views: TeamViews, showResults: ShowResults): Route[] {
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
      query: 'TestHistoryQuery',
      async handle(call) {
        const { id, test, current } = await requestedTest(tests, call);
        const { items, total } = await tests.history(id, test, partOf(call));
        const results = await someResults(views, call.key.team_id, items, current);
        return ok(paged(await showResults(call, results), total, requestedPage(call)));
      },
    },
  ];
}

/** Checks that the test exists before it waits for the views. */
async function requestedTest(tests: TestQueries, { key, params, waitForViews }: Call) {
  const { id, test } = params as { id: string; test: string };
  await tests.mustExist(key.team_id, id, test);
  return { id, test, current: await waitForViews() };
}

function partOf(call: Call) {
  const { offset, per_page: limit } = requestedPage(call);
  return { branch: branchOf(call), offset, limit };
}

function branchOf({ query }: Call): string | undefined {
  return query['branch'] as string | undefined;
}
