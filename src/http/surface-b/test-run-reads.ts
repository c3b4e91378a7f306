/** Surface B: reading test runs, however they were made. */
import type { ResultDocument, RunDocument } from '../../../projections/runs.js';
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../views.js';
import { paged, pageOf } from './pages.js';
import { resultData, runData } from './records.js';

export function testRunReads(views: TeamViews): Route[] {
  return [
    {
      method: 'GET',
      path: '/test-runs',
      role: 'viewer',
      query: 'TestRunsQuery',
      async handle(call) {
        const { project_id, status } = call.query;
        const page = pageOf(call);
        await call.fresh();
        await views.project(call.key.team_id, String(project_id));
        const { items, total = 0 } = await views.find<RunDocument>('runs', {
          where: { project_id: String(project_id), ...(status !== undefined && filters[String(status)]) },
          sort: { field: 'created_position', direction: 'descending' },
          offset: page.offset,
          limit: page.per_page,
          total: true,
        });
        return ok(paged(items.map(runData), total, page));
      },
    },
    {
      method: 'GET',
      path: '/test-runs/:id',
      role: 'viewer',
      async handle({ key, params, fresh }) {
        await fresh();
        return ok({ data: runData(await views.run(key.team_id, params['id']!)) });
      },
    },
    {
      method: 'GET',
      path: '/test-runs/:id/results',
      role: 'viewer',
      query: 'PageQuery',
      async handle(call) {
        const page = pageOf(call);
        await call.fresh();
        const { test_run_id, counts } = await views.run(call.key.team_id, call.params['id']!);
        const { items } = await views.find<ResultDocument>('results', {
          where: { test_run_id },
          sort: { field: 'created_position', direction: 'ascending' },
          offset: page.offset,
          limit: page.per_page,
        });
        // Kept by the same fold: each result of the run is counted there once.
        return ok(paged(items.map(resultData), counts.total, page));
      },
    },
  ];
}

/** What each word of the filter asks of a run: how it went, or how far it is. */
const filters: Record<string, { outcome: string } | { status: string }> = {
  passed: { outcome: 'passed' },
  failed: { outcome: 'failed' },
  skipped: { outcome: 'skipped' },
  pending: { status: 'Pending' },
  running: { status: 'Running' },
  completed: { status: 'Completed' },
};
