/** What the SQLite adapters share: opening a connection, and telling what an error of SQLite means. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'libsql';

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
};

/**
 * Opens a connection in WAL mode; makes the folder and the file where they are missing.
 * `close()` gives the file free only when all statements of the connection are garbage: end every transaction
 * yourself.
 * @throws Error naming the file when it cannot be opened or is no SQLite database.
 */
export function openDatabase(file: string, options: OpenDatabaseOptions): SqliteDatabase {
  // Absolute, so that no path is taken for a URL (`libsql:`, `file:`).
  const path = resolve(file);
  if (options.readonly === true) {
    if (!existsSync(path)) throw new Error(`there is no file ${path}`);
  } else {
    mkdirSync(dirname(path), { recursive: true });
  }
  try {
    const database = new Database(path);
    database.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
    if (options.readonly !== true) enterWal(database, options.busyTimeoutMs);
    database.exec(`PRAGMA synchronous = ${options.synchronous}`);
    if (options.checkpointPages !== undefined)
      database.exec(`PRAGMA wal_autocheckpoint = ${options.checkpointPages}`);
    database.exec(`PRAGMA cache_size = -${options.cacheKiB ?? 2000}`);
    // libsql ignores the option `readonly` of its own types.
    if (options.readonly === true) database.exec('PRAGMA query_only = 1');
    // Meets a damaged file here, where it can be named, and not with the first query.
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    return database;
  } catch (error) {
    const what = isCorrupt(error) ? 'is damaged or is no SQLite database' : 'cannot be opened';
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
