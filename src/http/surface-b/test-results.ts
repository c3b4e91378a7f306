/** Surface B: a single test result. */
import { runDocuments, resultDocuments } from '../../../projections/runs.js';
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../../queries/team-views.js';
import type { ShowResults } from './result-records.js';

export function testResultRoutes(views: TeamViews, showResults: ShowResults): Route[] {
  return [
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
