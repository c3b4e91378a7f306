/** How builds are stored in the file: the names of tables, columns and indexes. */
import { join } from 'node:path';
import type { CollectionSpec, Document, ProjectionSpec } from '../../../domain/projection.js';
import type { SqliteFile } from '../errors.js';
import { jsonList } from '../json-list.js';
import type { Migrations } from '../migrations.js';
import { checkName, columnsOf, sparseField } from '../../shared/view-columns.js';
import { FOLDED, foldedOf, indexKey } from '../../shared/view-search.js';
import { isUnique, mergedIndex } from './merged-index.js';

/**
 * The builds of each projection. `collections` describes the tables of a build, whatever the code declares now, and
 * `event_position` is empty until a commit names an event. `checkpoints` has a row for each position of a build, and
 * `templates` what packed documents share (`packing.ts`).
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
  CREATE TABLE templates (
    projection TEXT NOT NULL,
    build INTEGER NOT NULL,
    id INTEGER NOT NULL,
    collection TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (projection, build, id)
  ) WITHOUT ROWID;`;

/**
 * The layout of a file of read models. The tables of a build are not part of it: a projection with another layout has a
 * higher version, and is rebuilt.
 */
export const VIEWS_MIGRATIONS: Migrations = [REGISTRY];

export type ViewsFile = {
  folder: string;
  /**
   * A file has one writer at a time. The outbox has a file of its own, so that its writer never waits for the other
   * one.
   */
  file?: 'views.sqlite' | 'publication.sqlite';
};

export function viewsStore(folder: string, file: ViewsFile['file'] = 'views.sqlite'): SqliteFile {
  return {
    file: join(folder, file),
    code: 'views_unavailable',
    damaged: 'Stop the server and delete it, with its -wal and -shm: it is rebuilt from the log.',
    migrations: VIEWS_MIGRATIONS,
  };
}

/** The statements that make the tables and indexes of a build. @throws LedgerError `internal` for a bad name. */
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
        `CREATE TABLE ${table} (${['_id TEXT PRIMARY KEY NOT NULL', ...columns, '_doc TEXT NOT NULL'].join(', ')})`,
        ...storedIndexes(collection).map((fields) => {
          const index = indexName(name, build, collection.name, fields);
          const key = keyOf(collection, fields).map(quoted).join(', ');
          const sparse = sparseField(collection, fields);
          return `CREATE INDEX ${index} ON ${table} (${key})${sparse === undefined ? '' : ` WHERE ${isThere(sparse)}`}`;
        }),
      ];
    }),
  ];
}

/** Those that are in the file. Each of the others is merged out of one of these. */
function storedIndexes(collection: CollectionSpec): (readonly string[])[] {
  return collection.indexes.filter((fields) => mergedIndex(collection, fields) === null);
}

/** The columns of an index. Where its values tell documents apart, their ids need not be in it. */
function keyOf(collection: CollectionSpec, fields: readonly string[]): string[] {
  return indexKey(collection, fields).filter((field) => field !== '_id' || !isUnique(collection, fields));
}

const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * The folded text of a document as it is stored: empty where its field is printable ASCII, as nearly all names are.
 * SQLite knows the upper case of ASCII, and no other.
 */
export function storedFolded(collection: CollectionSpec, document: Document): string {
  const value = collection.searchable === undefined ? null : document[collection.searchable];
  return typeof value === 'string' && PRINTABLE_ASCII.test(value) ? '' : foldedOf(collection, document);
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
  return [
    ...[totalsTable(name, build), ...tables].map((table) => `DROP TABLE ${table}`),
    `DELETE FROM templates WHERE projection = '${name}' AND build = ${build}`,
  ];
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
  return `(SELECT ${jsonList(`coalesce(${storedRow(collection)}, 'null')`)}
           FROM json_each(?) AS asked LEFT JOIN ${table} AS kept ON kept._id = asked.value)`;
}

/** A statement that takes an id and answers the columns of its row, and its document last. */
export function documentById(projection: string, build: number, collection: CollectionSpec): string {
  const columns = columnsOf(collection).map((field) => `${quoted(field)}, `);
  return `SELECT ${columns.join('')}_doc FROM ${documentsTable(projection, build, collection.name)} WHERE _id = ?`;
}

/** The expression of a row of the table `kept` as JSON: a `StoredRow`. */
export function storedRow(collection: CollectionSpec): string {
  const key = ['_id', ...columnsOf(collection)].map((column) => `kept.${quoted(column)}`).join(', ');
  return `'[' || json_array(${key}) || ',' || kept._doc || ']'`;
}
