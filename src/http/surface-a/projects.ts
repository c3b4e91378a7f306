/** Surface A: the project list. */
import { findProjects } from '../../queries/projects.js';
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
      reporter: true,
      query: 'ListProjectsQuery',
      async handle({ key, query, waitFor }) {
        const after = readPageToken(['projects'], query['page_token']);
        await waitFor('records');
        const limit = Number(query['page_size']);
        const { items, next } = await findProjects(views, key, { limit, ...(after && { after }) });
        return ok({ items: items.map(projectRecord), page_token: writePageToken(['projects'], next) });
      },
    },
  ];
}
