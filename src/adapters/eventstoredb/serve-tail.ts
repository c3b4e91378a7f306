/**
 * The main thread's side of the tail of a process: it follows the server, and the other threads ask it for what they have
 * not seen. So an event is received and decoded once, however many threads need it. A thread asks again only when it has
 * taken the last page, so nothing piles up for it. `join-tail.ts` is the other side.
 */
import { BroadcastChannel } from 'node:worker_threads';
import type { Position } from '../../domain/event.js';
import type { Tail } from './tail.js';
import { ALIVE_EVERY_MS, type Ask, type Join, type ThreadMessage } from './tail-messages.js';

/** Each message wakes a thread: with one for each event, that would cost more than to decode it. */
const PAGE_EVERY_MS = 10;
/** A page is made on the thread that answers requests. */
const MOST_BYTES = 256 * 1024;
/** A thread asks, or joins again, more often than that. */
const GONE_AFTER_MS = 10_000;

type Thread = {
  channel: BroadcastChannel;
  heardAt: number;
  /** The ask that has no answer yet, and when it came. */
  open: (Ask & { at: number }) | null;
};

/** Answers the threads of the process. Returns the function that stops it. */
export function serveTail(channel: string, tail: Tail): () => void {
  const joins = new BroadcastChannel(channel);
  const threads = new Map<string, Thread>();
  let pagesAt = -Infinity;
  let timer: NodeJS.Timeout | null = null;

  function threadOf(name: string): Thread {
    const known = threads.get(name);
    if (known !== undefined) return known;
    const thread: Thread = { channel: new BroadcastChannel(name), heardAt: 0, open: null };
    thread.channel.onmessage = ({ data }: { data: unknown }) => {
      const message = data as ThreadMessage;
      // Another log of this thread may answer there too.
      if (message.type !== 'ask') return;
      thread.heardAt = performance.now();
      thread.open = { ...message.ask, at: thread.heardAt };
      soon();
    };
    thread.channel.unref();
    threads.set(name, thread);
    return thread;
  }

  function answer(thread: Thread, covered: Position | null, events = '[]'): void {
    const { open } = thread;
    if (open === null) return;
    thread.open = null;
    send(thread, { type: 'page', page: { question: open.question, events, covered } });
  }

  /** Sends a page to each thread for which there is something. */
  function sendPages(): void {
    timer = null;
    pagesAt = performance.now();
    const { covered } = tail.known();
    for (const thread of threads.values()) {
      const { open } = thread;
      if (open === null || covered <= open.after) continue;
      const page = tail.encoded(open.after, MOST_BYTES);
      if (page === null) answer(thread, null);
      else answer(thread, page.isEnd ? covered : page.position, page.events);
    }
  }

  function soon(): void {
    timer ??= setTimeout(sendPages, Math.max(0, pagesAt + PAGE_EVERY_MS - performance.now()));
  }

  const alive = setInterval(() => {
    const now = performance.now();
    for (const [name, thread] of threads) {
      const { open, heardAt } = thread;
      if (open !== null && now - open.at >= ALIVE_EVERY_MS) answer(thread, open.after);
      if (open !== null || now - heardAt < GONE_AFTER_MS) continue;
      // The thread died, or follows the server.
      thread.channel.close();
      threads.delete(name);
    }
  }, ALIVE_EVERY_MS).unref();

  joins.onmessage = ({ data }: { data: unknown }) => {
    const { thread: name, question, after } = data as Join;
    const thread = threadOf(name);
    thread.heardAt = performance.now();
    if (thread.open !== null && thread.open.question < question) thread.open = null;
    const known = tail.known();
    // The thread would hear nothing from a main thread that is behind it, because its subscription hangs.
    const canFollow = after === null || (tail.keeps(after) && known.covered >= after);
    const end = canFollow ? known : null;
    send(thread, { type: 'joined', joined: { question, end } });
  };
  joins.unref();
  const unsubscribe = tail.moved(() => {
    if (threads.size > 0) soon();
  });
  return () => {
    unsubscribe();
    clearInterval(alive);
    if (timer !== null) clearTimeout(timer);
    for (const thread of threads.values()) {
      answer(thread, null);
      thread.channel.close();
    }
    joins.close();
  };
}

function send({ channel }: Thread, message: ThreadMessage): void {
  channel.postMessage(message);
}
