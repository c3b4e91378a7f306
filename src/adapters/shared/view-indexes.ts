/** Which declared index, or total, serves a query. All adapters give the same answer. */
import type { CollectionSpec, ProjectionSpec } from '../../domain/projection.js';
import { fail } from '../../errors.js';
import type { ViewQuery } from '../../ports/views.js';

/** The declared collection. @throws LedgerError `internal` when the projection has no such collection. */
export function collectionOf(spec: ProjectionSpec, name: string): CollectionSpec {
  const collection = spec.collections.find((candidate) => candidate.name === name);
  return collection ?? fail('internal', `the projection ${spec.name} has no collection ${name}`);
}

/**
 * The index with the fields of `where`, in any order, followed by the sort field. A longer index does not serve: its
 * entries with one sort value are not in the order of the ids.
 * @throws LedgerError `internal` when none is declared, or when the query contradicts itself.
 */
export function indexFor(collection: CollectionSpec, query: ViewQuery): readonly string[] {
  checkShape(query);
  const equal = Object.keys(query.where);
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

/** The declared total on exactly the fields of `where`. @throws LedgerError `internal` when there is none. */
export function totalFor(collection: CollectionSpec, where: ViewQuery['where']): readonly string[] {
  const equal = Object.keys(where);
  const total = (collection.totals ?? []).find(
    (fields) => fields.length === equal.length && equal.every((field) => fields.includes(field)),
  );
  return total ?? fail('internal', `${collection.name} keeps no total by (${equal.join(', ')})`);
}

function checkShape({ after, offset, limit }: ViewQuery): void {
  if (after !== undefined && offset !== undefined)
    fail('internal', 'a query has a cursor or an offset, not both');
  if (!Number.isSafeInteger(limit) || limit < 1) fail('internal', 'the limit of a query must be 1 or more');
  if (offset !== undefined && (!Number.isSafeInteger(offset) || offset < 0)) {
    fail('internal', 'the offset of a query must be 0 or more');
  }
}
