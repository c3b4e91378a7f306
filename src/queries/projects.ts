/** The projects that exist for a reader, in order of creation. */
import { projectDocuments, type ProjectDocument } from '../../projections/records/projects.js';
import type { Reader } from '../domain/teams/access.js';
import type { ViewQuery } from '../ports/views.js';
import type { FoundOf, Stored } from '../projecting/typed-views.js';
import type { FindCounted } from './find-page.js';
import type { TeamViews } from './team-views.js';

export type ProjectsQuery = Pick<ViewQuery, 'after' | 'offset' | 'limit'> & {
  status?: ProjectDocument['status'] | undefined;
};

/** As the lists by page number find them. */
export function countedProjects(
  views: TeamViews,
  reader: Reader,
  status: ProjectsQuery['status'],
): FindCounted<Stored<ProjectDocument>> {
  return async ({ offset, limit }) => {
    const { items, total = 0 } = await findProjects(views, reader, { status, offset, limit });
    return { items, total };
  };
}

/** With the total. A reader of some projects has few: they are read by their ids. */
export async function findProjects(
  views: TeamViews,
  reader: Reader,
  { status, ...part }: ProjectsQuery,
): Promise<FoundOf<ProjectDocument>> {
  const { team_id, project_ids } = reader;
  if (project_ids === null) {
    const where = { team_id, ...(status !== undefined && { status }) };
    const sort = { field: 'created_position', direction: 'ascending' } as const;
    return views.find(projectDocuments, { where, sort, ...part, total: true });
  }
  const { after, offset = 0, limit } = part;
  const own = (await views.some(projectDocuments, reader, project_ids))
    .filter((each) => status === undefined || each.status === status)
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const rest = own.filter((each) => after === undefined || placeOf(each) > String(after.value));
  const items = rest.slice(offset, offset + limit);
  const last = rest.length > offset + limit ? items.at(-1) : undefined;
  const next = last === undefined ? null : { value: placeOf(last), id: last.project_id };
  return { items, next, total: own.length };
}

function placeOf({ created_position }: Stored<ProjectDocument>): string {
  return created_position;
}
