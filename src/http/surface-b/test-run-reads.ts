/** Surface B: reads of test runs, of both surfaces. */
import { projectDocuments } from '../../../projections/projects.js';
import { runDocuments, resultDocuments, type ResultDocument } from '../../../projections/runs.js';
import type { FindCounted } from '../../queries/find-page.js';
import { withRoomForMessages } from '../long-messages.js';
import { lookedThroughPoints } from '../request-cost.js';
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import { listed } from './pages.js';
import { resultData, runData } from './records.js';
import { findRuns, runFilterOf } from './run-filters.js';

export function testRunReads(views: TeamViews): Route[] {
  return [
    {
      method: 'GET',
      path: '/test-runs',
      role: 'viewer',
      query: 'TestRunsQuery',
      async handle(call) {
        await call.waitForViews();
        await views.get(projectDocuments, call.key.team_id, String(call.query['project_id']));
        const { where, others } = runFilterOf(call.query);
        const find = findRuns(views, others, (runs) => call.rate.charge(lookedThroughPoints(runs)));
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
          return { items: withRoomForMessages(items), total: (await run()).counts.total };
        };
        return listed(call, { find, where: { test_run_id }, order: 'newest last', data: resultData });
      },
    },
  ];
}
