/** The main thread's side of the thread of the past. The next question replaces a thread that died. */
import type { Worker } from 'node:worker_threads';
import { connectToWriter } from '../adapters/open.js';
import type { Pasts } from '../as-of/past.js';
import { answerCalls, callsTo, type Caller } from '../concurrency/thread-calls.js';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import type { MainCalls } from './role-context.js';
import type { PastCalls } from './pasts.thread.js';
import { spawnThread } from './threads.js';

type Running = { worker: Worker; calls: Caller<PastCalls> };

/** Starts the thread with the first question. `report` gets the cause when a thread died. */
export function openPastsThread(
  config: Config,
  report: (error: unknown) => void,
): Pasts & { close(): Promise<void> } {
  let running: Running | null = null;
  let isClosed = false;

  function start(): Running {
    const worker = spawnThread('pasts', { workerData: { config } });
    answerCalls<Pick<MainCalls, 'connect'>>(worker, { connect: connectToWriter });
    const started = { worker, calls: callsTo<PastCalls>(worker) };
    let cause: unknown;
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      if (running === started) running = null;
      if (!isClosed) report(cause ?? new Error('the thread of the past ended'));
      started.calls.lost(isClosed ? stopping() : lost(cause));
    });
    return started;
  }

  function calls(): Caller<PastCalls> {
    if (isClosed) throw stopping();
    return (running ??= start()).calls;
  }

  return {
    open: async (past) => calls().call('open', past),
    has: async (past) => calls().call('has', past),
    get: async (from, ids) => calls().call('get', { from, ids }),
    find: async (from, query) => calls().call('find', { from, query }),
    async close() {
      isClosed = true;
      await running?.worker.terminate();
    },
  };
}

function stopping(): AppError {
  return new AppError('shutting_down', 'The server is stopping.');
}

function lost(cause: unknown): AppError {
  if ((cause as { code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new AppError('as_of_too_large', 'The project takes too much memory as of that moment.', { cause });
  return new AppError('overloaded', 'The answer was lost because its thread ended; try again.', {
    retryAfter: 1,
    cause,
  });
}
