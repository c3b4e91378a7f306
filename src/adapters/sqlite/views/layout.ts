/** How builds are stored in the file: the names of tables, columns and indexes. */
import { join } from 'node:path';
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import type { SqliteDatabase } from '../database.js';
import {
  shortTexts,
  storedAsJson,
  storedFromJson,
  withParts,
  type Stored,
  type StoredJson,
} from '../short-texts.js';
import type { SqliteFile } from '../errors.js';
import { jsonList } from '../json-list.js';
import type { Migrations } from '../migrations.js';
import { checkName, columnsOf, sparseField } from '../../shared/view-columns.js';
import { FOLDED, foldedOf, indexKey } from '../../shared/view-search.js';
import { DOCUMENT_PARTS } from './parts.js';

/**
 * The builds of each projection. `collections` describes the tables of a build, whatever the code declares now, and
 * `event_position` is empty until a commit names an event. `checkpoints` has a row for each position of a build. `parts`
 * has what the documents of this file have in common, whatever the code has now.
 */
const REGISTRY = `
  CREATE TABLE builds (
    projection TEXT NOT NULL,
    build INTEGER NOT NULL,
    version INTEGER NOT NULL,
    live INTEGER NOT NULL,
    collections TEXT NOT NULL,
    event_position TEXT NOT NULL DEFAULT '',
    event_id TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (projection, build)
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX one_live_build ON builds (projection) WHERE live = 1;
  CREATE TABLE checkpoints (
    projection TEXT NOT NULL,
    build INTEGER NOT NULL,
    partitions TEXT NOT NULL,
    position TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    PRIMARY KEY (projection, build, partitions)
  ) WITHOUT ROWID;
  ${withParts(DOCUMENT_PARTS)}`;

/**
 * The layout of a file of read models. The tables of a build are not part of it: a projection with another layout has a
 * higher version, and is rebuilt.
 */
export const VIEWS_MIGRATIONS: Migrations = [REGISTRY];

export type ViewsFile = {
  folder: string;
  /**
   * A file has one writer at a time. The history has a file of its own, so that its writer never waits for the other
   * one.
   */
  file?: 'records.sqlite' | 'history.sqlite';
};

export function viewsStore(folder: string, file: ViewsFile['file'] = 'records.sqlite'): SqliteFile {
  return {
    file: join(folder, file),
    code: 'views_unavailable',
    damaged: 'Stop the server and delete it, with its -wal and -shm: it is rebuilt from the log.',
    migrations: VIEWS_MIGRATIONS,
  };
}

/** The statements that make the tables and indexes of a build. @throws AppError `internal` for a bad name. */
export function createBuild({ name, collections }: ProjectionSpec, build: number): string[] {
  checkName(name);
  return [
    `CREATE TABLE ${totalsTable(name, build)} (
       collection TEXT NOT NULL, fields TEXT NOT NULL, vals TEXT NOT NULL, n INTEGER NOT NULL,
       PRIMARY KEY (collection, fields, vals)
     ) WITHOUT ROWID`,
    ...collections.flatMap((collection) => {
      checkName(collection.name);
      const table = documentsTable(name, build, collection.name);
      // Columns without a type keep numbers and texts apart, as JSON does.
      const columns = columnsOf(collection).map((field) => `${quoted(checkName(field))} NOT NULL`);
      if (collection.searchable !== undefined) columns.push(`${FOLDED} TEXT NOT NULL`);
      return [
        `CREATE TABLE ${table} (${['_id TEXT PRIMARY KEY NOT NULL', ...columns, '_doc ANY NOT NULL'].join(', ')})`,
        ...collection.indexes.map((fields) => {
          const index = indexName(name, build, collection.name, fields);
          const key = indexKey(collection, fields).map(quoted).join(', ');
          const sparse = sparseField(collection, fields);
          return `CREATE INDEX ${index} ON ${table} (${key})${sparse === undefined ? '' : ` WHERE ${isThere(sparse)}`}`;
        }),
      ];
    }),
  ];
}

/** Printable ASCII, and punctuation, which has no case: reporters join the parts of a name by `›`. */
const ASCII_CASE = /^[ -~\u2010-\u205e]*$/;

/**
 * The folded text of a document as it is stored: empty where its field has no other letters than ASCII, as nearly all
 * names. SQLite knows the upper case of ASCII, and no other.
 */
export function storedFolded(collection: CollectionSpec, document: Document): string {
  const value = collection.searchable === undefined ? null : document[collection.searchable];
  return typeof value === 'string' && ASCII_CASE.test(value) ? '' : foldedOf(collection, document);
}

/** The folded text of a row, whether it is stored or not. Unquoted, so that a build without the column is an error. */
export function foldedText({ searchable }: CollectionSpec): string {
  if (searchable === undefined) return FOLDED;
  const field = quoted(searchable);
  return `iif(${FOLDED} = '' AND typeof(${field}) = 'text', upper(${field}), ${FOLDED})`;
}

/** The condition of a sparse index. SQLite enters such an index only for a query that has the very same condition. */
export function isThere(field: string): string {
  return `${quoted(field)} <> -9e999`;
}

/** The statements that drop the tables of a build. */
export function dropBuild(name: string, build: number, collections: readonly CollectionSpec[]): string[] {
  const tables = collections.map((collection) => documentsTable(name, build, collection.name));
  return [totalsTable(name, build), ...tables].map((table) => `DROP TABLE ${table}`);
}

export function documentsTable(projection: string, build: number, collection: string): string {
  return quoted(`${projection}.${build}.${collection}`);
}

export function totalsTable(projection: string, build: number): string {
  return quoted(`${projection}.${build}#totals`);
}

export function indexName(
  projection: string,
  build: number,
  collection: string,
  fields: readonly string[],
): string {
  return quoted(`${projection}.${build}.${collection}(${fields.join(',')})`);
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * A subselect that takes a JSON list of ids and answers one JSON list of their rows (`StoredRow`), null for an id without
 * one: one statement and one parse for any number of documents.
 */
export function documentsById(projection: string, build: number, collection: CollectionSpec): string {
  const table = documentsTable(projection, build, collection.name);
  return `(SELECT ${jsonList(`iif(kept._id IS NULL, 'null', ${storedRow(collection)})`)}
           FROM json_each(?) AS asked LEFT JOIN ${table} AS kept ON kept._id = asked.value)`;
}

/** A row as it is read: its document, its id and its columns. */
export type StoredRow = readonly [document: StoredJson, id: string, ...columns: unknown[]];

/** The expression of a row of the table `kept` as JSON: a `StoredRow`. */
export function storedRow(collection: CollectionSpec): string {
  const key = keyOf(collection).map((column) => `kept.${column}`);
  return `'[' || ${storedAsJson('kept._doc')} || ',' || substr(json_array(${key.join(', ')}), 2)`;
}

/** A statement that takes an id and answers the document of its row, its id and its columns. */
export function documentById(projection: string, build: number, collection: CollectionSpec): string {
  const table = documentsTable(projection, build, collection.name);
  return `SELECT _doc, ${keyOf(collection).join(', ')} FROM ${table} WHERE _id = ?`;
}

function keyOf(collection: CollectionSpec): string[] {
  return ['_id', ...columnsOf(collection).map(quoted)];
}

export type DocumentText = {
  /** `key`: the id and the columns of its row. */
  stored(key: readonly unknown[], document: Document): Stored;
  read(key: readonly unknown[], stored: Stored): Document;
  readRow(row: StoredRow): Document;
};

/** How the documents of this file are stored: as JSON, without the texts that their rows have. */
export function documentText(database: SqliteDatabase): DocumentText {
  const { stored, textOf } = shortTexts(database);
  const read: DocumentText['read'] = (key, text) => JSON.parse(textOf(text, key)) as Document;
  return {
    stored: (key, document) => stored(document, key),
    read,
    readRow: ([document, ...key]) => read(key, storedFromJson(document)),
  };
}
