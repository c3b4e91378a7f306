/** A query as SQL. The declared index alone finds the page; then only the page's documents are read. */
import type { CollectionSpec } from '../../../domain/projection.js';
import type { ViewQuery } from '../../../ports/views.js';
import { jsonList } from '../json-list.js';
import { documentsTable, foldedText, indexName, isThere, quoted, storedRow } from './layout.js';
import { isUnique, mergedIndex } from './merged-index.js';
import { storedValue } from './packing.js';
import { columnValue, filtersOf, sparseField } from '../../shared/view-columns.js';
import { foldCase } from '../../shared/view-search.js';

/** SQL with its parameters. */
export type Sql = { sql: string; params: readonly (string | number)[] };

/** The value of a column, for a value of a document's field. */
type Stored = (field: string, value: unknown) => string | number;

type Bound = { side: 'lower' | 'upper'; operator: string; value: string | number };

/**
 * The page as one JSON text, a list of rows (`StoredRow`). It has one row more than the limit where more follow. Parsing
 * a whole page is a third faster than parsing each document. `collection` is as the build was made.
 * `INDEXED BY` makes a missing index an error instead of a slow answer.
 */
export function pageColumn(
  projection: string,
  build: number,
  collection: CollectionSpec,
  index: readonly string[],
  query: ViewQuery,
): Sql {
  const table = documentsTable(projection, build, collection.name);
  const sort = quoted(query.sort.field);
  const order = query.sort.direction === 'ascending' ? 'ASC' : 'DESC';
  const stored = storedIn(collection);
  const withoutIds = isUnique(collection, index);
  const conditions = [
    ...containing(collection, query),
    ...cursor(query, stored, withoutIds),
    ...range(query, stored),
  ];
  const parts = indexParts(projection, build, collection, index, query).map(({ from, equal }) =>
    selecting(`SELECT rowid AS _row, ${sort} AS _sort${withoutIds ? '' : ', _id'} FROM ${from}`, [
      ...equal,
      ...conditions,
    ]),
  );
  // The inner select skips entries of the index, never documents. The outer one takes its rows in their order. The
  // query's own names begin with `_`, which no field's name does, because ORDER BY prefers an alias.
  const sql = `
    (SELECT ${jsonList(`(SELECT ${storedRow(collection)} FROM ${table} AS kept WHERE rowid = page._row)`)}
     FROM (${parts.map((each) => each.sql).join(' UNION ALL ')}
           ORDER BY _sort ${order}${withoutIds ? '' : `, _id ${order}`} LIMIT ? OFFSET ?) AS page)`;
  return { sql, params: [...parts.flatMap(({ params }) => params), query.limit + 1, query.offset ?? 0] };
}

/** How many documents match `where` and `contains`, by the entries of the index alone. */
export function countColumn(
  projection: string,
  build: number,
  collection: CollectionSpec,
  index: readonly string[],
  query: ViewQuery,
): Sql {
  const counts = indexParts(projection, build, collection, index, query).map(({ from, equal }) =>
    selecting(`SELECT count(*) FROM ${from}`, [...equal, ...containing(collection, query)]),
  );
  return {
    sql: `(${counts.map(({ sql }) => `(${sql})`).join(' + ')})`,
    params: counts.flatMap(({ params }) => params),
  };
}

/** Where to look for a part of the documents: all of an index, or one of the values by which an index is merged. */
type IndexPart = { from: string; equal: Sql[] };

function indexParts(
  projection: string,
  build: number,
  collection: CollectionSpec,
  index: readonly string[],
  query: ViewQuery,
): IndexPart[] {
  const merged = mergedIndex(collection, index);
  const used = merged?.longer ?? index;
  const table = documentsTable(projection, build, collection.name);
  const from = `${table} INDEXED BY ${indexName(projection, build, collection.name, used)}`;
  const equal = equals(collection, index, query);
  if (merged === null) return [{ from, equal }];
  const condition = `${quoted(merged.field)} = ?`;
  return merged.values.map((value) => ({ from, equal: [...equal, { sql: condition, params: [value] }] }));
}

function selecting(select: string, conditions: readonly Sql[]): Sql {
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
  return { sql: `${select}${where}`, params: conditions.flatMap(({ params }) => params) };
}

function storedIn(collection: CollectionSpec): Stored {
  return (field, value) => storedValue(collection, field, columnValue(value, field));
}

function containing(collection: CollectionSpec, { contains }: ViewQuery): Sql[] {
  if (contains === undefined) return [];
  return [{ sql: `instr(${foldedText(collection)}, ?) > 0`, params: [foldCase(contains)] }];
}

/** The index begins with the fields before its sort field, and ends with those by which queries filter besides. */
function equals(collection: CollectionSpec, index: readonly string[], query: ViewQuery): Sql[] {
  const stored = storedIn(collection);
  const sparse = sparseField(collection, index);
  const equal = [...index.slice(0, -1), ...filtersOf(query, index)].map((field) => ({
    sql: `${quoted(field)} = ?`,
    params: [stored(field, query.where[field])],
  }));
  return sparse === undefined ? equal : [...equal, { sql: isThere(sparse), params: [] }];
}

function cursor(
  { sort: { field, direction }, after }: ViewQuery,
  stored: Stored,
  withoutIds: boolean,
): Sql[] {
  if (after === undefined) return [];
  const operator = direction === 'ascending' ? '>' : '<';
  if (withoutIds) return [{ sql: `${quoted(field)} ${operator} ?`, params: [stored(field, after.value)] }];
  return [
    {
      sql: `(${quoted(field)}, _id) ${operator} (?, ?)`,
      params: [stored(field, after.value), after.id],
    },
  ];
}

/** Only values of the bounds' type: SQLite sorts numbers before texts, and null as the smallest number. */
function range({ range: wanted = {}, sort, after }: ViewQuery, stored: Stored): Sql[] {
  const { from, to, exclusive = false } = wanted;
  if (from === undefined && to === undefined) return [];
  const bounds = [
    from === undefined ? lowest(typeof to) : { side: 'lower', operator: exclusive ? '>' : '>=', value: from },
    to === undefined ? highest(typeof from) : { side: 'upper', operator: exclusive ? '<' : '<=', value: to },
  ].filter((bound): bound is Bound => bound !== null);
  const nearer = sort.direction === 'ascending' ? 'lower' : 'upper';
  return bounds.map(({ side, operator, value }) => {
    // With a `+`, SQLite does not enter the index by this bound: a cursor on the same side is the nearer place to
    // begin.
    const plus = after !== undefined && side === nearer ? '+' : '';
    return { sql: `${plus}${quoted(sort.field)} ${operator} ?`, params: [stored(sort.field, value)] };
  });
}

function lowest(type: string): Bound {
  return type === 'string'
    ? { side: 'lower', operator: '>=', value: '' }
    : { side: 'lower', operator: '>', value: -Infinity };
}

function highest(type: string): Bound | null {
  return type === 'string' ? null : { side: 'upper', operator: '<', value: '' };
}
