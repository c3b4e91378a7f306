/** Surface B: how a project stands. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { projectOverview } from '../../queries/project-overviews.js';
import { ok, type Route } from '../route.js';
import type { Sources } from '../sources.js';

export function overviewRoutes({ views, tests }: Sources): Route[] {
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
      reporter: true,
      async handle({ key, params, context, waitFor }) {
        await waitFor('records', 'history');
        const project = await views.get(projectDocuments, key, params['id']!);
        return ok({ data: await projectOverview({ views, tests }, project, Date.parse(context.at)) });
      },
    },
  ];
}
