/** The titles of groups, instead of the hashes that the history has. */
import { failureDocuments } from '../../projections/history/failure-documents.js';
import { sightingDocuments } from '../../projections/history/failure-counts.js';
import { groupId } from '../../projections/history/failure-scopes.js';
import { NO_TITLE, type Titles } from '../domain/contents.js';
import type { TypedViews } from '../projecting/typed-views.js';

/** Runs, and results of each, among which another title is looked for. */
const OTHER_RUNS = 10;
const OTHER_MEMBERS = 20;

type Parts = { views: Pick<TypedViews, 'find'>; titles: Titles };

type Titled = { group: string; title: string };

/** The rows with the titles that their hashes stand for. */
export async function titled<R extends Titled>(
  { views, titles }: Parts,
  projectId: string,
  rows: readonly R[],
): Promise<R[]> {
  const of = await titles(rows.map(({ title }) => title));
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      title: of.get(row.title) ?? (await otherTitle({ views, titles }, projectId, row)),
    })),
  );
}

/** That of another member, where the one that gave the title is forgotten. */
async function otherTitle({ views, titles }: Parts, projectId: string, { group }: Titled): Promise<string> {
  const where = { scope: groupId(projectId, group) };
  const sort = { field: 'opened', direction: 'descending' } as const;
  const { items: seen } = await views.find(sightingDocuments, { where, sort, limit: OTHER_RUNS });
  const members = await Promise.all(
    seen.map(({ sighting }) =>
      views.find(failureDocuments, {
        where: { listed_in: sighting },
        sort: { field: 'placed', direction: 'ascending' },
        limit: OTHER_MEMBERS,
      }),
    ),
  );
  const hashes = members.flatMap(({ items }) => items.map((each) => each.group.title));
  const of = await titles([...new Set(hashes)]);
  return hashes.map((hash) => of.get(hash)).find((title) => title !== undefined) ?? NO_TITLE;
}
