/**
 * The tail of a process: its main thread follows the server, and the other threads ask it for what they have not seen. So
 * an event is received and decoded once, however many threads need it. A thread asks again only when it has taken the
 * last answer, so nothing piles up for it. Where the main thread does not answer, or no longer keeps the events, a thread
 * follows the server itself.
 */
import { randomUUID } from 'node:crypto';
import { BroadcastChannel } from 'node:worker_threads';
import type { Position, RecordedEvent } from '../../domain/event.js';
import type { StreamNames } from './names.js';
import type { KnownEnd } from './read.js';
import type { Tail } from './tail.js';
import type { PreferredSource } from './tail-source.js';

/** From a thread, on the channel of all: it has a channel of its own. It asks where the log ends. */
type Join = { join: string; ask: number; after: Position | null };
/** From a thread, on its own channel. `after`: what it has seen. */
type Ask = { ask: number; after: Position };
/**
 * To a thread, on its own channel. `events`: JSON of the events after the asked position; all of ours up to `end.covered`
 * are among them. `end` is null where the events after the position are no longer kept.
 */
type Answer = { answer: number; events: string; end: KnownEnd | null };

/** Each message wakes a thread: with one for each event, that would cost as much as to decode it. */
const ANSWER_EVERY_MS = 10;
/** A page is made on the thread that answers requests. */
const MOST_BYTES = 256 * 1024;
/** An answer without events, so that the thread knows that it is not forgotten. */
const ALIVE_EVERY_MS = 500;
/** A thread asks, or looks whether it can ask again, more often than that. */
const GONE_AFTER_MS = 10_000;

type Member = { channel: BroadcastChannel; heardAt: number; ask: (Ask & { at: number }) | null };

/** Answers the threads of the process. Returns the function that stops it. */
export function serveTail(channel: string, tail: Tail): () => void {
  const joins = new BroadcastChannel(channel);
  const members = new Map<string, Member>();
  let answeredAt = -Infinity;
  let timer: NodeJS.Timeout | null = null;

  function memberOf(name: string): Member {
    const known = members.get(name);
    if (known !== undefined) return known;
    const member: Member = { channel: new BroadcastChannel(name), heardAt: 0, ask: null };
    member.channel.onmessage = ({ data }: { data: unknown }) => {
      const message = data as Ask | Answer;
      // Another log of this thread may answer there too.
      if (!('ask' in message)) return;
      member.heardAt = performance.now();
      member.ask = { ...message, at: member.heardAt };
      soon();
    };
    member.channel.unref();
    members.set(name, member);
    return member;
  }

  function answer(member: Member, ask: number, end: KnownEnd | null, events = '[]'): void {
    member.ask = null;
    member.channel.postMessage({ answer: ask, events, end } satisfies Answer);
  }

  /** Answers those for whom there is something. */
  function answerAll(): void {
    timer = null;
    answeredAt = performance.now();
    const known = tail.known();
    for (const member of members.values()) {
      const { ask } = member;
      if (ask === null || known.covered <= ask.after) continue;
      const page = tail.encoded(ask.after, MOST_BYTES);
      if (page === null) answer(member, ask.ask, null);
      else if (page.isEnd) answer(member, ask.ask, known, page.events);
      else answer(member, ask.ask, { position: page.position, covered: page.position }, page.events);
    }
  }

  function soon(): void {
    timer ??= setTimeout(answerAll, Math.max(0, answeredAt + ANSWER_EVERY_MS - performance.now()));
  }

  const alive = setInterval(() => {
    const now = performance.now();
    for (const [name, member] of members) {
      const { ask, heardAt } = member;
      if (ask !== null && now - ask.at >= ALIVE_EVERY_MS) {
        answer(member, ask.ask, { position: ask.after, covered: ask.after });
      }
      if (ask !== null || now - heardAt < GONE_AFTER_MS) continue;
      // The thread died, or follows the server.
      member.channel.close();
      members.delete(name);
    }
  }, ALIVE_EVERY_MS).unref();

  joins.onmessage = ({ data }: { data: unknown }) => {
    const { join, ask, after } = data as Join;
    const member = memberOf(join);
    member.heardAt = performance.now();
    answer(member, ask, after === null || tail.keeps(after) ? tail.known() : null);
  };
  joins.unref();
  const unsubscribe = tail.moved(() => {
    if (members.size > 0) soon();
  });
  return () => {
    unsubscribe();
    clearInterval(alive);
    if (timer !== null) clearTimeout(timer);
    for (const member of members.values()) {
      if (member.ask !== null) answer(member, member.ask.ask, null);
      member.channel.close();
    }
    joins.close();
  };
}

export type JoinedTail = {
  source: PreferredSource;
  /** Where the main thread's log ends. Null where it does not answer: it is busy, or it has not opened this log. */
  start: KnownEnd | null;
  close(): void;
};

const JOIN_WITHIN_MS = 1_000;
/** Four signs of life. */
const SILENT_MS = 2_000;

/** Asks the main thread of the process where the log ends, for at most a second. */
export async function joinTail(channel: string, names: StreamNames): Promise<JoinedTail> {
  const joins = new BroadcastChannel(channel);
  joins.unref();
  const name = `${channel} ${randomUUID()}`;
  const own = new BroadcastChannel(name);
  own.unref();
  let asked = 0;
  let receive: ((answer: Answer) => void) | null = null;
  own.onmessage = ({ data }: { data: unknown }) => {
    const message = data as Ask | Answer;
    // An answer to an earlier question is out of date.
    if ('answer' in message && message.answer === asked) receive?.(message);
  };

  /** The end of the log. Null where the main thread does not answer, or does not keep the events after the position. */
  function join(after: Position | null): Promise<KnownEnd | null> {
    asked += 1;
    return new Promise((resolve) => {
      const late = setTimeout(() => end(null), JOIN_WITHIN_MS);
      const end = (known: KnownEnd | null): void => {
        clearTimeout(late);
        receive = null;
        resolve(known);
      };
      receive = (answer) => end(answer.end);
      joins.postMessage({ join: name, ask: asked, after } satisfies Join);
    });
  }

  const source: PreferredSource = {
    canFollow: async (after) => (await join(after)) !== null,
    follow: async (after, handlers) => {
      let stopped = false;
      let seen = after;
      const silence = setTimeout(() => fail('the main thread is silent'), SILENT_MS).unref();

      function fail(why: string): void {
        if (!stopped) handlers.failed(new Error(why));
      }

      function ask(): void {
        asked += 1;
        own.postMessage({ ask: asked, after: seen } satisfies Ask);
      }

      function take({ events, end }: Answer): void {
        silence.refresh();
        if (end === null) {
          fail('the main thread no longer keeps the events after the position');
          return;
        }
        for (const event of JSON.parse(events) as RecordedEvent[]) {
          const its = names.own(event.stream);
          if (its !== null && !stopped) handlers.event({ event, own: its });
        }
        if (stopped) return;
        // Otherwise a sign of life: it does not say that the main thread hears from the server.
        if (end.covered > seen) {
          seen = end.covered;
          handlers.covered(seen);
        }
        if (!stopped) ask();
      }

      receive = take;
      ask();
      return {
        async stop() {
          stopped = true;
          clearTimeout(silence);
          if (receive === take) receive = null;
        },
      };
    },
  };

  const start = await join(null);
  return {
    start,
    source,
    close() {
      receive = null;
      joins.close();
      own.close();
    },
  };
}
