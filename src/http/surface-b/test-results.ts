/** Surface B: a single test result. */
import { ok, type Route } from '../route.js';
import type { TeamViews } from '../views.js';
import { resultData } from './records.js';

export function testResultRoutes(views: TeamViews): Route[] {
  return [
    {
      method: 'GET',
      path: '/test-results/:id',
      role: 'viewer',
      async handle({ key, params, fresh }) {
        await fresh();
        return ok({ data: resultData(await views.result(key.team_id, params['id']!)) });
      },
    },
  ];
}
