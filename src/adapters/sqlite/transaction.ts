/** Transactions on one connection. */
import type Database from 'libsql';

/** Rolls back a transaction that failed. SQLite has ended it already where the disk is full. */
function rollBack(database: Database.Database): void {
  if (database.inTransaction) database.exec('ROLLBACK');
}

/**
 * Runs the work in one transaction: all or nothing is written. It takes the write lock first, because a transaction
 * that reads before it writes could not wait for the end of another.
 * @returns what the work returns. @throws what the work throws, after the rollback.
 */
export function immediately<T>(database: Database.Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}
