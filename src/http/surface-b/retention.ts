/** Surface B: what a retention of a project would free. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { retentionNames } from '../../domain/retention.js';
import { effectOf } from '../../retention/effect.js';
import { ok, type Route } from '../route.js';
import type { Sources } from '../sources.js';

export function retentionRoutes({ views, contents, artifacts: { clock } }: Sources): Route[] {
  return [
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
