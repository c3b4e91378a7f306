/** Reads the live builds, from any thread. */
import { existsSync } from 'node:fs';
import { positionIn } from '../../shared/checkpoints.js';
import type { Checkpoint, Found, ViewQuery, ViewReader } from '../../../ports/views.js';
import { collectionOf, indexFor, totalFor } from '../../shared/view-indexes.js';
import type { Partition } from '../../../domain/partition.js';
import type { CollectionSpec, Document } from '../../../domain/projection.js';
import { fail } from '../../../errors.js';
import type { SqliteDatabase, SqliteStatement } from '../database.js';
import { isStorableText } from '../../shared/storable-text.js';
import { inStore, openStore } from '../errors.js';
import type { Stored } from '../short-texts.js';
import { schemaVersion } from '../migrations.js';
import { openPositionWaits } from './position-waits.js';
import { countColumn, pageColumn, type Sql } from './find.js';
import { hasFilters } from '../../shared/view-columns.js';
import { cursorAt, failRebuilding } from '../../shared/view-rules.js';
import {
  documentsById,
  documentById,
  documentText,
  totalsTable,
  viewsStore,
  type DocumentText,
  type StoredRow,
  type ViewsFile,
} from './layout.js';
import { CHECKPOINTS_OF_LIVE, lastEventOf, type EventRow } from './registry.js';

/** A build as it was prepared, whatever the code declares now, and the statements on its tables. */
type LiveBuild = {
  build: number;
  collections: ReadonlyMap<string, CollectionSpec>;
  statements: Map<string, SqliteStatement>;
};

type OpenViews = {
  database: SqliteDatabase;
  live: SqliteStatement;
  checkpoints: SqliteStatement;
  lastEvent: SqliteStatement;
  text: DocumentText;
  lives: Map<string, LiveBuild>;
};

/** The columns of one row, a subselect each. Null for one that the build does not have. */
type Columns = readonly (Sql | null)[];

/**
 * Opens the read models of a folder for reading. The file need not exist: until the writer has made it, every
 * projection is at `START`, without documents.
 * One function, because all methods share the connection, which opens with the first read.
 */
export function openSqliteViewReader({ folder, file }: ViewsFile): ViewReader {
  const store = viewsStore(folder, file);
  let database: SqliteDatabase | null = null;
  let open: OpenViews | null = null;
  let closed = false;

  const connection = (): OpenViews | null => {
    if (open !== null) return open;
    if (closed) fail('views_unavailable', 'the read models are closed');
    if (database === null && !existsSync(store.file)) return null;
    database ??= openStore(store, {
      readonly: true,
      synchronous: 'NORMAL',
      busyTimeoutMs: 5_000,
    });
    // The writer makes the file first, and its tables a moment later.
    if (schemaVersion(database) < store.migrations.length) return null;
    open = prepareReads(database);
    return open;
  };

  const checkpoints = (projection: string): Checkpoint[] =>
    inStore(store, () => (connection()?.checkpoints.all([projection]) ?? []) as Checkpoint[]);

  const read = <T>(
    projection: string,
    none: T,
    columns: (live: LiveBuild) => Columns,
    result: (row: unknown[], text: DocumentText) => T,
  ): T =>
    inStore(store, () => {
      const current = connection();
      return (current === null ? null : readLive(current, projection, columns, result)) ?? none;
    });

  const positionWaits = openPositionWaits(folder, checkpoints);
  const position = async (projection: string, partition: Partition | undefined) =>
    positionIn(checkpoints(projection), partition);
  return {
    position: (projection, { partition, atLeast, timeoutMs = 0 } = {}) =>
      atLeast === undefined
        ? position(projection, partition)
        : positionWaits.wait({ projection, partition, atLeast, timeoutMs }),

    checkpoints: async (projection) => checkpoints(projection),
    lastEvent: async (projection) =>
      inStore(store, () => {
        const row = connection()?.lastEvent.get([projection]) as EventRow | undefined;
        return row === undefined ? null : lastEventOf(row);
      }),

    get: async (spec, collection, ids) => {
      const { name } = collectionOf(spec, collection);
      const [id] = ids;
      if (ids.length === 1 && id !== undefined) {
        const found = inStore(store, () => readOne(connection(), spec.name, name, id));
        if (found !== null) return [found];
      }
      return read(
        spec.name,
        ids.map(() => null),
        ({ build, collections }) => [
          collections.has(name)
            ? { sql: documentsById(spec.name, build, collections.get(name)!), params: [JSON.stringify(ids)] }
            : null,
        ],
        ([rows], { readRow }) =>
          (JSON.parse(rows as string) as (StoredRow | null)[]).map((row) =>
            row === null ? null : readRow(row),
          ),
      );
    },

    find: async (spec, collection, query) => {
      const declared = collectionOf(spec, collection);
      const index = indexFor(declared, query);
      const total = totalFor(declared, query);
      return read<Found>(
        spec.name,
        { items: [], next: null, ...(total === null ? {} : { total: 0 }) },
        (live) => {
          const stored = live.collections.get(collection);
          if (stored === undefined || !hasFilters(stored, query, index)) return [null];
          return [
            pageColumn(spec.name, live.build, stored, index, query),
            ...(total === null
              ? []
              : total === 'counted'
                ? [countColumn(spec.name, live.build, stored, index, query)]
                : [countOf(spec.name, live, collection, total, query)]),
          ];
        },
        ([page, count], { readRow }) => ({
          ...foundIn(JSON.parse(page as string) as StoredRow[], readRow, query),
          ...(total === null ? {} : { total: Number(count ?? 0) }),
        }),
      );
    },

    close: async () => {
      if (closed) return;
      positionWaits.close();
      closed = true;
      open = null;
      database?.close();
    },
  };
}

function prepareReads(database: SqliteDatabase): OpenViews {
  const live = 'FROM builds WHERE projection = ? AND live = 1';
  return {
    database,
    live: database.prepare(`SELECT build, collections ${live}`).raw(),
    checkpoints: database.prepare(CHECKPOINTS_OF_LIVE),
    lastEvent: database.prepare(`SELECT event_position, event_id ${live}`),
    text: documentText(database),
    lives: new Map(),
  };
}

/**
 * One statement per read, so that it sees one moment of the file. The transaction that promotes a build drops the
 * tables of the others, and no number is used twice. So tables that exist belong to the live build.
 */
function readLive<T>(
  connection: OpenViews,
  projection: string,
  columns: (live: LiveBuild) => Columns,
  result: (row: unknown[], text: DocumentText) => T,
): T | null {
  for (;;) {
    const live = connection.lives.get(projection) ?? lookUpLive(connection, projection);
    if (live === null) return null;
    const row = rowOf(connection, live, columns(live));
    if (row !== null) return result(row, connection.text);
    if (lookUpLive(connection, projection)?.build === live.build) failRebuilding();
  }
}

/** The fast way to one document. Null where it is not found. */
function readOne(
  open: OpenViews | null,
  projection: string,
  collection: string,
  id: string,
): Document | null {
  const live = open?.lives.get(projection);
  if (open === null || live === undefined || !isStorableText(id)) return null;
  const name = `document ${collection}`;
  let statement = live.statements.get(name);
  try {
    const stored = live.collections.get(collection);
    if (stored === undefined) return null;
    statement ??= open.database.prepare(documentById(projection, live.build, stored)).raw();
    live.statements.set(name, statement);
    const row = statement.get([id]) as [document: Stored, ...key: unknown[]] | undefined;
    if (row === undefined) return null;
    const [document, ...key] = row;
    return open.text.read(key, document);
  } catch (error) {
    if (isNoSuch(error)) return null;
    throw error;
  }
}

function lookUpLive({ live, lives }: OpenViews, projection: string): LiveBuild | null {
  lives.delete(projection);
  const row = live.get([projection]) as [number, string] | undefined;
  if (row === undefined) return null;
  const [build, collections] = row;
  const found: LiveBuild = {
    build,
    collections: new Map((JSON.parse(collections) as CollectionSpec[]).map((each) => [each.name, each])),
    statements: new Map(),
  };
  lives.set(projection, found);
  return found;
}

/** Null where the build lacks a part of it: the build was dropped, or another version of the projection made it. */
function rowOf({ database }: OpenViews, { statements }: LiveBuild, wanted: Columns): unknown[] | null {
  const columns = wanted.filter((column) => column !== null);
  if (columns.length < wanted.length) return null;
  const sql = `SELECT ${columns.map((column) => column.sql).join(', ')}`;
  try {
    const statement = statements.get(sql) ?? database.prepare(sql).raw();
    statements.set(sql, statement);
    return statement.get(columns.flatMap(({ params }) => params)) as unknown[];
  } catch (error) {
    if (isNoSuch(error)) return null;
    throw error;
  }
}

function isNoSuch(error: unknown): boolean {
  return error instanceof Error && /no such (table|index|column)/.test(error.message);
}

function countOf(
  projection: string,
  { build, collections }: LiveBuild,
  collection: string,
  fields: readonly string[],
  { where }: ViewQuery,
): Sql | null {
  const kept = collections.get(collection)?.totals ?? [];
  if (!kept.some((total) => total.join() === fields.join())) return null;
  return {
    sql: `(SELECT n FROM ${totalsTable(projection, build)} WHERE collection = ? AND fields = ? AND vals = ?)`,
    params: [collection, fields.join(), JSON.stringify(fields.map((field) => where[field]))],
  };
}

/** A row more than the limit says that there are more. */
function foundIn(
  rows: readonly StoredRow[],
  read: (row: StoredRow) => Document,
  { limit, sort: { field } }: ViewQuery,
): Found {
  const items = rows.slice(0, limit).map(read);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? null : cursorAt(last[field], rows[limit - 1]![1], field) };
}
