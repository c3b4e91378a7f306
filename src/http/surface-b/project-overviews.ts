/** Surface B: how a project stands. */
import { projectDocuments } from '../../../projections/projects.js';
import { projectOverview } from '../../queries/project-overviews.js';
import type { TeamViews } from '../../queries/team-views.js';
import type { TestQueries } from '../../queries/test-queries.js';
import { ok, type Route } from '../route.js';

/** Runs are in the views of the ledger, and the states of tests in those of the outbox: this route waits for both. */
export function overviewRoutes(views: TeamViews, tests: TestQueries): Route[] {
  return [
    {
      method: 'GET',
      path: '/projects/:id/overview',
      operation: {
        id: 'getProjectOverview',
        summary: 'Shows the last completed runs of a project, and how many of its tests need somebody',
        answers: { 200: { data: 'ProjectOverview' } },
      },
      role: 'viewer',
      async handle({ key, params, context, waitForViews }) {
        await waitForViews();
        const project = await views.get(projectDocuments, key.team_id, params['id']!);
        return ok({ data: await projectOverview({ views, tests }, project, Date.parse(context.at)) });
      },
    },
  ];
}
