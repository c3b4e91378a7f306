/** Surface B: how much room projects take, and what a retention would free. */
import { projectDocuments } from '../../../../projections/records/projects.js';
import { retentionNames } from '../../../domain/retention.js';
import { effectOf } from '../../../retention/effect.js';
import { usageOf, type Usage } from '../../../usage/usage.js';
import type { components } from '../../../client/api.generated.js';
import { countedProjects } from '../../../queries/projects.js';
import { listed } from '../pages.js';
import { ok, type Route } from '../../route.js';
import type { Sources } from '../../sources.js';

export function retentionRoutes({ views, contents, state, artifacts: { clock } }: Sources): Route[] {
  return [
    {
      method: 'GET',
      path: '/usage',
      operation: {
        id: 'listUsage',
        summary: 'Lists how much room each project takes, and its growth in 30 days',
        answers: { 200: { page: 'Usage' } },
      },
      role: 'admin',
      wholeTeam: true,
      query: 'PageQuery',
      async handle(call) {
        await call.waitFor('records');
        const find = countedProjects(views, call.key, {});
        return listed(call, {
          find,
          where: {},
          order: 'newest last',
          records: async (projects) =>
            (await usageOf({ views, contents, state, clock }, projects)).map(usageData),
        });
      },
    },
    {
      method: 'GET',
      path: '/projects/:id/retention',
      operation: {
        id: 'previewRetention',
        summary: 'Counts what a retention would free, and frees nothing',
        answers: { 200: { data: 'RetentionEffect' } },
      },
      role: 'admin',
      query: 'RetentionQuery',
      async handle({ key, params, query, waitFor }) {
        await waitFor('records');
        const project = await views.get(projectDocuments, key, params['id']!);
        const sent = retentionNames.filter((name) => query[name] !== undefined);
        const policy = Object.fromEntries(
          sent.map((name) => [name, query[name] === 'forever' ? null : String(query[name])]),
        );
        return ok({ data: await effectOf({ views, contents, clock }, project, policy) });
      },
    },
  ];
}

function usageData({ project, results, files, taken, grown, since }: Usage): components['schemas']['Usage'] {
  return {
    project_id: project.project_id,
    name: project.name,
    verdicts: { count: results, bytes: taken.verdicts, grown: grown.verdicts },
    contents: { bytes: taken.contents, grown: grown.contents },
    artifacts: { count: files, bytes: taken.artifacts, grown: grown.artifacts },
    since,
  };
}
