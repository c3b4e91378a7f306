/** Where and when a group was first and last seen. */
import {
  sightingDocuments,
  type GroupDocument,
  type Seen,
} from '../../projections/history/failure-counts.js';
import type { Narrowed } from '../../projections/history/failure-scopes.js';
import type { TypedViews } from '../projecting/typed-views.js';
import { plainSighting } from './plain-groups.js';

/** Sightings among which one without an environment is looked for. */
const LOOKED_AT = 100;

/** Only results in it; without one (`''`), among the largest groups. */
export type Wanted = Narrowed['environment'];

type Views = Pick<TypedViews, 'find'>;

/** Of many sightings in environments only, the outermost one stands for another, so that few are read. */
async function outermost(
  views: Views,
  scope: string,
  direction: 'ascending' | 'descending',
  environment: Wanted,
): Promise<Seen | null> {
  const isPlain = environment === '';
  const query = { where: { scope }, sort: { field: 'opened', direction }, limit: isPlain ? LOOKED_AT : 1 };
  const { items } = await views.find(sightingDocuments, query);
  return (isPlain ? items.find((each) => plainSighting(each) !== null) : null) ?? items[0] ?? null;
}

export async function lastOf(
  views: Views,
  document: GroupDocument,
  environment: Wanted,
): Promise<Seen | null> {
  return document.last ?? (await outermost(views, document.scope, 'descending', environment));
}

/** Null where the group is gone since its document was read. */
export async function seenOf(
  views: Views,
  document: GroupDocument,
  environment: Wanted,
): Promise<{ first: Seen; last: Seen } | null> {
  const [first, last] = await Promise.all([
    document.first ?? outermost(views, document.scope, 'ascending', environment),
    lastOf(views, document, environment),
  ]);
  return first === null || last === null ? null : { first, last };
}
