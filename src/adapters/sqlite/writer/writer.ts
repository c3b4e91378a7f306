/**
 * Writes a SQLite file in a thread of its own: the caller never waits for the disk, and the writes that come during one
 * commit are the next commit. The log, the state and the deliveries are written this way.
 */
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../errors.js';
import { errorOf, type Failure, type SqliteFile } from '../errors.js';

export type Writer<Write, Result> = {
  /** Resolves once the write is on disk. @throws AppError: nothing was written, or the thread ended meanwhile */
  write(write: Write): Promise<Result>;
  /** Ends when all writes are answered and the thread has ended. */
  close(): Promise<void>;
};

/** What the thread gets: writes, or null to end. */
export type WriterRequest<Write> = readonly Write[] | null;

/** Answers as many of the oldest writes as there are results, or fails `count` of them. */
export type WriterAnswer<Result> = { results: readonly Result[] } | { count: number; failure: Failure };

type Pending<Result> = { resolve(result: Result): void; reject(error: Error): void };

/**
 * The thread starts with the first write. If it dies, its writes are refused, `onLost` is called, because a commit may
 * have happened without an answer, and the next write starts another thread.
 * @param thread the module that calls `serveWrites`
 */
export function openWriter<Write, Result>(
  store: SqliteFile,
  thread: URL,
  onLost: () => void = () => {},
): Writer<Write, Result> {
  let worker: Worker | null = null;
  let unsent: Write[] = [];
  // Answers come in the order of the writes.
  let pending: Pending<Result>[] = [];
  let closed = false;

  function start(): Worker {
    // The thread holds little for long. The default young generation would take 48 MiB.
    const limits = { maxYoungGenerationSizeMb: 12 };
    const started = new Worker(thread, { workerData: store, resourceLimits: limits });
    let cause: unknown = null;
    started.on('message', settle);
    started.on('error', (error) => (cause = error));
    started.on('exit', () => {
      worker = null;
      unsent = [];
      const detail = 'The thread of this write has ended; try again.';
      const error = new AppError(store.code, detail, { cause, retryAfter: 1 });
      for (const { reject } of pending.splice(0)) reject(error);
      if (!closed) onLost();
    });
    return started;
  }

  function settle(answer: WriterAnswer<Result>): void {
    if ('results' in answer) {
      const answered = pending.splice(0, answer.results.length);
      answered.forEach(({ resolve }, n) => resolve(answer.results[n] as Result));
    } else {
      for (const { reject } of pending.splice(0, answer.count)) reject(errorOf(answer.failure));
    }
    // Writes under way keep the process running. An idle thread does not.
    if (pending.length === 0) worker?.unref();
  }

  function send(): void {
    if (unsent.length === 0) return;
    worker ??= start();
    worker.ref();
    worker.postMessage(unsent satisfies WriterRequest<Write>);
    unsent = [];
  }

  return {
    write: (write) => {
      if (closed) return Promise.reject(new AppError(store.code, 'The store is closed.'));
      return new Promise((resolve, reject) => {
        pending.push({ resolve, reject });
        // Not in a microtask: one turn of the event loop serves many requests, and their writes go in one message.
        if (unsent.push(write) === 1) setImmediate(send);
      });
    },
    close: async () => {
      closed = true;
      send();
      const last = worker;
      if (last === null) return;
      last.ref();
      await new Promise((resolve) => {
        last.once('exit', resolve);
        last.postMessage(null satisfies WriterRequest<Write>);
      });
    },
  };
}
