/** A thread's side of the tail of a process: it asks the main thread for events (`serve-tail.ts`). */
import { randomUUID } from 'node:crypto';
import { BroadcastChannel } from 'node:worker_threads';
import type { Position, RecordedEvent } from '../../domain/event.js';
import type { StreamNames } from './names.js';
import type { KnownEnd } from './read.js';
import { ALIVE_EVERY_MS, type Join, type Page, type ThreadMessage } from './tail-messages.js';
import type { Following, TailHandlers } from './tail-source.js';
import type { PreferredSource } from './with-fallback.js';

export type JoinedTail = {
  source: PreferredSource;
  /** Where the log ends. Null where the main thread does not answer: it is busy, or it has not opened this log. */
  start: KnownEnd | null;
  close(): void;
};

const JOIN_WITHIN_MS = 1_000;
const SILENT_MS = 4 * ALIVE_EVERY_MS;

/** Joins the tail of the main thread. Waits for its answer for at most a second. */
export async function joinTail(channel: string, names: StreamNames): Promise<JoinedTail> {
  const joins = new BroadcastChannel(channel);
  joins.unref();
  const name = `${channel} ${randomUUID()}`;
  const own = new BroadcastChannel(name);
  own.unref();
  // An answer to an earlier question is out of date.
  let question = 0;
  let joined: ((end: KnownEnd | null) => void) | null = null;
  let take: ((page: Page) => void) | null = null;
  own.onmessage = ({ data }: { data: unknown }) => {
    const message = data as ThreadMessage;
    if (message.type === 'joined' && message.joined.question === question) joined?.(message.joined.end);
    if (message.type === 'page' && message.page.question === question) take?.(message.page);
  };

  /** Null where the main thread does not answer, or cannot give all events after the position. */
  function join(after: Position | null): Promise<KnownEnd | null> {
    question += 1;
    return new Promise((resolve) => {
      const late = setTimeout(() => end(null), JOIN_WITHIN_MS);
      function end(known: KnownEnd | null): void {
        clearTimeout(late);
        if (joined === end) joined = null;
        resolve(known);
      }
      joined = end;
      joins.postMessage({ thread: name, question, after } satisfies Join);
    });
  }

  function ask(after: Position): void {
    question += 1;
    own.postMessage({ type: 'ask', ask: { question, after } } satisfies ThreadMessage);
  }

  async function follow(after: Position, handlers: TailHandlers): Promise<Following> {
    let stopped = false;
    let seen = after;
    const silence = setTimeout(() => fail('the main thread is silent'), SILENT_MS).unref();

    function fail(why: string): void {
      if (!stopped) handlers.failed(new Error(why));
    }

    function takePage({ events, covered }: Page): void {
      silence.refresh();
      if (covered === null) {
        fail('the main thread no longer keeps the events after the position');
        return;
      }
      for (const event of JSON.parse(events) as RecordedEvent[]) {
        const its = names.own(event.stream);
        if (its !== null && !stopped) handlers.event({ event, own: its });
      }
      if (stopped) return;
      // A sign of life does not say that the main thread hears from the server.
      if (covered > seen) {
        seen = covered;
        handlers.covered(seen);
      }
      if (!stopped) ask(seen);
    }

    take = takePage;
    ask(seen);
    return {
      async stop() {
        stopped = true;
        clearTimeout(silence);
        if (take === takePage) take = null;
      },
    };
  }

  const start = await join(null);
  return {
    start,
    source: { canFollow: async (after) => (await join(after)) !== null, follow },
    close() {
      joined?.(null);
      take = null;
      joins.close();
      own.close();
    },
  };
}
