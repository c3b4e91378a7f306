/** Documents by their ids, and from the same moment what the marker says of their build. */
import type { ClientSession, Db } from 'mongodb';
import type { Document } from '../../../domain/projection.js';
import { isStorableText } from '../../storable-text.js';
import { documentsOf, MARKER, snapshot, type Stored } from './layout.js';

export type ById = {
  /** `live`, `beside` it, or `gone`: promoted over, or dropped. */
  build: 'live' | 'beside' | 'gone';
  /** In the order of the ids, null where there is none. */
  documents: (Document | null)[];
};

export async function documentsById(
  db: Db,
  session: ClientSession,
  build: string,
  collection: string,
  ids: readonly string[],
): Promise<ById> {
  // An id that cannot be stored might be taken for another, or for one of our own records.
  const asked = [MARKER, ...ids.filter(isStorableText)];
  const rows = await documentsOf(db, build, collection)
    .find({ _id: { $in: asked } }, { session, hint: '_id_', batchSize: asked.length + 1, ...snapshot })
    .toArray();
  const marker = rows.find(({ _id }) => _id === MARKER);
  const documents = parsed(rows.filter(({ _id }) => _id !== MARKER));
  return {
    build: marker === undefined || marker._gone === true ? 'gone' : marker._live === true ? 'live' : 'beside',
    documents: ids.map((id) => documents.get(id) ?? null),
  };
}

/** Parsing all at once is a third faster than parsing each. */
export function parsed(rows: readonly Stored[]): Map<string, Document> {
  const documents = JSON.parse(`[${rows.map(({ _doc }) => _doc).join()}]`) as Document[];
  return new Map(rows.map(({ _id }, n) => [_id, documents[n] as Document]));
}
