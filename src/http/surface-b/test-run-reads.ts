/** Surface B: reads of test runs, of both surfaces. */
import { projectDocuments } from '../../../projections/projects.js';
import { runDocuments, resultDocuments, type ResultDocument } from '../../../projections/runs.js';
import { findPage, type FindCounted } from '../../queries/find-page.js';
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import { findCounted, listed, paged, requestedPage } from './pages.js';
import { runData } from './records.js';
import type { ShowResults } from './result-records.js';

export function testRunReads(views: TeamViews, showResults: ShowResults): Route[] {
  return [
    {
      method: 'GET',
      path: '/test-runs',
      role: 'viewer',
      query: 'TestRunsQuery',
      async handle(call) {
        const { project_id, status } = call.query;
        await call.waitForViews();
        await views.get(projectDocuments, call.key.team_id, String(project_id));
        const find = findCounted(views, runDocuments);
        const where = {
          project_id: String(project_id),
          ...(status !== undefined && filters[String(status)]),
        };
        return listed(call, { find, where, order: 'newest first', data: runData });
      },
    },
    {
      method: 'GET',
      path: '/test-runs/:id',
      role: 'viewer',
      async handle({ key, params, waitForViews }) {
        await waitForViews();
        return ok({ data: runData(await views.get(runDocuments, key.team_id, params['id']!)) });
      },
    },
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
  ];
}

/** The condition for each word of the filter: the outcome of a run, or its status. */
const filters: Record<string, { outcome: string } | { status: string }> = {
  passed: { outcome: 'passed' },
  failed: { outcome: 'failed' },
  skipped: { outcome: 'skipped' },
  pending: { status: 'Pending' },
  running: { status: 'Running' },
  completed: { status: 'Completed' },
};
