/** Surface B: who did what in the team. */
import { openAuditEntries, type AuditFilter } from '../../queries/audit.js';
import { ok, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { instantOf, paged, partOf, requestedPage } from './pages.js';

export function auditRoutes({ views, actors, clientIn }: Sources): Route[] {
  const entries = openAuditEntries({ views, actors, clientIn });
  return [
    {
      method: 'GET',
      path: '/audit',
      operation: {
        id: 'listAudit',
        summary: 'Lists who did what in the team, newest first',
        answers: { 200: { page: 'AuditEntry' } },
      },
      role: 'admin',
      wholeTeam: true,
      query: 'AuditQuery',
      async handle(call) {
        const { actor, type } = call.query as Pick<AuditFilter, 'actor' | 'type'>;
        const since = instantOf(call, 'since');
        await call.waitFor('records');
        const query = { ...partOf(call), ...(actor && { actor }), ...(type && { type }) };
        const { items, total } = await entries(call.key.team_id, { ...query, ...(since && { since }) });
        return ok(paged(items, total, requestedPage(call)));
      },
    },
  ];
}
