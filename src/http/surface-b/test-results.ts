/** Surface B: a single test result. */
import { ok, type Route } from '../route.js';
import { findResult } from '../../queries/run-results.js';
import type { TeamViews } from '../../queries/team-views.js';
import { resultData } from './records.js';

export function testResultRoutes(views: TeamViews): Route[] {
  return [
    {
      method: 'GET',
      path: '/test-results/:id',
      role: 'viewer',
      async handle({ key, params, waitForViews }) {
        const current = await waitForViews();
        const { result } = await findResult(views, key.team_id, params['id']!, current);
        return ok({ data: resultData(result) });
      },
    },
  ];
}
