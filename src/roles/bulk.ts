/** The main thread's side of the thread `bulk`. The next submission replaces a thread that died. */
import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { BulkAnswer, BulkRequest } from './bulk.thread.js';
import type { Submission } from '../commands/submission.js';
import { AppError } from '../errors.js';
import type { OpenSubmission, ReadSubmission } from '../http/bulk/receive.js';
import { spawnThread } from './threads.js';

export type Bulk = { read: ReadSubmission; close(): Promise<void> };

/** `bytes`: of the body that is read; 0 for another request. */
type Waiter = { bytes: number; resolve(answer: BulkAnswer): void; reject(error: unknown): void };

/**
 * Starts the thread with the first submission. `report` gets the cause when a thread died. Long because all parts share
 * the thread and the jobs that wait for it: each is short.
 */
export function openBulk(report: (error: unknown) => void, limits?: ResourceLimits): Bulk {
  let worker: Worker | null = null;
  let closed = false;
  let jobs = 0;
  /** By job. A job has one request at a time. */
  const waiting = new Map<number, Waiter>();

  function start(): Worker {
    const started = spawnThread('bulk', limits === undefined ? {} : { limits });
    started.on('message', (answer: BulkAnswer) => {
      const waiter = waiting.get(answer.job);
      waiting.delete(answer.job);
      waiter?.resolve(answer);
    });
    let cause: unknown;
    started.on('error', (error) => (cause = error));
    started.on('exit', () => {
      if (worker === started) worker = null;
      if (!closed) report(cause ?? new Error('the thread of bulk submissions ended'));
      const waiters = [...waiting.values()];
      waiting.clear();
      // It reads bodies in turns, so any of them may have filled its memory: most likely it was the largest one.
      const most = Math.max(...waiters.map(({ bytes }) => bytes));
      for (const { bytes, reject } of waiters) reject(died(cause, bytes > 0 && bytes === most));
    });
    worker = started;
    return started;
  }

  function died(cause: unknown, mayBeCause: boolean): AppError {
    if (closed) return new AppError('shutting_down', 'The server is stopping.');
    if (mayBeCause && (cause as { code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return new AppError('payload_too_large', 'The submission takes too much memory.', { cause });
    }
    return lost(cause);
  }

  function ask(thread: Worker, request: BulkRequest, transfer: ArrayBuffer[] = []): Promise<BulkAnswer> {
    return new Promise((resolve, reject) => {
      if (thread !== worker) throw closed ? died(null, false) : lost(null);
      const bytes = request.type === 'read' ? request.bytes.byteLength : 0;
      waiting.set(request.job, { bytes, resolve, reject });
      thread.postMessage(request, transfer);
    });
  }

  function opened(
    thread: Worker,
    job: number,
    answer: Extract<BulkAnswer, { type: 'read' }>,
  ): OpenSubmission {
    const chunks = async (request: BulkRequest) => {
      const got = await ask(thread, request).then(unwrapAnswer);
      return got.type === 'append' ? got.chunks : null;
    };
    const appends: Submission['appends'] = async function* (born, limits, from) {
      let nextAppend = chunks({ job, type: 'first', born, limits, from });
      try {
        for (;;) {
          const append = await nextAppend;
          if (append === null) return;
          // The thread makes the next one while this one is written.
          nextAppend = chunks({ job, type: 'next' });
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
      const shardAttempt = answer.run.shard!.attempt;
      await ask(thread, { job, type: 'relate', shardAttempt, environment }).then(unwrapAnswer);
      for await (const items of others) await ask(thread, { job, type: 'others', items }).then(unwrapAnswer);
      const end = await ask(thread, { job, type: 'others', items: null }).then(unwrapAnswer);
      return end.type === 'related' ? end.replaced : 0;
    };
    const { run, count, counts, items_hash, duration_ms } = answer;
    return {
      ...run,
      count,
      counts,
      items_hash,
      duration_ms,
      relate,
      appends,
      close() {
        if (thread === worker) thread.postMessage({ job, type: 'close' } satisfies BulkRequest);
      },
    };
  }

  return {
    async read(bytes, now, team) {
      if (closed) throw died(null, false);
      const thread = worker ?? start();
      const job = (jobs += 1);
      const answer = await ask(thread, { job, type: 'read', team, bytes, now }, [bytes.buffer]).then(
        unwrapAnswer,
      );
      if (answer.type !== 'read') throw new Error(`the answer to a read is of the type ${answer.type}`);
      return opened(thread, job, answer);
    },
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}

/** @throws AppError the refusal, Error the fault of the thread */
function unwrapAnswer(answer: BulkAnswer): BulkAnswer {
  if (answer.type === 'refused') throw new AppError(answer.code, answer.detail, { fields: answer.fields });
  if (answer.type === 'failed') throw new Error(`the thread of bulk submissions failed: ${answer.error}`);
  return answer;
}

function lost(cause: unknown): AppError {
  return new AppError('overloaded', 'The submission was lost because its reader ended; try again.', {
    retryAfter: 1,
    cause,
  });
}

function ignored(): void {}
