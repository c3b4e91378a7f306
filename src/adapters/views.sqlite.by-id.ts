/** Documents by their ids: one statement and one parse, however many they are. */
import { isStorableText } from './sqlite.text.js';
import { documentsTable } from './views.sqlite.layout.js';

/** A subselect that takes the parameter below and answers a JSON list: a document, or null, for each id. */
export function documentsById(projection: string, build: number, collection: string): string {
  const table = documentsTable(projection, build, collection);
  return `(SELECT '[' || coalesce(group_concat(coalesce(_doc, 'null')), '') || ']'
           FROM json_each(?) AS asked LEFT JOIN ${table} ON _id = asked.value)`;
}

/** A statement that takes a projection and an id: the number of the live build, and the document of this one. */
export function documentAndBuild(projection: string, build: number, collection: string): string {
  const table = documentsTable(projection, build, collection);
  return `SELECT (SELECT build FROM builds WHERE projection = ? AND live = 1), _doc FROM ${table} WHERE _id = ?`;
}

/** An id that cannot be stored must find nothing: SQLite would look for the part before its NUL. */
export function idsParameter(ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => (isStorableText(id) ? id : '')));
}
