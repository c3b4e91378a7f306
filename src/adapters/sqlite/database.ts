/** Connections to SQLite files, and the kinds of SQLite's errors. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'libsql';
import { makePrivateFile, makePrivateFolder } from '../shared/file-modes.js';
import { migrate, refuseNewer, schemaVersion, type Migrations } from './migrations.js';

export type SqliteDatabase = Database.Database;
export type SqliteStatement = Database.Statement;

export type OpenDatabaseOptions = {
  /** The file must exist, and every write through this connection fails. */
  readonly?: boolean;
  /** FULL: a commit that was answered survives a power cut. NORMAL: the last commits may be lost, but none in part. */
  synchronous: 'FULL' | 'NORMAL';
  /** How long a statement waits, blocking its thread, for a lock of another connection. */
  busyTimeoutMs: number;
  /** The page cache of this connection. Default: 2,000 KiB, as SQLite has it. */
  cacheKiB?: number;
  /** How many pages the write-ahead log holds before they are moved into the file. Default: 1,000. */
  checkpointPages?: number;
  /** What is deleted is overwritten, and the pages that become free can go back to the file system. */
  erases?: boolean;
  /** The layout of the file. A writing connection migrates an older file. Both kinds refuse a newer one. */
  migrations?: Migrations;
};

/** A stop must not wait longer for readers. */
const TRUNCATE_MS = 500;

/**
 * Opens a connection in WAL mode, and makes the folder and the file where they are missing.
 * `close()` releases the file only after all statements of the connection are garbage, so end every transaction
 * yourself.
 * @throws Error naming the file when it cannot be opened, is not a SQLite database, or was written by a newer program.
 */
export function openDatabase(file: string, options: OpenDatabaseOptions): SqliteDatabase {
  // Absolute, so that libsql does not take the path for a URL (`libsql:`, `file:`).
  const path = resolve(file);
  const { readonly = false, migrations } = options;
  if (readonly && !existsSync(path)) throw new Error(`there is no file ${path}`);
  const { database, version } = naming(path, 'opened', () => {
    if (!readonly) {
      makePrivateFolder(dirname(path));
      makePrivateFile(path);
    }
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

/**
 * Closes a connection that has written, and leaves the store as one file, as an operator expects who copies the folder of
 * a stopped server. If another connection reads right now, the write-ahead log stays, and the next start goes on from it.
 */
export function closeAsOneFile(database: SqliteDatabase): void {
  try {
    database.exec(`PRAGMA busy_timeout = ${TRUNCATE_MS}`);
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get([]);
  } catch {
    // The disk is full. Everything is in the write-ahead log.
  }
  database.close();
}

function configure(database: SqliteDatabase, options: OpenDatabaseOptions): void {
  // Before the first page is written: it cannot be changed later.
  if (options.erases === true) database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON');
  if (options.readonly !== true) enterWal(database, options.busyTimeoutMs);
  database.exec(`PRAGMA synchronous = ${options.synchronous}`);
  if (options.checkpointPages !== undefined)
    database.exec(`PRAGMA wal_autocheckpoint = ${options.checkpointPages}`);
  database.exec(`PRAGMA cache_size = -${options.cacheKiB ?? 2000}`);
  // Without this, a damaged page of an index can give an answer that is too short in place of an error.
  database.exec('PRAGMA cell_size_check = 1');
  // libsql ignores the `readonly` option that its own types declare.
  if (options.readonly === true) database.exec('PRAGMA query_only = 1');
  // Finds a damaged file here, where it can be named, instead of with the first query.
  database.prepare('SELECT count(*) FROM sqlite_master').get();
}

/** Names the file in every error of the work. */
function naming<T>(path: string, done: 'opened' | 'migrated', work: () => T): T {
  try {
    return work();
  } catch (error) {
    const what = isCorrupt(error) ? 'is damaged or is not a SQLite database' : `cannot be ${done}`;
    throw new Error(`the file ${path} ${what}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/**
 * When two connections enter WAL mode on a new file at once, SQLite refuses one of them without the busy timeout,
 * because both could wait for ever.
 */
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

/** The disk is full. SQLite reports a write over a quota or a file size limit as a failed write. */
export function isFull(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_WRITE' || code === 'SQLITE_IOERR_SHMSIZE';
}

/** The file is damaged, or is not a SQLite database. */
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || code === 'SQLITE_IOERR_SHORT_READ';
}

/** Another connection holds the lock, even after the busy timeout. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY');
}

/** `SQLITE_…`, or an empty text for an error that is not SQLite's. */
export function sqliteCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return '';
  return error.code.startsWith('SQLITE_') ? error.code : '';
}
