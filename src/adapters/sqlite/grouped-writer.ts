/** Writes on the caller's own thread: those of one turn of the event loop are one commit. */
import { openWritable } from './serve-writes.js';
import type { SqliteDatabase } from './database.js';
import type { Writer } from './writer-thread.js';
import { inStore, type Store } from './errors.js';
import { LedgerError } from '../../errors.js';

type Pending<Write, Result> = { write: Write; resolve(result: Result): void; reject(error: unknown): void };

/** `writesOn`: makes the function that does a list of writes in one transaction. */
export function openGroupedWriter<Write, Result>(
  store: Store,
  writesOn: (database: SqliteDatabase) => (writes: readonly Write[]) => Result[],
): Writer<Write, Result> {
  const database = openWritable(store);
  const apply = inStore(store, () => writesOn(database));
  let pending: Pending<Write, Result>[] = [];
  let closed = false;

  const commit = (): void => {
    const group = pending;
    pending = [];
    try {
      const results = inStore(store, () => apply(group.map(({ write }) => write)));
      group.forEach(({ resolve }, n) => resolve(results[n] as Result));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };

  return {
    write: (write) => {
      if (closed) return Promise.reject(new LedgerError(store.code, `${store.file} is closed`));
      return new Promise((resolve, reject) => {
        if (pending.push({ write, resolve, reject }) === 1) setImmediate(commit);
      });
    },
    close: async () => {
      closed = true;
      commit();
      database.close();
    },
  };
}
