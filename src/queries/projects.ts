/** The projects that exist for a reader, in order of creation. */
import { projectDocuments, type ProjectDocument } from '../../projections/records/projects.js';
import type { Reader } from '../domain/teams/access.js';
import type { ViewQuery } from '../ports/views.js';
import type { FoundOf, Stored } from '../projecting/typed-views.js';
import { limits } from '../limits.js';
import type { CountedPage, FindCounted } from './find-page.js';
import type { TeamViews } from './team-views.js';
import { hasAll, wordsIn } from './words.js';

export type ProjectsQuery = Pick<ViewQuery, 'after' | 'offset' | 'limit'> & {
  status?: ProjectDocument['status'] | undefined;
};

type Direction = ViewQuery['sort']['direction'];

/** As the lists by page number find them. `q`: words, all of which are in the name or the description. */
export function countedProjects(
  views: TeamViews,
  reader: Reader,
  { status, q }: Pick<ProjectsQuery, 'status'> & { q?: string | undefined },
): FindCounted<Stored<ProjectDocument>> {
  const words = wordsIn(q);
  return async ({ offset, limit, sort: { direction } }) => {
    if (words.length > 0)
      return withWords(await newest(views, reader, status), words, { offset, limit, direction });
    const { items, total = 0 } = await findProjects(views, reader, { status, offset, limit }, direction);
    return { items, total };
  };
}

/** With the total. A reader of some projects has few: they are read by their ids. */
export async function findProjects(
  views: TeamViews,
  reader: Reader,
  { status, ...part }: ProjectsQuery,
  direction: Direction = 'ascending',
): Promise<FoundOf<ProjectDocument>> {
  const { team_id, project_ids } = reader;
  if (project_ids === null) {
    const where = { team_id, ...(status !== undefined && { status }) };
    const sort = { field: 'created_position', direction } as const;
    return views.find(projectDocuments, { where, sort, ...part, total: true });
  }
  const { after, offset = 0, limit } = part;
  const own = (await views.some(projectDocuments, reader, project_ids))
    .filter((each) => status === undefined || each.status === status)
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  if (direction === 'descending') own.reverse();
  const rest = own.filter((each) => after === undefined || placeOf(each) > String(after.value));
  const items = rest.slice(offset, offset + limit);
  const last = rest.length > offset + limit ? items.at(-1) : undefined;
  const next = last === undefined ? null : { value: placeOf(last), id: last.project_id };
  return { items, next, total: own.length };
}

/** Those that a search looks through, newest first. */
async function newest(
  views: TeamViews,
  reader: Reader,
  status: ProjectsQuery['status'],
): Promise<Stored<ProjectDocument>[]> {
  const part = { status, limit: limits.searchedProjects };
  return (await findProjects(views, reader, part, 'descending')).items;
}

function withWords(
  projects: readonly Stored<ProjectDocument>[],
  words: readonly string[],
  { offset, limit, direction }: { offset: number; limit: number; direction: Direction },
): CountedPage<Stored<ProjectDocument>> {
  const found = projects.filter(({ name, description }) => hasAll(`${name} ${description ?? ''}`, words));
  if (direction === 'ascending') found.reverse();
  return { items: found.slice(offset, offset + limit), total: found.length };
}

function placeOf({ created_position }: Stored<ProjectDocument>): string {
  return created_position;
}
