/** Documents by their ids: one statement and one parse, however many they are. */
import { documentsTable } from './layout.js';

/** A subselect that takes a JSON list of ids and answers one of their documents, null where there is none. */
export function documentsById(projection: string, build: number, collection: string): string {
  const table = documentsTable(projection, build, collection);
  return `(SELECT '[' || coalesce(group_concat(coalesce(_doc, 'null')), '') || ']'
           FROM json_each(?) AS asked LEFT JOIN ${table} ON _id = asked.value)`;
}

/** A statement that takes an id and answers its document. */
export function documentById(projection: string, build: number, collection: string): string {
  return `SELECT _doc FROM ${documentsTable(projection, build, collection)} WHERE _id = ?`;
}
