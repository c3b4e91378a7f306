/** Groups writes, so that many of them are one commit: in a thread of its own, or on the caller's thread. */
import { Worker } from 'node:worker_threads';
import { LedgerError } from '../../errors.js';
import { errorOf, inStore, type Failure, type SqliteFile } from './errors.js';
import { openWritable } from './serve-writes.js';
import { closeAsOneFile, type SqliteDatabase } from './database.js';

/** How writes reach the file. */
export type Writer<Write, Result> = { write(write: Write): Promise<Result>; close(): Promise<void> };

/** Answers as many of the oldest writes as there are results, or fails `count` of them. */
export type WriteAnswer<Result> = { results: Result[] } | { count: number; failure: Failure };

type PendingAnswer<Result> = { resolve(result: Result): void; reject(error: Error): void };

/**
 * Starts a thread from a module of this folder that serves the writes: at once, or with the first write. The caller
 * never waits for the disk. If the thread dies, its writes are refused, and the next write starts another thread.
 *
 * `gathers`: the writes that come during a commit wait here and are one message after it. The thread would do them together
 * in either case, and a message costs the caller more than a small write. `alone`: each write is a message of its own, sent
 * before the caller goes on: one that works on without a pause would hold it up.
 */
export function openWriterThread<Write, Result>(
  store: SqliteFile,
  module: string,
  { atOnce = true, gathers = false, alone = false } = {},
): Writer<Write, Result> {
  let worker: Worker | null = null;
  let unsent: Write[] = [];
  let pending: PendingAnswer<Result>[] = [];
  let closed = false;

  const start = (): Worker => {
    const started = new Worker(new URL(module, import.meta.url), {
      workerData: store,
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    });
    started.unref();
    started.on('message', (answer: WriteAnswer<Result>) => settle(answer));
    started.on('error', (error) => failAll(started, error));
    started.on('exit', () => failAll(started, null));
    return started;
  };

  const failAll = (lost: Worker, cause: unknown): void => {
    if (worker !== lost) return;
    worker = null;
    unsent = [];
    const detail = `the thread that writes ${store.file} has ended`;
    const refused = pending.splice(0);
    for (const { reject } of refused) reject(new LedgerError(store.code, detail, { cause, retryAfter: 1 }));
  };

  const settle = (answer: WriteAnswer<Result>): void => {
    if ('results' in answer) {
      const answered = pending.splice(0, answer.results.length);
      answered.forEach(({ resolve }, n) => resolve(answer.results[n] as Result));
    } else {
      const refused = pending.splice(0, answer.count);
      for (const { reject } of refused) reject(errorOf(answer.failure));
    }
    // Writes under way keep the process running. An idle thread does not.
    if (pending.length === 0) worker?.unref();
    if (gathers) send();
  };

  /** Sends the writes of one turn of the event loop, or of one commit, in one message. */
  const send = (): void => {
    const underWay = pending.length - unsent.length;
    if (unsent.length === 0 || (gathers && underWay > 0 && !closed)) return;
    worker ??= start();
    worker.ref();
    worker.postMessage(unsent);
    unsent = [];
  };

  if (atOnce) worker = start();
  return {
    write: (write) => {
      if (closed) return Promise.reject(new LedgerError(store.code, `${store.file} is closed`));
      const answered = new Promise<Result>((resolve, reject) => pending.push({ resolve, reject }));
      if (unsent.push(write) === 1 && !alone) setImmediate(send);
      if (alone) send();
      return answered;
    },
    close: async () => {
      closed = true;
      send();
      const last = worker;
      if (last === null) return;
      last.ref();
      const ended = new Promise((resolve) => last.once('exit', resolve));
      last.postMessage(null);
      await ended;
    },
  };
}

type PendingWrite<Write, Result> = {
  write: Write;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/**
 * Writes on the caller's own thread. The writes of one turn of the event loop are one commit.
 * @param writesOn prepares the function that does a list of writes in one transaction
 */
export function openGroupedWriter<Write, Result>(
  store: SqliteFile,
  writesOn: (database: SqliteDatabase) => (writes: readonly Write[]) => Result[],
): Writer<Write, Result> {
  const database = openWritable(store);
  const apply = inStore(store, () => writesOn(database));
  let pending: PendingWrite<Write, Result>[] = [];
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
      closeAsOneFile(database);
    },
  };
}
