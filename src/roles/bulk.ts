/** The main thread's side of the thread `bulk`. The next submission replaces a thread that died. */
import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { BulkCalls, BulkThreadData, ReadSubmission as ReadAnswer } from './bulk.thread.js';
import type { Submission } from '../commands/submissions/submission.js';
import { callsTo, type Caller } from '../concurrency/thread-calls.js';
import { AppError } from '../errors.js';
import type { OpenSubmission, ReadSubmission } from '../http/bulk/receive.js';
import { spawnThread } from './threads.js';

export type Bulk = { read: ReadSubmission; close(): Promise<void> };

/** The thread, and its jobs by number. */
type Running = { worker: Worker; calls: Caller<BulkCalls> };

/** Starts the thread with the first submission. `report` gets the cause when a thread died. */
export function openBulk(
  report: (error: unknown) => void,
  workerData: BulkThreadData,
  limits?: ResourceLimits,
): Bulk {
  let running: Running | null = null;
  let closed = false;
  let jobs = 0;
  /** The bytes of the bodies that are read. */
  const reading = new Map<number, number>();
  /** The jobs whose bodies may have filled the memory of a thread that died. */
  const blamed = new Set<number>();

  function start(): Running {
    const worker = spawnThread('bulk', { workerData, ...(limits && { limits }) });
    const started = { worker, calls: callsTo<BulkCalls>(worker) };
    let cause: unknown;
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      if (running === started) running = null;
      if (!closed) report(cause ?? new Error('the thread of bulk submissions ended'));
      // It reads bodies in turns, so any of them may have filled its memory: most likely it was the largest one.
      const most = Math.max(...reading.values());
      if ((cause as { code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        for (const [job, bytes] of reading) if (bytes === most) blamed.add(job);
      }
      started.calls.lost(closed ? stopping() : lost(cause));
    });
    return started;
  }

  return {
    async read(bytes, now, team) {
      if (closed) throw stopping();
      const { calls } = (running ??= start());
      const job = (jobs += 1);
      reading.set(job, bytes.byteLength);
      try {
        const read = await calls.call('read', { job, team, bytes, now }, [bytes.buffer]);
        return openedSubmission(calls, job, read);
      } catch (error) {
        if (!blamed.delete(job)) throw error;
        throw new AppError('payload_too_large', 'The submission takes too much memory.', { cause: error });
      } finally {
        reading.delete(job);
      }
    },
    async close() {
      closed = true;
      await running?.worker.terminate();
    },
  };
}

function openedSubmission(calls: Caller<BulkCalls>, job: number, read: ReadAnswer): OpenSubmission {
  const { run, ...counted } = read;
  const appends: Submission['appends'] = async function* (born, limits, from) {
    let nextAppend = calls.call('first', { job, born, limits, from });
    try {
      for (;;) {
        const append = await nextAppend;
        if (append === null) return;
        // The thread makes the next one while this one is written.
        nextAppend = calls.call('next', { job });
        // The consumer gets its failure when it asks for it, and may never ask.
        nextAppend.catch(ignored);
        yield append;
      }
    } finally {
      // A consumer may stop half-way, and a job has one request at a time.
      await nextAppend.catch(ignored);
    }
  };
  const relate: Submission['relate'] = async (others, environment) => {
    await calls.call('relate', { job, attempt: run.shard!.attempt, environment });
    for await (const items of others) await calls.call('others', { job, items });
    return calls.call('others', { job, items: null });
  };
  return { ...run, ...counted, relate, appends, close: () => calls.tell('close', { job }) };
}

function stopping(): AppError {
  return new AppError('shutting_down', 'The server is stopping.');
}

function lost(cause: unknown): AppError {
  return new AppError('overloaded', 'The submission was lost because its reader ended; try again.', {
    retryAfter: 1,
    cause,
  });
}

function ignored(): void {}
