/** A process with the log of an EventStoreDB, commanded by `process.ts`. */
import { openEsdbLog } from '../../../src/adapters/eventstoredb/log.js';
import type { FollowOptions } from '../../../src/ports/event-log.js';
import { AppError } from '../../../src/errors.js';
import type { FromChild, ToChild } from './process.js';

const log = await openEsdbLog({ url: process.argv[2] ?? '' });
const followers = new Map<number, { abort: AbortController; next: () => void }>();

function send(message: FromChild): void {
  process.send?.(message);
}

/** An error in the form in which it crosses to the other process. */
function failureOf(error: unknown): FromChild & { type: 'failed' } {
  const { code, retryAfter } = error instanceof AppError ? error : {};
  return {
    type: 'failed',
    call: 0,
    message: String(error),
    code: code ?? null,
    retryAfter: retryAfter ?? null,
  };
}

async function answer({ call, method, args }: ToChild & { type: 'call' }): Promise<void> {
  try {
    const value: unknown = await (log[method] as (...all: unknown[]) => Promise<unknown>)(...args);
    send({ type: 'answered', call, value });
  } catch (error) {
    send({ ...failureOf(error), call });
  }
}

async function follow(call: number, options: Omit<FollowOptions, 'signal'>): Promise<void> {
  const abort = new AbortController();
  const follower = { abort, next: (): void => undefined };
  followers.set(call, follower);
  try {
    for await (const batch of log.follow({ ...options, signal: abort.signal })) {
      const taken = new Promise<void>((resolve) => (follower.next = resolve));
      send({ type: 'batch', call, batch });
      await taken;
    }
    send({ type: 'answered', call, value: null });
  } catch (error) {
    send({ ...failureOf(error), call });
  }
  followers.delete(call);
}

process.on('message', (message: ToChild) => {
  switch (message.type) {
    case 'call':
      void answer(message);
      return;
    case 'follow':
      void follow(message.call, message.options);
      return;
    case 'stop':
      followers.get(message.call)?.abort.abort();
      followers.get(message.call)?.next();
      return;
    case 'next':
      followers.get(message.call)?.next();
      return;
    case 'end':
      // Nothing must keep the process running now: it ends by itself, or the test waits in vain.
      void log.close().then(() => process.disconnect());
      return;
  }
});
send({ type: 'ready', limits: log.limits });
