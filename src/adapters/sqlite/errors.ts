/** From an error of SQLite to the error that the caller of a port gets. */
import { isAppError, AppError, type ErrorCode } from '../../errors.js';
import { isBusy, isCorrupt, isFull, openDatabase, sqliteCode } from './database.js';
import type { OpenDatabaseOptions, SqliteDatabase } from './database.js';
import type { Migrations } from './migrations.js';

/** One SQLite file, and what the errors about it say. */
export type SqliteFile = {
  file: string;
  code: ErrorCode & `${string}_unavailable`;
  /** A sentence with the remedy for a damaged file. */
  damaged: string;
  /** The layout of the file. */
  migrations: Migrations;
};

/** Seconds. Longer than for a busy file, because an operator has to act first. */
const RETRY_AFTER = 10;

/** Opens the file. A writing connection migrates it. @throws AppError of the store's code, naming the file. */
export function openStore(
  store: SqliteFile,
  options: Omit<OpenDatabaseOptions, 'migrations'>,
): SqliteDatabase {
  try {
    return openDatabase(store.file, { ...options, migrations: store.migrations });
  } catch (error) {
    // The error of `openDatabase` names the file, and has SQLite's error as its cause.
    const cause = error instanceof Error ? error.cause : error;
    if (sqliteCode(cause) !== '') throw sqliteError(store, cause);
    throw new AppError(store.code, text(error), { cause, retryAfter: RETRY_AFTER });
  }
}

/** Runs one piece of work. @throws AppError where SQLite fails in it. Other errors stay as they are. */
export function inStore<T>(store: SqliteFile, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw sqliteError(store, error);
  }
}

/** The AppError for an error of SQLite. Any other error stays as it is. */
function sqliteError(store: SqliteFile, error: unknown): unknown {
  const { file, code, damaged } = store;
  // A SyntaxError comes from a row that does not hold what was written.
  const isDamaged = isCorrupt(error) || error instanceof SyntaxError;
  if (isAppError(error) || (sqliteCode(error) === '' && !isDamaged)) return error;
  if (isDamaged) return new AppError(code, `the file is damaged: ${file}. ${damaged}`, { cause: error });
  if (isFull(error)) {
    return new AppError(code, `the disk is full: there is no space left for ${file}`, {
      cause: error,
      retryAfter: RETRY_AFTER,
    });
  }
  if (isBusy(error)) {
    return new AppError(code, `the file ${file} was locked for too long`, { cause: error, retryAfter: 1 });
  }
  // A statement that SQLite refuses is a mistake of ours. Other errors come from the disk or the file system.
  const ours = /^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE|TOOBIG)/.test(sqliteCode(error));
  return ours
    ? new AppError('internal', `${file}: ${text(error)}`, { cause: error })
    : unusable(store, error);
}

function unusable({ file, code }: SqliteFile, error: unknown): AppError {
  const detail = `the file ${file} cannot be used: ${text(error)}`;
  return new AppError(code, detail, { cause: error, retryAfter: RETRY_AFTER });
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
