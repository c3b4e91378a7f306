/** Surface A: the project list. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { readPageToken, writePageToken } from '../page-token.js';
import { ok, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { projectRecord } from './records.js';

export function projectReadRoutes({ views }: Sources): Route[] {
  return [
    {
      method: 'GET',
      path: '/project/',
      operation: {
        id: 'listProjectRecords',
        summary: 'Lists the projects of the team',
        answers: { 200: { itemsByToken: 'ProjectRecord' } },
      },
      role: 'viewer',
      query: 'ListProjectsQuery',
      async handle({ key, query, waitFor }) {
        const after = readPageToken(['projects'], query['page_token']);
        await waitFor('records');
        const { items, next } = await views.find(projectDocuments, {
          where: { team_id: key.team_id },
          sort: { field: 'created_position', direction: 'ascending' },
          limit: Number(query['page_size']),
          ...(after && { after }),
        });
        return ok({ items: items.map(projectRecord), page_token: writePageToken(['projects'], next) });
      },
    },
  ];
}
