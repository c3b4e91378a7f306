/**
 * The log of an EventStoreDB in a process of its own. The client ends a process that uses two servers when one of them
 * dies, and a process must see what another one appends.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Batch, EventLog, FollowOptions } from '../../../src/ports/event-log.js';
import { AppError, type ErrorCode } from '../../../src/errors.js';

type Method = 'append' | 'readStream' | 'readAll' | 'head';

export type ToChild =
  | { type: 'call'; call: number; method: Method; args: unknown[] }
  | { type: 'follow'; call: number; options: Omit<FollowOptions, 'signal'> }
  | { type: 'next' | 'stop'; call: number }
  | { type: 'end' };

export type FromChild =
  | { type: 'ready'; limits: EventLog['limits'] }
  | { type: 'answered'; call: number; value: unknown }
  | { type: 'failed'; call: number; message: string; code: ErrorCode | null; retryAfter: number | null }
  | { type: 'batch'; call: number; batch: Batch };

export type LogProcess = {
  /** `close` ends the process. The process ends by itself, because a closed log keeps nothing running. */
  log: EventLog;
};

type Pending = {
  resolve(value: unknown): void;
  reject(error: Error): void;
  batch(batch: Batch): void;
};

const script = fileURLToPath(new URL('./child.js', import.meta.url));

/** Starts a process and opens the log in it. @throws Error where the process ends before that. */
export async function openLogProcess(url: string): Promise<LogProcess> {
  const child = fork(script, [url], { serialization: 'advanced', execArgv: ['--enable-source-maps'] });
  const pending = new Map<number, Pending>();
  const exit = once(child, 'exit') as Promise<[code: number | null]>;
  let calls = 0;

  child.on('message', (message: FromChild) => {
    if (message.type === 'ready') return;
    const { call } = message;
    switch (message.type) {
      case 'batch':
        pending.get(call)?.batch(message.batch);
        return;
      case 'answered':
        pending.get(call)?.resolve(message.value);
        break;
      case 'failed':
        pending.get(call)?.reject(errorOf(message));
        break;
    }
    pending.delete(call);
  });
  void exit.then(([code]) => {
    for (const { reject } of pending.values()) reject(new Error(`the process of the log ended with ${code}`));
  });

  function send(message: ToChild): void {
    child.send(message);
  }

  function ask<T>(method: Method, ...args: unknown[]): Promise<T> {
    const call = (calls += 1);
    send({ type: 'call', call, method, args });
    return new Promise((resolve, reject) => pending.set(call, { resolve, reject, batch: () => undefined }));
  }

  /** One batch at a time, as in the other process, which asks for the next batch when this one was taken. */
  async function* follow({ signal, ...options }: FollowOptions): AsyncGenerator<Batch, void> {
    if (signal.aborted) return;
    const call = (calls += 1);
    const stop = () => send({ type: 'stop', call });
    signal.addEventListener('abort', stop);
    send({ type: 'follow', call, options });
    try {
      for (;;) {
        const batch = (await new Promise((resolve, reject) =>
          pending.set(call, { resolve, reject, batch: resolve }),
        )) as Batch | null;
        if (batch === null || signal.aborted) return;
        yield batch;
        send({ type: 'next', call });
      }
    } finally {
      signal.removeEventListener('abort', stop);
      pending.delete(call);
      stop();
    }
  }

  const first = await Promise.race([once(child, 'message'), exit.then(([code]) => code)]);
  if (!Array.isArray(first)) throw new Error(`the process of the log ended with ${String(first)}`);
  const { limits } = first[0] as FromChild & { type: 'ready' };

  return {
    log: {
      append: (...args) => ask('append', ...args),
      readStream: (...args) => ask('readStream', ...args),
      readAll: (...args) => ask('readAll', ...args),
      head: (...args) => ask('head', ...args),
      follow,
      limits,
      singleWriter: false,
      close: async () => {
        send({ type: 'end' });
        const [code] = await exit;
        if (code !== 0) throw new Error(`the process of the log ended with ${code}`);
      },
    },
  };
}

function errorOf({ message, code, retryAfter }: FromChild & { type: 'failed' }): Error {
  if (code === null) return new Error(message);
  return new AppError(code, message, retryAfter === null ? {} : { retryAfter });
}
