/** The rows of events, as queries give them. */
import type { SqliteDatabase } from '../database.js';
import { jsonList, listIn } from '../json-list.js';

export type EventRow = [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  version: number,
  meta: string,
  data: string,
];

const AS_JSON = 'json_array(e.position, e.stream, e.revision, e.id, e.type, e.version, e.meta, e.data)';

/** Of meta and data. 250 of these are the 8 MiB at which a page ends. */
const LARGEST_IN_A_LIST = 32 * 1024;

/**
 * An `EventRow`, for the table `events` under the name `e`; but only the position of a large or deflated event. So a list of
 * many rows has a bound in bytes.
 */
export const EVENT_ROW_OR_POSITION = `
  iif(e.text_bytes IS NOT NULL OR octet_length(e.meta) + octet_length(e.data) > ${LARGEST_IN_A_LIST},
    e.position, ${AS_JSON}) AS "row"`;

/**
 * Prepares a query that selects one of the two. The query needs a LIMIT: without one, SQLite may merge it into the outer
 * query and lose its order.
 * @returns the function that takes the values of the query, and answers its rows in its order
 */
export function prepareRows(
  database: SqliteDatabase,
  query: string,
): (...values: unknown[]) => (EventRow | number)[] {
  const statement = database.prepare(`SELECT ${jsonList('"row"')} FROM (${query})`).raw();
  return (...values) => listIn(statement.get(values));
}
