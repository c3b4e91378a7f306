/** The thread of bulk submissions as its users see it. One that dies is replaced when the next submission comes. */
import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { BulkAnswer, BulkRequest } from './bulk.thread.js';
import type { Submission } from '../commands/submission.js';
import { LedgerError } from '../errors.js';
import type { OpenSubmission, ReadSubmission } from '../http/bulk/receive.js';
import { spawnThread } from './threads.js';

export type Bulk = { read: ReadSubmission; close(): Promise<void> };

type Asked = Pick<BulkRequest, 'type'> & { resolve(answer: BulkAnswer): void; reject(error: unknown): void };

/** Starts nothing before it is needed. `report` is told of a thread that died. */
export function openBulk(report: (error: unknown) => void, limits?: ResourceLimits): Bulk {
  let worker: Worker | null = null;
  let closed = false;
  let jobs = 0;
  /** By job, which asks one thing at a time; in the order in which they were asked. */
  const asked = new Map<number, Asked>();

  function start(): Worker {
    const started = spawnThread('bulk', limits === undefined ? {} : { limits });
    started.on('message', (answer: BulkAnswer) => {
      const waiting = asked.get(answer.job);
      asked.delete(answer.job);
      waiting?.resolve(answer);
    });
    let cause: unknown;
    started.on('error', (error) => (cause = error));
    started.on('exit', () => {
      if (worker === started) worker = null;
      if (!closed) report(cause ?? new Error('the thread of bulk submissions ended'));
      const waiting = [...asked.values()];
      asked.clear();
      // It was at the first of them when it died.
      waiting.forEach(({ type, reject }, n) => reject(died(cause, n === 0 && type === 'read')));
    });
    worker = started;
    return started;
  }

  function died(cause: unknown, guilty: boolean): LedgerError {
    if (closed) return new LedgerError('shutting_down', 'The server is stopping.');
    if (guilty && (cause as { code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return new LedgerError('payload_too_large', 'The submission takes more memory than it may.', { cause });
    }
    return lost(cause);
  }

  function ask(thread: Worker, request: BulkRequest, transfer: ArrayBuffer[] = []): Promise<BulkAnswer> {
    return new Promise((resolve, reject) => {
      if (thread !== worker) throw closed ? died(null, false) : lost(null);
      asked.set(request.job, { type: request.type, resolve, reject });
      thread.postMessage(request, transfer);
    });
  }

  function opened(
    thread: Worker,
    job: number,
    answer: Extract<BulkAnswer, { type: 'read' }>,
  ): OpenSubmission {
    const texts = async (request: BulkRequest) => {
      const got = await ask(thread, request).then(unwrapAnswer);
      return got.type === 'append' ? got.texts : null;
    };
    const appends: Submission['appends'] = async function* (born, limits) {
      let coming = texts({ job, type: 'first', born, limits });
      for (;;) {
        const append = await coming;
        if (append === null) return;
        // Made while this one is written.
        coming = texts({ job, type: 'next' });
        // Whoever stops half-way never hears of it.
        coming.catch(ignored);
        yield append;
      }
    };
    return {
      ...answer.run,
      count: answer.count,
      counts: answer.counts,
      appends,
      close() {
        if (thread === worker) thread.postMessage({ job, type: 'close' } satisfies BulkRequest);
      },
    };
  }

  return {
    async read(bytes, now) {
      if (closed) throw died(null, false);
      const thread = worker ?? start();
      const job = (jobs += 1);
      const answer = await ask(thread, { job, type: 'read', bytes, now }, [bytes.buffer]).then(unwrapAnswer);
      if (answer.type !== 'read') throw new Error(`a ${answer.type} answers a read`);
      return opened(thread, job, answer);
    },
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}

/** @throws LedgerError what the thread was thrown. */
function unwrapAnswer(answer: BulkAnswer): BulkAnswer {
  if (answer.type === 'refused') throw new LedgerError(answer.code, answer.detail, { fields: answer.fields });
  if (answer.type === 'failed') throw new Error(`the thread of bulk submissions failed: ${answer.error}`);
  return answer;
}

function lost(cause: unknown): LedgerError {
  return new LedgerError('overloaded', 'The submission was lost with what it was read by; try again.', {
    retryAfter: 1,
    cause,
  });
}

function ignored(): void {}
