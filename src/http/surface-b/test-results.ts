/** Surface B: test results, of one run or one by one. */
import { findPage, type FindCounted } from '../../queries/find-page.js';
import { findResult, findResults, type ShownResult } from '../../queries/run-results.js';
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import { paged, requestedPage } from './pages.js';
import type { ShowResults } from './result-records.js';

export function testResultRoutes(views: TeamViews, showResults: ShowResults): Route[] {
  return [
    {
      method: 'GET',
      path: '/test-runs/:id/results',
      operation: {
        id: 'listTestRunResults',
        summary: 'Lists the results of a run in order of creation',
        answers: { 200: { page: 'TestResult' } },
      },
      role: 'viewer',
      query: 'PageQuery',
      async handle(call) {
        await call.waitForViews();
        const id = call.params['id']!;
        const find: FindCounted<ShownResult> = (query) => findResults(views, call.key.team_id, id, query);
        const page = requestedPage(call);
        const { offset, per_page: limit } = page;
        const sort = { field: 'created_position', direction: 'ascending' } as const;
        const { items, total } = await findPage(find, { where: {}, sort, offset, limit });
        return ok(paged(await showResults(call, items), total, page));
      },
    },
    {
      method: 'GET',
      path: '/test-results/:id',
      operation: { id: 'getTestResult', summary: 'Shows a result', answers: { 200: { data: 'TestResult' } } },
      role: 'viewer',
      async handle(call) {
        const { key, params, waitForViews } = call;
        const current = await waitForViews();
        const { result } = await findResult(views, key.team_id, params['id']!, current);
        const [data] = await showResults(call, [result]);
        return ok({ data });
      },
    },
  ];
}
