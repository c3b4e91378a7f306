/** A query as SQL. The declared index alone finds the page; then only the page's documents are read. */
import type { CollectionSpec } from '../../../domain/projection.js';
import type { ViewQuery } from '../../../ports/views.js';
import { jsonList } from '../json-list.js';
import { documentsTable, foldedText, indexName, isThere, quoted, storedRow } from './layout.js';
import { columnValue, filtersOf, sparseField } from '../../shared/view-columns.js';
import { foldCase } from '../../shared/view-search.js';

/** SQL with its parameters. */
export type Sql = { sql: string; params: readonly (string | number)[] };

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
  const page = selecting(`SELECT _id FROM ${indexed(projection, build, collection, index)}`, [
    ...matching(index, collection, query),
    ...cursor(query),
    ...range(query),
  ]);
  // The inner select skips entries of the index, never documents. The outer one takes its rows in their order.
  const sql = `
    (SELECT ${jsonList(`(SELECT ${storedRow(collection)} FROM ${table} AS kept WHERE _id = page._id)`)}
     FROM (${page.sql} ORDER BY ${sort} ${order}, _id ${order} LIMIT ? OFFSET ?) AS page)`;
  return { sql, params: [...page.params, query.limit + 1, query.offset ?? 0] };
}

/** How many documents match, without a cursor and with the range where it counts, by the entries of the index alone. */
export function countColumn(
  projection: string,
  build: number,
  collection: CollectionSpec,
  index: readonly string[],
  query: ViewQuery,
): Sql {
  const { sql, params } = selecting(`SELECT count(*) FROM ${indexed(projection, build, collection, index)}`, [
    ...matching(index, collection, query),
    ...(query.total === 'counted' ? range(query) : []),
  ]);
  return { sql: `(${sql})`, params };
}

function indexed(
  projection: string,
  build: number,
  collection: CollectionSpec,
  index: readonly string[],
): string {
  const table = documentsTable(projection, build, collection.name);
  return `${table} INDEXED BY ${indexName(projection, build, collection.name, index)}`;
}

function selecting(select: string, conditions: readonly Sql[]): Sql {
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
  return { sql: `${select}${where}`, params: conditions.flatMap(({ params }) => params) };
}

function matching(index: readonly string[], collection: CollectionSpec, query: ViewQuery): Sql[] {
  return [
    ...equals(index, collection, query),
    ...containing(collection, query),
    ...withParts(query),
    ...withNumbers(query),
  ];
}

function containing(collection: CollectionSpec, { contains }: ViewQuery): Sql[] {
  return (contains ?? []).map((each) => ({
    sql: `instr(${foldedText(collection)}, ?) > 0`,
    params: [foldCase(each)],
  }));
}

function withParts({ parts = [] }: ViewQuery): Sql[] {
  return parts.map(({ field, part, not = false }) => {
    const has = `typeof(${quoted(field)}) = 'text' AND instr(${quoted(field)}, ?) > 0`;
    return { sql: not ? `NOT (${has})` : has, params: [part] };
  });
}

/** Of bytes, which SQLite finds by their number; characters it would count from the first one on, for each entry. */
function withNumbers({ among }: ViewQuery): Sql[] {
  if (among === undefined) return [];
  const field = quoted(among.field);
  // One condition: with many, SQLite takes the page for so short that it reads and sorts all of it.
  const sql = `iif(${field} < 0, NULL, substr(CAST(? AS BLOB), ${field} + 1, 1)) = X'31'`;
  return [{ sql, params: [among.digits] }];
}

/** The index begins with the fields before its sort field, and ends with those by which queries filter besides. */
function equals(index: readonly string[], collection: CollectionSpec, query: ViewQuery): Sql[] {
  const sparse = sparseField(collection, index);
  const equal = [...index.slice(0, -1), ...filtersOf(query, index)].map((field) => ({
    sql: `${quoted(field)} = ?`,
    params: [columnValue(query.where[field], field)],
  }));
  return sparse === undefined ? equal : [...equal, { sql: isThere(sparse), params: [] }];
}

function cursor({ sort: { field, direction }, after }: ViewQuery): Sql[] {
  if (after === undefined) return [];
  const operator = direction === 'ascending' ? '>' : '<';
  const params = [columnValue(after.value, field), after.id];
  return [{ sql: `(${quoted(field)}, _id) ${operator} (?, ?)`, params }];
}

/** Only values of the bounds' type: SQLite sorts numbers before texts, and null as the smallest number. */
function range({ range: wanted = {}, sort, after }: ViewQuery): Sql[] {
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
    return { sql: `${plus}${quoted(sort.field)} ${operator} ?`, params: [value] };
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
