/** Documents by their ids: one statement and one parse, however many they are. */
import type { Document } from '../domain/projection.js';
import { isStorableText } from './sqlite.text.js';
import { documentsTable } from './views.sqlite.layout.js';

/** Takes the parameter below; one row, for `documentsFrom`. */
export function documentsByIds(projection: string, build: number, collection: string): string {
  const table = documentsTable(projection, build, collection);
  return `SELECT group_concat(coalesce(_doc, 'null')) FROM json_each(?) AS asked LEFT JOIN ${table} ON _id = asked.value`;
}

/** An id that cannot be stored must find nothing: SQLite would look for the part before its NUL. */
export function idsParameter(ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => (isStorableText(id) ? id : '')));
}

/** The documents in the first column of a row: the inside of a JSON list. */
export function documentsFrom(row: unknown): (Document | null)[] {
  const [list] = row as [string | null];
  return JSON.parse(`[${list ?? ''}]`) as (Document | null)[];
}
