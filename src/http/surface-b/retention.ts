/** Surface B: what a retention of a project would free. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { kinds } from '../../retention/kept.js';
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
        const sent = kinds.filter((kind) => query[kind] !== undefined);
        const policy = Object.fromEntries(
          sent.map((kind) => [kind, query[kind] === 'forever' ? null : String(query[kind])]),
        );
        return ok({ data: await effectOf({ views, contents, clock }, project, policy) });
      },
    },
  ];
}
