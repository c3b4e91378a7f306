/** Which declared index, or total, serves a query. All adapters give the same answer. */
import type { CollectionSpec, ProjectionSpec } from '../../domain/projection.js';
import { fail } from '../../errors.js';
import type { ViewQuery } from '../../ports/views.js';

/** The declared collection. @throws AppError `internal` when the projection has no such collection. */
export function collectionOf(
  spec: Pick<ProjectionSpec, 'name' | 'collections'>,
  name: string,
): CollectionSpec {
  const collection = spec.collections.find((candidate) => candidate.name === name);
  return collection ?? fail('internal', `the projection ${spec.name} has no collection ${name}`);
}

/**
 * The index with the fields of `where` that are not filterable, in any order, followed by the sort field. A longer index
 * does not serve: its entries with one sort value are not in the order of the ids.
 * @throws AppError `internal` when none is declared, or when the query contradicts itself.
 */
export function indexFor(collection: CollectionSpec, query: ViewQuery): readonly string[] {
  checkShape(collection, query);
  const { filterable = [], sparse = [] } = collection;
  const equal = Object.keys(query.where).filter((field) => !filterable.includes(field));
  const missing = equal.find((field) => sparse.includes(field) && query.where[field] === null);
  if (missing !== undefined) fail('internal', `no index of ${collection.name} has a null ${missing}`);
  const index = collection.indexes.find(
    (fields) =>
      fields.length === equal.length + 1 &&
      fields.at(-1) === query.sort.field &&
      equal.every((field) => fields.indexOf(field) < equal.length && fields.includes(field)),
  );
  return (
    index ??
    fail('internal', `no index of ${collection.name} serves (${[...equal, query.sort.field].join(', ')})`)
  );
}

/**
 * How a query gets its total: from the declared total on exactly the fields of `where`, or `counted` through its index.
 * Null where it asks for none. @throws AppError `internal` when there is no such total.
 */
export function totalFor(
  collection: CollectionSpec,
  { total, where, contains, parts, among }: ViewQuery,
): readonly string[] | 'counted' | null {
  if (total === undefined || total === false) return null;
  const isFiltered = contains !== undefined || parts !== undefined || among !== undefined;
  if (isFiltered || total === 'counted') return 'counted';
  const equal = Object.keys(where);
  const kept = (collection.totals ?? []).find(
    (fields) => fields.length === equal.length && equal.every((field) => fields.includes(field)),
  );
  return kept ?? fail('internal', `${collection.name} keeps no total by (${equal.join(', ')})`);
}

function checkShape(
  { name, searchable, filterable = [] }: CollectionSpec,
  { after, offset, limit, contains, parts = [], among, sort }: ViewQuery,
): void {
  if (contains !== undefined && sort.field !== searchable)
    fail('internal', `${name} cannot be searched by ${sort.field}`);
  if (contains?.includes('') || parts.some(({ part }) => part === ''))
    fail('internal', 'a query contains a text that is not empty');
  const other = parts.find(({ field }) => !filterable.includes(field));
  if (other !== undefined) fail('internal', `${name} cannot be filtered by parts of ${other.field}`);
  if (among !== undefined && !filterable.includes(among.field))
    fail('internal', `${name} cannot be filtered by numbers of ${among.field}`);
  if (after !== undefined && offset !== undefined)
    fail('internal', 'a query has a cursor or an offset, not both');
  if (!Number.isSafeInteger(limit) || limit < 1) fail('internal', 'the limit of a query must be 1 or more');
  if (offset !== undefined && (!Number.isSafeInteger(offset) || offset < 0)) {
    fail('internal', 'the offset of a query must be 0 or more');
  }
}
