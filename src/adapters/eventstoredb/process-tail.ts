/**
 * The tail of a process: its main thread follows the server, and the other threads ask it for what they have not seen. So
 * an event is received and decoded once, however many threads need it. A thread that falls behind takes events from the
 * server itself; it asks for the next ones only when it has taken the last, so nothing piles up for it.
 */
import { randomUUID } from 'node:crypto';
import { BroadcastChannel } from 'node:worker_threads';
import type { Position, RecordedEvent } from '../../domain/event.js';
import type { StreamNames } from './names.js';
import type { KnownEnd } from './read.js';
import type { Tail } from './tail.js';
import type { TailSource } from './tail-source.js';

/** `after`: what the thread has seen; null if it only asks for the end. `from`: the channel of the answer. */
type Ask = { ask: number; from: string; after: Position | null };

/**
 * `events`: JSON of the events after the asked position. All of ours up to `end.covered` are among them. `end` is null
 * where the events after the position are no longer kept.
 */
type Answer = { ask: number; events: string; end: KnownEnd | null };

/** Each message wakes a thread: with one for each event, that would cost as much as to decode it. */
const ANSWER_EVERY_MS = 5;
const MOST_EVENTS = 1_000;
/** How long a thread waits for the main thread when it opens the log. Without an answer it follows the server. */
const JOIN_WITHIN_MS = 1_000;

/** Answers the threads of the process. Returns the function that stops it. */
export function serveTail(channel: string, tail: Tail): () => void {
  const asks = new BroadcastChannel(channel);
  const answers = new Map<string, BroadcastChannel>();
  const waiting = new Map<string, Ask & { after: Position }>();
  let answeredAt = -Infinity;
  let timer: NodeJS.Timeout | null = null;

  function answer({ ask, from }: Ask, events: string, end: KnownEnd | null): void {
    let to = answers.get(from);
    if (to === undefined) {
      to = new BroadcastChannel(from);
      to.unref();
      answers.set(from, to);
    }
    to.postMessage({ ask, events, end } satisfies Answer);
  }

  /** Answers those for whom there is something, and then waits for more. */
  function answerAll(): void {
    timer = null;
    const known = tail.known();
    for (const [from, ask] of waiting) {
      if (known.covered <= ask.after) continue;
      waiting.delete(from);
      const page = tail.encoded(ask.after, MOST_EVENTS);
      answeredAt = performance.now();
      if (page === null) answer(ask, '[]', null);
      else answer(ask, page.events, page.isEnd ? known : { position: page.position, covered: page.position });
    }
  }

  function soon(): void {
    if (waiting.size === 0) return;
    timer ??= setTimeout(answerAll, Math.max(0, answeredAt + ANSWER_EVERY_MS - performance.now()));
  }

  asks.onmessage = ({ data }: { data: unknown }) => {
    const ask = data as Ask;
    const { from, after } = ask;
    if (after === null) {
      answer(ask, '[]', tail.known());
      return;
    }
    waiting.set(from, { ...ask, after });
    soon();
  };
  asks.unref();
  const unsubscribe = tail.moved(soon);
  return () => {
    unsubscribe();
    if (timer !== null) clearTimeout(timer);
    for (const each of [asks, ...answers.values()]) each.close();
  };
}

export type JoinedTail = { source: TailSource; close(): void };

/**
 * Asks the main thread of the process where the log ends. Null where it does not answer: it has not opened this log.
 * `start` is where the source begins.
 */
export async function joinTail(
  channel: string,
  names: StreamNames,
): Promise<(JoinedTail & { start: KnownEnd }) | null> {
  const asks = new BroadcastChannel(channel);
  asks.unref();
  const from = `${channel} ${randomUUID()}`;
  const answers = new BroadcastChannel(from);
  let asked = 0;
  let receive: ((answer: Answer) => void) | null = null;
  answers.onmessage = ({ data }: { data: unknown }) => {
    const answer = data as Answer;
    // An answer to an earlier question is out of date.
    if (answer.ask === asked) receive?.(answer);
  };
  answers.unref();

  function ask(after: Position | null): void {
    asked += 1;
    asks.postMessage({ ask: asked, from, after } satisfies Ask);
  }

  function close(): void {
    receive = null;
    asks.close();
    answers.close();
  }

  const source: TailSource = {
    follow: async (after, handlers) => {
      let stopped = false;
      receive = ({ events, end }) => {
        if (end === null) {
          handlers.failed(new Error('the main thread no longer keeps the events after the position'));
          return;
        }
        for (const event of JSON.parse(events) as RecordedEvent[]) {
          const own = names.own(event.stream);
          if (own !== null && !stopped) handlers.event({ event, own });
        }
        if (stopped) return;
        handlers.covered(end.covered);
        ask(end.covered);
      };
      ask(after);
      return {
        stop: async () => {
          stopped = true;
          receive = null;
        },
      };
    },
  };

  const start = await new Promise<KnownEnd | null>((resolve) => {
    const late = setTimeout(() => resolve(null), JOIN_WITHIN_MS);
    receive = ({ end }) => {
      clearTimeout(late);
      resolve(end);
    };
    ask(null);
  });
  if (start !== null) return { start, source, close };
  close();
  return null;
}
