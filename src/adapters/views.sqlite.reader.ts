/** Reads the live builds from any thread. Each call sees one moment of the file, whatever the writer does. */
import { existsSync } from 'node:fs';
import type { Cursor, Found, Query, ViewReader } from '../core/ports.js';
import { collectionOf, indexFor, totalFor } from '../core/queries.js';
import { scalarOf } from '../core/totals.js';
import { START, type Position } from '../domain/event.js';
import type { CollectionSpec, Document } from '../domain/projection.js';
import { fail } from '../errors.js';
import { inStore, openStore, rollBack } from './sqlite.unavailable.js';
import type { SqliteDatabase, SqliteStatement } from './sqlite.js';
import { openArrivals } from './views.sqlite.arrivals.js';
import { documentsByIds, documentsFrom, idsParameter } from './views.sqlite.by-id.js';
import { pageStatement } from './views.sqlite.find.js';
import { totalsTable, viewsStore } from './views.sqlite.layout.js';

/** The live build as it was prepared, and the statements on its tables. */
type Live = {
  build: number;
  collections: readonly CollectionSpec[];
  statements: Map<string, SqliteStatement>;
};

type Connection = {
  database: SqliteDatabase;
  begin: SqliteStatement;
  commit: SqliteStatement;
  build: SqliteStatement;
  collections: SqliteStatement;
  position: SqliteStatement;
  lives: Map<string, Live>;
};

/**
 * Opens the read models of a folder for reading. The file need not be there: until the writer has made it, every
 * projection stands at `START` and has no documents.
 */
export function openSqliteViewReader({ folder }: { folder: string }): ViewReader {
  const store = viewsStore(folder);
  let open: Connection | null = null;
  let file: SqliteDatabase | null = null;
  let closed = false;

  const connection = (): Connection | null => {
    if (open !== null) return open;
    if (closed) fail('views_unavailable', 'the read models are closed');
    if (file === null && !existsSync(store.file)) return null;
    file ??= openStore(store, {
      readonly: true,
      synchronous: 'NORMAL',
      busyTimeoutMs: 5_000,
      cacheKiB: 8_000,
    });
    // The writer makes the file first and the registry a moment later.
    if (file.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'builds'`).get([]) === undefined) return null;
    open = connect(file);
    return open;
  };

  const position = (projection: string): Position =>
    inStore(store, () => text(connection()?.position.get([projection])) ?? START);

  /** Runs reads of the live build as of one moment; `none` where there is no live build. */
  const reading = <T>(projection: string, none: T, read: (database: SqliteDatabase, live: Live) => T): T =>
    inStore(store, () => {
      const current = connection();
      if (current === null) return none;
      current.begin.run([]);
      try {
        const live = liveBuild(current, projection);
        const found = live === null ? none : read(current.database, live);
        current.commit.run([]);
        return found;
      } catch (error) {
        rollBack(current.database);
        throw error;
      }
    });

  const arrivals = openArrivals(folder, position);
  return {
    position: async (projection, wait) =>
      wait === undefined ? position(projection) : arrivals.wait(projection, wait.atLeast, wait.timeoutMs),

    get: async (spec, collection, ids) => {
      const { name } = collectionOf(spec, collection);
      return reading(
        spec.name,
        ids.map(() => null),
        (database, live) => {
          const sql = documentsByIds(spec.name, live.build, name);
          return documentsFrom(prepared(database, live, sql).get([idsParameter(ids)]));
        },
      );
    },

    find: async (spec, collection, query) => {
      const declared = collectionOf(spec, collection);
      const index = indexFor(declared, query);
      const total = query.total === true ? totalFor(declared, query.where) : null;
      const none: Found = { items: [], next: null, ...(total === null ? {} : { total: 0 }) };
      return reading(spec.name, none, (database, live) => {
        const { sql, params } = pageStatement(spec.name, live.build, collection, index, query);
        const row = prepared(database, live, sql).get(params);
        const found = page(documentsFrom(row) as Document[], idsFrom(row), query);
        if (total === null) return found;
        return { ...found, total: countOf(database, live, spec.name, collection, total, query) };
      });
    },

    close: async () => {
      if (closed) return;
      arrivals.close();
      closed = true;
      open = null;
      file?.close();
    },
  };
}

function connect(database: SqliteDatabase): Connection {
  const prepare = (sql: string): SqliteStatement => database.prepare(sql).raw();
  return {
    database,
    begin: database.prepare('BEGIN'),
    commit: database.prepare('COMMIT'),
    build: prepare('SELECT build FROM builds WHERE projection = ? AND live = 1'),
    collections: prepare('SELECT collections FROM builds WHERE projection = ? AND live = 1'),
    position: prepare('SELECT position FROM builds WHERE projection = ? AND live = 1'),
    lives: new Map(),
  };
}

/** Looked up by every read, so that a promoted build is seen at once. */
function liveBuild({ build, collections, lives }: Connection, projection: string): Live | null {
  const row = build.get([projection]) as [number] | undefined;
  if (row === undefined) return null;
  const known = lives.get(projection);
  if (known?.build === row[0]) return known;
  const declared = JSON.parse(text(collections.get([projection])) ?? '[]') as CollectionSpec[];
  const live = { build: row[0], collections: declared, statements: new Map() };
  lives.set(projection, live);
  return live;
}

function prepared(database: SqliteDatabase, { statements }: Live, sql: string): SqliteStatement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = prepareOnLive(database, sql);
  statements.set(sql, statement);
  return statement;
}

/** The live build may be of an older version than the code that asks: then it lacks what the new one declares. */
function prepareOnLive(database: SqliteDatabase, sql: string): SqliteStatement {
  try {
    return database.prepare(sql).raw();
  } catch (error) {
    if (error instanceof Error && /no such (index|table|column)/.test(error.message)) return older(error);
    throw error;
  }
}

function countOf(
  database: SqliteDatabase,
  live: Live,
  projection: string,
  collection: string,
  fields: readonly string[],
  { where }: Query,
): number {
  const kept = live.collections.find(({ name }) => name === collection)?.totals ?? [];
  if (!kept.some((total) => total.join() === fields.join())) older();
  const table = totalsTable(projection, live.build);
  const sql = `SELECT n FROM ${table} WHERE collection = ? AND fields = ? AND vals = ?`;
  const values = JSON.stringify(fields.map((field) => where[field]));
  const row = prepared(database, live, sql).get([collection, fields.join(), values]) as [number] | undefined;
  return row?.[0] ?? 0;
}

function page(documents: Document[], ids: string[], { limit, sort: { field } }: Query): Found {
  if (documents.length <= limit) return { items: documents, next: null };
  const items = documents.slice(0, limit);
  return { items, next: cursorAt(items[limit - 1]?.[field], ids[limit - 1] ?? '', field) };
}

function cursorAt(value: unknown, id: string, field: string): Cursor {
  const scalar = scalarOf(value, field);
  return { value: typeof scalar === 'boolean' ? Number(scalar) : scalar, id };
}

function idsFrom(row: unknown): string[] {
  return JSON.parse((row as [unknown, string])[1]) as string[];
}

function text(row: unknown): string | null {
  return (row as [string | null] | undefined)?.[0] ?? null;
}

function older(cause?: unknown): never {
  fail('views_unavailable', 'the read model is being rebuilt', { retryAfter: 10, cause });
}
