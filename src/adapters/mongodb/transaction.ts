/**
 * One transaction. It is retried by the rules of the server's error labels, for as long as the limit allows. The
 * driver's own `withTransaction` retries for two minutes, and has no option for less.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { MongoError, type ClientSession, type TransactionOptions } from 'mongodb';
import { isUnsent } from './errors.js';

const options: TransactionOptions = {
  readConcern: { level: 'snapshot' },
  readPreference: 'primary',
  // Without the timeout, a commit waits for ever when a majority is lost.
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5_000 },
};

/**
 * Runs the work, perhaps more than once, and commits.
 * @throws the last error when the time is over. `isUnknownOutcome` says whether the transaction may have been committed
 * all the same.
 */
export async function inTransaction<T>(
  session: ClientSession,
  limitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + limitMs;
  for (let attempt = 1; ; attempt += 1) {
    session.startTransaction(options);
    try {
      const result = await work();
      await commit(session, until);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction();
      const again = labelled(error, 'TransientTransactionError') || isUnsent(error);
      if (!again || isUnknownOutcome(error) || performance.now() > until) throw error;
      await pause(Math.random() * Math.min(5 * 1.5 ** attempt, 500));
    }
  }
}

/** The commit was sent, and its outcome is unknown. */
export function isUnknownOutcome(error: unknown): boolean {
  return labelled(error, 'UnknownTransactionCommitResult');
}

async function commit(session: ClientSession, until: number): Promise<void> {
  let unknown: unknown = null;
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (isUnknownOutcome(error)) unknown = error;
      // Committing again is safe: the server knows the transaction.
      if (!(isUnknownOutcome(error) || isUnsent(error)) || performance.now() > until) throw unknown ?? error;
      await pause(20);
    }
  }
}

function labelled(error: unknown, label: string): boolean {
  return error instanceof MongoError && error.hasErrorLabel(label);
}
