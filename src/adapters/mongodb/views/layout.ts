/** How builds lie in the database: collections, their indexes, and what a stored document holds. */
import { randomBytes } from 'node:crypto';
import type { Binary, ClientSession, Collection, Db, IndexDescription } from 'mongodb';
import type { Scalar } from '../../shared/view-totals.js';
import type { Position } from '../../../domain/event.js';
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import { isStorableText } from '../../shared/storable-text.js';
import { checkName, columnValue } from '../../shared/view-columns.js';

/**
 * One build, in the collection `builds`. `position` and `epoch` are its checkpoint. It becomes `ready` when all its
 * collections are made, and `retired` before any is dropped: what a crash leaves behind is always found from here.
 */
export type BuildDocument = {
  /** Begins the names of its collections; never used again, also where a number is. */
  _id: string;
  projection: string;
  build: number;
  version: number;
  position: Position;
  epoch: number;
  live: boolean;
  state: 'making' | 'ready' | 'retired';
  /** What it was made with, whatever the code declares now. */
  collections: CollectionSpec[];
  /** The session in which its writer commits: its successor ends what that one left open. */
  session: Binary | null;
};

/**
 * A document as JSON, which keeps every key as it is and in its order, beside its indexed fields. A marker and the
 * totals lie in the same collection, so that one read sees all of them at one moment.
 */
export type StoredDocument = { _id: string; _doc?: string; _live?: boolean; _gone?: boolean; _n?: number };

/** The id of the marker that says whether the collection's build is live, or gone. No document has it. */
export const MARKER = '';

export const LIVE = 'one_live_build';
export const NUMBER = 'one_build_of_a_number';
export const STATE = 'builds_by_state';

export const registryIndexes: IndexDescription[] = [
  { name: LIVE, key: { projection: 1 }, unique: true, partialFilterExpression: { live: true } },
  {
    name: NUMBER,
    key: { projection: 1, build: 1 },
    unique: true,
    partialFilterExpression: { state: 'ready' },
  },
  { name: STATE, key: { projection: 1, state: 1 } },
];

export function registryOf(db: Db): Collection<BuildDocument> {
  return db.collection<BuildDocument>('builds');
}

export function documentsOf(db: Db, build: string, collection: string): Collection<StoredDocument> {
  return db.collection<StoredDocument>(documentsName(build, collection));
}

export function documentsName(build: string, collection: string): string {
  return `${build}.${collection}`;
}

export function newBuildId({ name }: ProjectionSpec, build: number): string {
  return `${checkName(name)}.${build}.${randomBytes(6).toString('hex')}`;
}

export function indexesOf({ name, indexes }: CollectionSpec): IndexDescription[] {
  checkName(name);
  return indexes.map((fields) => ({
    name: indexName(fields),
    key: Object.fromEntries([...fields.map(checkName), '_id'].map((field) => [field, 1])),
  }));
}

export function indexName(fields: readonly string[]): string {
  return fields.join();
}

/** @throws LedgerError `internal` when an indexed field holds a list or an object. */
export function storedOf(columns: readonly string[], id: string, document: Document): StoredDocument {
  const values = columns.map((field) => [field, columnValue(document[field], field)]);
  return { _id: id, ...(Object.fromEntries(values) as object), _doc: JSON.stringify(document) };
}

/** Begins with NUL, as no id of a document does. */
export function totalId(fields: readonly string[], values: readonly (Scalar | undefined)[]): string {
  return `\0${JSON.stringify([fields, values])}`;
}

/** Of one moment, which a majority has: it is never taken back. */
export const snapshot = { readConcern: { level: 'snapshot' }, maxTimeMS: 5_000 } as const;

/** Documents by their ids, and from the same moment what the marker says of their build. */
export type DocumentsFound = {
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
): Promise<DocumentsFound> {
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
export function parsed(rows: readonly StoredDocument[]): Map<string, Document> {
  const documents = JSON.parse(`[${rows.map(({ _doc }) => _doc).join()}]`) as Document[];
  return new Map(rows.map(({ _id }, n) => [_id, documents[n] as Document]));
}
