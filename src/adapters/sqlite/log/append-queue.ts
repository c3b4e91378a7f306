/**
 * The calling thread's part of the group commit: collects appends, sends them to the writer thread and passes on the
 * answers.
 */
import { Worker } from 'node:worker_threads';
import type { Appended, EventLog } from '../../../ports/event-log.js';
import { LedgerError } from '../../../errors.js';
import { positionOfRow } from './file.js';
import {
  REFUSED,
  toAppendCall,
  type WriterAnswer,
  type AppendCall,
  type AppendOutcomes,
  type WriteFailure,
} from './thread-messages.js';
import type { WriterRequest, WriterData } from './thread-messages.js';
import type { Watermarks } from './watermarks.js';

export type AppendQueue = {
  append: EventLog['append'];
  /** Ends when all earlier appends are answered and the thread has ended. */
  close(): Promise<void>;
};

type PendingAppend = { call: AppendCall; resolve(appended: Appended): void; reject(error: unknown): void };

/**
 * Starts the writer thread and waits until it has opened the file. If the thread dies, the next append starts another
 * one, and `onLost` is called: a commit may have happened without an answer.
 * @throws the thread's error when it cannot start.
 */
export async function startQueue(
  data: WriterData,
  onLost: () => void,
  watermarks: Pick<Watermarks, 'begin' | 'end'>,
): Promise<AppendQueue> {
  let unsent: PendingAppend[] = [];
  // Answers come in the order of the calls.
  const sent: PendingAppend[] = [];
  let worker: Worker | undefined;
  let closed = false;
  // Until the first thread is ready, there are no followers, and a caller whose start failed closes what `onLost` would
  // use.
  let ready = false;

  await new Promise<void>((resolve, reject) => {
    start().once('message', resolve).once('error', reject);
  });

  function start(): Worker {
    const started = new Worker(new URL('./writer.thread.js', import.meta.url), {
      workerData: data,
      // The thread holds little for long. The default young generation would take 48 MiB.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    });
    let cause: unknown;
    started.on('message', (answer: WriterAnswer) => settle(answer));
    started.on('error', (error) => (cause = error));
    started.on('exit', () => {
      worker = undefined;
      const error = unavailable('The writer of the event log has ended; try again.', {
        cause,
        retryAfter: 1,
      });
      rejectAll(sent.splice(0), error);
      if (ready && !closed) onLost();
    });
    worker = started;
    return started;
  }

  function post(): void {
    if (unsent.length === 0) return;
    const waiters = unsent;
    unsent = [];
    let thread: Worker;
    try {
      thread = worker ?? start();
    } catch (cause) {
      const error = unavailable('The event log cannot be written.', { cause, retryAfter: 5 });
      for (const waiter of waiters) waiter.reject(error);
      return;
    }
    watermarks.begin(waiters.map(({ call: [stream] }) => stream));
    for (const waiter of waiters) sent.push(waiter);
    thread.postMessage(waiters.map(({ call }) => call) satisfies WriterRequest);
  }

  function settle(answer: WriterAnswer): void {
    if (answer === 'ready') {
      ready = true;
      return;
    }
    if ('failed' in answer) {
      rejectAll(sent.splice(0, answer.failed), failureError(answer.why, data.file));
    } else {
      resolveAll(sent.splice(0, answer.outcomes.length / 2), answer.outcomes);
    }
  }

  function resolveAll(waiters: readonly PendingAppend[], outcomes: AppendOutcomes): void {
    waiters.forEach((waiter, index) => {
      const [first = REFUSED, second = REFUSED] = outcomes.slice(index * 2, index * 2 + 2);
      watermarks.end(waiter.call[0], first === REFUSED ? 0 : second);
      resolveAppend(waiter, first, second);
    });
  }

  /** They may have been written all the same. */
  function rejectAll(waiters: readonly PendingAppend[], error: LedgerError): void {
    for (const { call, reject } of waiters) {
      watermarks.end(call[0], null);
      reject(error);
    }
  }

  return {
    append: (stream, expected, events) =>
      new Promise((resolve, reject) => {
        if (closed) throw unavailable('The event log is closed.');
        const call = toAppendCall(stream, expected, events);
        // Not in a microtask: one turn of the event loop serves many requests, and their appends go in one message.
        if (unsent.push({ call, resolve, reject }) === 1) setImmediate(post);
      }),
    close: async () => {
      closed = true;
      post();
      const running = worker;
      if (running === undefined) return;
      await new Promise((resolve) => {
        running.once('exit', resolve);
        running.postMessage('close' satisfies WriterRequest);
      });
    },
  };
}

function resolveAppend({ call, resolve, reject }: PendingAppend, first: number, second: number): void {
  if (first !== REFUSED) return resolve({ revision: first, position: positionOfRow(second) });
  const actual = second === REFUSED ? 'empty' : `at revision ${second}`;
  reject(new LedgerError('wrong_revision', `The stream ${call[0]} is ${actual}`));
}

function failureError(why: WriteFailure, file: string): LedgerError {
  if (why === 'full') {
    return unavailable('The disk is full: nothing can be written until there is room.', { retryAfter: 10 });
  }
  if (why === 'busy') {
    return unavailable('Another program has locked the event log.', { retryAfter: 5 });
  }
  if (why === 'damaged') return unavailable(`The event log is damaged: ${file}`);
  return unavailable('The event log cannot be written.', { cause: new Error(why.message), retryAfter: 5 });
}

function unavailable(detail: string, more?: { retryAfter?: number; cause?: unknown }): LedgerError {
  return new LedgerError('log_unavailable', detail, more);
}
