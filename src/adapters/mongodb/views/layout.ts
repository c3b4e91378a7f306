/** How builds are stored in the database: their collections, indexes and documents. */
import { randomBytes } from 'node:crypto';
import type { Binary, ClientSession, Collection, Db, IndexDescription } from 'mongodb';
import type { Scalar } from '../../shared/view-totals.js';
import type { Checkpoint, FoldedEvent } from '../../../ports/views.js';
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import { isStorableText } from '../../shared/storable-text.js';
import { checkName, columnsOf, columnValue, sparseField } from '../../shared/view-columns.js';
import { FOLDED, foldedOf, indexKey } from '../../shared/view-search.js';

/**
 * One build, in the collection `builds`, with its checkpoints. It becomes `ready` when all its collections are made, and
 * `retired` before any is dropped, so everything that a crash leaves behind is found from here.
 */
export type BuildDocument = {
  /** Begins the names of its collections. It is never used again, even where a number is. */
  _id: string;
  projection: string;
  build: number;
  version: number;
  checkpoints: Checkpoint[];
  /** Missing until a commit names an event. */
  lastEvent?: FoldedEvent;
  live: boolean;
  state: 'making' | 'ready' | 'retired';
  /** The collections as they were made, whatever the code declares now. */
  collections: CollectionSpec[];
  /** The session in which its writer commits. The next writer ends what that session left open. */
  session: Binary | null;
};

/**
 * A document as JSON, which keeps every key and their order, beside its indexed fields. The marker and the totals are
 * in the same collection, so that one read sees all of them at one moment.
 */
export type StoredDocument = { _id: string; _doc?: string; _live?: boolean; _gone?: boolean; _n?: number };

/** The id of the marker, which says whether the collection's build is live or gone. No document has this id. */
export const MARKER = '';

/** The id of the count in an answer. It is never stored. */
export const COUNTED = '\0counted';

const LIVE = 'one_live_build';
const NUMBER = 'one_build_of_a_number';
const STATE = 'builds_by_state';

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

export function indexesOf(collection: CollectionSpec): IndexDescription[] {
  checkName(collection.name);
  return collection.indexes.map((fields) => {
    const sparse = sparseField(collection, fields);
    return {
      name: indexName(fields),
      key: Object.fromEntries(indexKey(collection, fields.map(checkName)).map((field) => [field, 1])),
      // Null is stored as a number. The server enters the index for a text, because no other value is equal to one.
      ...(sparse !== undefined && { partialFilterExpression: { [sparse]: { $gte: '' } } }),
    };
  });
}

export function indexName(fields: readonly string[]): string {
  return fields.join();
}

/** @throws AppError `internal` when an indexed field holds a list or an object. */
export function storedOf(collection: CollectionSpec, id: string, document: Document): StoredDocument {
  const values = columnsOf(collection).map((field) => [field, columnValue(document[field], field)]);
  if (collection.searchable !== undefined) values.push([FOLDED, foldedOf(collection, document)]);
  return { _id: id, ...(Object.fromEntries(values) as object), _doc: JSON.stringify(document) };
}

/** Begins with NUL, as no id of a document does. */
export function totalId(fields: readonly string[], values: readonly (Scalar | undefined)[]): string {
  return `\0${JSON.stringify([fields, values])}`;
}

/** Reads one moment that a majority of the servers has, so it is never undone. */
export const snapshot = { readConcern: { level: 'snapshot' }, maxTimeMS: 5_000 } as const;

/** Documents by their ids, and the state of their build at the same moment. */
export type DocumentsFound = {
  /** The build is live, or beside the live one. `gone`: another build replaced it, or it was dropped. */
  build: 'live' | 'beside' | 'gone';
  /** In the order of the ids, null for an id without a document. */
  documents: (Document | null)[];
};

export async function documentsById(
  db: Db,
  session: ClientSession,
  build: string,
  collection: string,
  ids: readonly string[],
): Promise<DocumentsFound> {
  // An id that cannot be stored could be mistaken for another one, or for a record of the adapter's own.
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

/** Parsing all of them at once is a third faster than parsing each. */
export function parsed(rows: readonly StoredDocument[]): Map<string, Document> {
  const documents = JSON.parse(`[${rows.map(({ _doc }) => _doc).join()}]`) as Document[];
  return new Map(rows.map(({ _id }, n) => [_id, documents[n] as Document]));
}
