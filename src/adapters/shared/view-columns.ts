/** The indexed fields of documents: how every store of views names them and what it stores for them. */
import type { CollectionSpec, ProjectionSpec } from '../../domain/projection.js';
import { fail } from '../../errors.js';
import type { DocumentKey, ViewQuery } from '../../ports/views.js';
import { collectionOf } from './view-indexes.js';
import { scalarOf } from './view-totals.js';

/** Every field of any index, once. */
export function columnsOf({ indexes, filterable = [] }: CollectionSpec): string[] {
  return [...new Set([...indexes.flat(), ...filterable])].sort();
}

/** The field whose null an index leaves out; undefined where it has all documents. */
export function sparseField({ sparse = [] }: CollectionSpec, index: readonly string[]): string | undefined {
  return sparse.find((field) => field === index[0]);
}

/** The fields by which a query filters besides its index. */
export function filtersOf({ where }: Pick<ViewQuery, 'where'>, index: readonly string[]): string[] {
  return Object.keys(where).filter((field) => !index.includes(field));
}

/**
 * Whether a build, as it was made, has the fields by which a query filters besides. Without one, a store would find no
 * document: MongoDB sees a field that none has, and SQLite takes the name of the column for a text.
 */
export function hasFilters(
  made: CollectionSpec,
  query: Pick<ViewQuery, 'where' | 'parts' | 'among'>,
  index: readonly string[],
): boolean {
  const fields = [...filtersOf(query, index), ...(query.parts ?? []).map(({ field }) => field)];
  if (query.among !== undefined) fields.push(query.among.field);
  return fields.every((field) => columnsOf(made).includes(field));
}

/**
 * The value that a store keeps for an indexed field. Null and a missing field are kept as -Infinity, the smallest
 * number, which JSON cannot hold. So null equals itself, sorts first, and has a place in a cursor. SQL's NULL does none
 * of that, and MongoDB would have to read the document to tell its null from a missing field.
 * @throws AppError `internal` when the field holds a list or an object.
 */
export function columnValue(value: unknown, field: string): string | number {
  const scalar = scalarOf(value, field);
  if (scalar === null) return -Infinity;
  // SQLite's driver aborts the whole process when it gets a boolean.
  return typeof scalar === 'boolean' ? Number(scalar) : scalar;
}

/**
 * Checks the name of a projection, a collection or a field, and returns it. Lower case only: SQLite takes `a` and `A`
 * for the same name. Names of the stores' own begin with `_`.
 * @throws AppError `internal`
 */
export function checkName(name: string): string {
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    fail('internal', `not a name for a projection, collection or field: ${name}`);
  return name;
}

/** The indexes of the keys by collection: a store loads the documents of one collection at once. */
export function keysByCollection(
  spec: Pick<ProjectionSpec, 'name' | 'collections'>,
  keys: readonly DocumentKey[],
): ReadonlyMap<string, readonly number[]> {
  const byCollection = new Map<string, number[]>();
  keys.forEach(({ collection }, index) => {
    const known = byCollection.get(collectionOf(spec, collection).name);
    if (known === undefined) byCollection.set(collection, [index]);
    else known.push(index);
  });
  return byCollection;
}
