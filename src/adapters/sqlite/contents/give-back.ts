/**
 * Gives back to the file system what released contents took: free pages leave the end of the file, and the write-ahead log,
 * which may still have their bytes, is emptied. In steps, since the appends of the same thread wait meanwhile.
 */
import type { SqliteDatabase } from '../database.js';

/** 1 MB: a step takes about 5 ms. */
const PAGES = 250;

/** For the releases that follow. */
export const FIRST_STEP_MS = 1_000;
const NEXT_STEP_MS = 50;

/** Returns in how many milliseconds the next step is due; null when all is done. */
export function giveBack(
  database: SqliteDatabase,
  { busyTimeoutMs }: { busyTimeoutMs: number },
): number | null {
  try {
    // A checkpoint that waits for readers would make appends wait, too.
    database.exec('PRAGMA busy_timeout = 0');
    if (first(database, 'PRAGMA freelist_count') > 0) {
      database.exec(`PRAGMA incremental_vacuum(${PAGES})`);
      return NEXT_STEP_MS;
    }
    const isHeldUp = first(database, 'PRAGMA wal_checkpoint(TRUNCATE)') !== 0;
    return isHeldUp ? FIRST_STEP_MS : null;
  } catch {
    // A command of an operator writes, or the disk is full. Whoever writes next says so.
    return FIRST_STEP_MS;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }
}

function first(database: SqliteDatabase, sql: string): number {
  return (database.prepare(sql).raw().get([]) as [number])[0];
}
