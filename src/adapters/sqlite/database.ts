/** What the SQLite adapters share: opening a connection, and telling what an error of SQLite means. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'libsql';
import { migrate, refuseNewer, schemaVersion, type Migrations } from './migrations.js';

export type SqliteDatabase = Database.Database;
export type SqliteStatement = Database.Statement;

export type OpenDatabaseOptions = {
  /** The file must exist and every write through this connection fails. */
  readonly?: boolean;
  /** FULL: a commit that was answered survives a power cut. NORMAL: the last ones may be lost, none is torn. */
  synchronous: 'FULL' | 'NORMAL';
  /** How long a statement waits, blocking its thread, for a lock of another connection. */
  busyTimeoutMs: number;
  /** Memory for pages, default 2,000 KiB, SQLite's own. Each connection has one. */
  cacheKiB?: number;
  /** Pages that lie beside the file before they are put into it; 1,000 without it. */
  checkpointPages?: number;
  /** The layout of the file. A connection that writes migrates it; one that reads does not. Both refuse a newer file. */
  migrations?: Migrations;
};

/**
 * Opens a connection in WAL mode; makes the folder and the file where they are missing.
 * `close()` gives the file free only when all statements of the connection are garbage: end every transaction
 * yourself.
 * @throws Error naming the file when it cannot be opened, is no SQLite database, or was written by a newer program.
 */
export function openDatabase(file: string, options: OpenDatabaseOptions): SqliteDatabase {
  // Absolute, so that no path is taken for a URL (`libsql:`, `file:`).
  const path = resolve(file);
  const { readonly = false, migrations } = options;
  if (readonly && !existsSync(path)) throw new Error(`there is no file ${path}`);
  const { database, version } = naming(path, 'opened', () => {
    if (!readonly) mkdirSync(dirname(path), { recursive: true });
    const opened = new Database(path);
    opened.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
    return { database: opened, version: schemaVersion(opened) };
  });
  try {
    // Before anything that writes: entering WAL would change the file of a newer program.
    if (migrations !== undefined) refuseNewer(version, path, migrations);
    naming(path, 'opened', () => configure(database, options));
    if (migrations !== undefined && !readonly)
      naming(path, 'migrated', () => migrate(database, path, migrations));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function configure(database: SqliteDatabase, options: OpenDatabaseOptions): void {
  if (options.readonly !== true) enterWal(database, options.busyTimeoutMs);
  database.exec(`PRAGMA synchronous = ${options.synchronous}`);
  if (options.checkpointPages !== undefined)
    database.exec(`PRAGMA wal_autocheckpoint = ${options.checkpointPages}`);
  database.exec(`PRAGMA cache_size = -${options.cacheKiB ?? 2000}`);
  // libsql ignores the option `readonly` of its own types.
  if (options.readonly === true) database.exec('PRAGMA query_only = 1');
  // Meets a damaged file here, where it can be named, and not with the first query.
  database.prepare('SELECT count(*) FROM sqlite_master').get();
}

/** Names the file in every error of the work. */
function naming<T>(path: string, done: 'opened' | 'migrated', work: () => T): T {
  try {
    return work();
  } catch (error) {
    const what = isCorrupt(error) ? 'is damaged or is no SQLite database' : `cannot be ${done}`;
    throw new Error(`the file ${path} ${what}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Of two that enter it at once on a new file SQLite refuses one, without the busy timeout: both could wait for ever. */
function enterWal(database: SqliteDatabase, busyTimeoutMs: number): void {
  const until = Date.now() + busyTimeoutMs;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() >= until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** No room on the disk. A write over a quota or a file size limit looks like a failed write to SQLite. */
export function isFull(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_WRITE' || code === 'SQLITE_IOERR_SHMSIZE';
}

/** The file is damaged, or is no SQLite database. */
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || code === 'SQLITE_IOERR_SHORT_READ';
}

/** Another connection holds the lock, also after the busy timeout. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY');
}

/** A unique index or a primary key refused a row. */
export function isDuplicate(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/** `SQLITE_…`, or empty where the error is none of SQLite's. */
export function sqliteCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return '';
  return error.code.startsWith('SQLITE_') ? error.code : '';
}
