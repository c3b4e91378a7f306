/** What an error of SQLite means to those who call the port of a store. */
import { isLedgerError, LedgerError, type ErrorCode } from '../../errors.js';
import { isBusy, isCorrupt, isFull, openDatabase, sqliteCode } from './database.js';
import type { OpenDatabaseOptions, SqliteDatabase } from './database.js';
import type { Migrations } from './migrations.js';

/** One file of SQLite, and what its users are told when it fails. */
export type SqliteFile = {
  file: string;
  code: ErrorCode & `${string}_unavailable`;
  /** What to do about a damaged file. */
  damaged: string;
  /** The layout of the file. */
  migrations: Migrations;
};

/** Seconds: somebody has to act first. */
const RETRY_AFTER = 10;

/** Opens the file; a connection that writes migrates it. @throws LedgerError of the store's code, naming the file. */
export function openStore(
  store: SqliteFile,
  options: Omit<OpenDatabaseOptions, 'migrations'>,
): SqliteDatabase {
  try {
    return openDatabase(store.file, { ...options, migrations: store.migrations });
  } catch (error) {
    // `openDatabase` names the file in an error around that of SQLite.
    const cause = error instanceof Error ? error.cause : error;
    if (sqliteCode(cause) !== '') throw storeError(store, cause);
    throw new LedgerError(store.code, text(error), { cause, retryAfter: RETRY_AFTER });
  }
}

/** Runs one piece of work. @throws LedgerError where SQLite fails in it; other errors as they are. */
export function inStore<T>(store: SqliteFile, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeError(store, error);
  }
}

/** The LedgerError for an error of SQLite; any other error as it is. */
export function storeError(store: SqliteFile, error: unknown): unknown {
  const { file, code, damaged } = store;
  if (isLedgerError(error) || sqliteCode(error) === '') return error;
  if (isCorrupt(error))
    return new LedgerError(code, `the file ${file} is damaged. ${damaged}`, { cause: error });
  if (isFull(error)) {
    return new LedgerError(code, `there is no room on the disk for ${file}`, {
      cause: error,
      retryAfter: RETRY_AFTER,
    });
  }
  if (isBusy(error)) {
    return new LedgerError(code, `the file ${file} was locked for too long`, { cause: error, retryAfter: 1 });
  }
  // What SQLite refuses for its wording is our mistake; the rest is the disk's, or the file system's.
  const ours = /^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE|TOOBIG)/.test(sqliteCode(error));
  return ours
    ? new LedgerError('internal', `${file}: ${text(error)}`, { cause: error })
    : unusable(store, error);
}

function unusable({ file, code }: SqliteFile, error: unknown): LedgerError {
  const detail = `the file ${file} cannot be used: ${text(error)}`;
  return new LedgerError(code, detail, { cause: error, retryAfter: RETRY_AFTER });
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
