/** Surface B: test results, of one run or one by one. */
import { runDocuments, resultDocuments, type ResultDocument } from '../../../projections/runs.js';
import { findPage, type FindCounted } from '../../queries/find-page.js';
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import { paged, requestedPage } from './pages.js';
import type { ShowResults } from './result-records.js';

export function testResultRoutes(views: TeamViews, showResults: ShowResults): Route[] {
  return [
    {
      method: 'GET',
      path: '/test-runs/:id/results',
      role: 'viewer',
      query: 'PageQuery',
      async handle(call) {
        await call.waitForViews();
        const run = () => views.get(runDocuments, call.key.team_id, call.params['id']!);
        const { test_run_id } = await run();
        const find: FindCounted<ResultDocument> = async (query) => {
          const { items } = await views.find(resultDocuments, query);
          // The same fold keeps the counts: they include each result of the run once.
          return { items, total: (await run()).counts.total };
        };
        const page = requestedPage(call);
        const { offset, per_page: limit } = page;
        const sort = { field: 'created_position', direction: 'ascending' } as const;
        const { items, total } = await findPage(find, { where: { test_run_id }, sort, offset, limit });
        return ok(paged(await showResults(call, items), total, page));
      },
    },
    {
      method: 'GET',
      path: '/test-results/:id',
      role: 'viewer',
      async handle(call) {
        const { key, params, waitForViews } = call;
        const current = await waitForViews();
        const found = await views.get(resultDocuments, key.team_id, params['id']!);
        // Views that are behind may have only some results of a submission: a result is complete once its run is there.
        if (!current && found.test_run_id !== null)
          await views.get(runDocuments, key.team_id, found.test_run_id);
        const [data] = await showResults(call, [found]);
        return ok({ data });
      },
    },
  ];
}
