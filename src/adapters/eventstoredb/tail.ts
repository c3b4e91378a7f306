/**
 * The tail: one subscription of a process to all events of ours, from its start on. It keeps the newest of them, so
 * that all who follow live read them here: each with a subscription of its own would soon be more than the server
 * takes on a connection. And it knows where the newest event of each team lies.
 */
import { backOffMs } from '../../concurrency/back-off.js';
import { sleep } from '../../concurrency/sleep.js';
import { waitForCallback } from '../../concurrency/wait-for-callback.js';
import { later, type Position } from '../../domain/event.js';
import type { Connection } from './connection.js';
import { openStreamTails, type StreamTails } from './stream-tails.js';
import { closedLog, toLedgerError } from './errors.js';
import { toOwnEvent, type OwnEvent } from './event.js';
import { openRecentEvents, type RecentEvents } from './recent-events.js';
import type { Names, StreamFilter } from './names.js';
import { positionOf, type Known } from './read.js';
import { subscribe } from './subscription.js';
import { teamHeads, type TeamHeads } from './teams.js';

export type Tail = {
  known(): Known;
  readonly teams: TeamHeads;
  readonly ends: StreamTails;
  /** A page from what is kept, or null. */
  read: RecentEvents['read'];
  /**
   * Resolves when the tail has come to an event of ours.
   * @throws LedgerError `log_unavailable` when it has not by `end`, of `performance.now()`
   */
  reached(position: Position, end: number): Promise<void>;
  /** Events that came so far. */
  count(): number;
  /** Calls once, at the next event that is wanted, or at the end. Answers how to call it off. */
  next(waiter: Waiter): () => void;
  /** @throws LedgerError `log_unavailable` */
  mustBeOpen(): void;
  close(): Promise<void>;
};

export type Waiter = {
  wants: StreamFilter['wants'];
  call(): void;
  /** An event came that is not wanted: many who wait for little are not all woken by each. */
  passed(): void;
};

/** When the log is known to go on and nothing comes for so long, the subscription is made anew. */
const SILENT_MS = 1_000;
const BACK_OFF = { firstMs: 50, longestMs: 1_000 };
const REPORT_EVERY_MS = 10_000;

/** `keep`: events that are kept, at the most. `report` is told why it cannot follow, now and then while that lasts. */
export function openTail(
  connection: Connection,
  names: Names,
  start: Known,
  keep: number,
  report: (error: unknown) => void = () => undefined,
): Tail {
  const { onServer } = names.filter(undefined);
  const teams = teamHeads(start.position);
  const ends = openStreamTails();
  const kept = openRecentEvents(start.position, keep);
  const waiters = new Set<Waiter>();
  let { position, covered } = start;
  let count = 0;
  /** When the subscription of now told something, or was made. */
  let heardAt = performance.now();
  let closed = false;
  let restart: (error: Error) => void = () => undefined;
  const closing = new AbortController();

  function came(each: OwnEvent): void {
    position = each.event.position;
    teams.saw(each.own.team, position);
    ends.saw(each.event.stream, each.event.revision);
    kept.add(each);
    count += 1;
    for (const waiter of waiters) {
      if (waiter.wants(each.own, each.event.type)) call(waiter);
      else waiter.passed();
    }
  }

  function call(waiter: Waiter): void {
    waiters.delete(waiter);
    waiter.call();
  }

  /** Until it fails. */
  async function follow(): Promise<void> {
    const client = await connection.client();
    if (closed || onServer === null) return;
    let stop: (() => Promise<void>) | undefined;
    try {
      await new Promise<never>((_, reject) => {
        restart = reject;
        heardAt = performance.now();
        stop = subscribe(client, covered, onServer, {
          event(resolved) {
            const each = toOwnEvent(names, resolved);
            covered = positionOf(resolved);
            heardAt = performance.now();
            if (each !== null) came(each);
          },
          checkpoint: (to) => {
            covered = later(covered, to);
            heardAt = performance.now();
          },
          caughtUp: () => undefined,
          failed: reject,
        });
      });
    } finally {
      restart = () => undefined;
      await stop?.();
    }
  }

  /** A server drops who falls behind, and its end is told once and never taken back: so again, from where it was. */
  async function keepFollowing(): Promise<void> {
    let failures = 0;
    let reportedAt = -Infinity;
    while (!closed) {
      const before = covered;
      try {
        await follow();
      } catch (error) {
        // Whatever it was, it is cured by another subscription or by nothing; calls tell those who wait for it. But a
        // process that nobody calls would be deaf without a word.
        failures = covered === before ? failures + 1 : 0;
        if (!closed && performance.now() - reportedAt > REPORT_EVERY_MS) {
          reportedAt = performance.now();
          report(toLedgerError(error, 'following the log'));
        }
      }
      await sleep(backOffMs(failures + 1, BACK_OFF), closing.signal);
    }
  }

  const following = keepFollowing();

  function mustBeOpen(): void {
    if (closed) throw closedLog();
  }

  function next(waiter: Waiter): () => void {
    waiters.add(waiter);
    return () => waiters.delete(waiter);
  }

  async function reached(target: Position, end: number): Promise<void> {
    while (position < target) {
      mustBeOpen();
      if (performance.now() > end)
        throw toLedgerError(new Error('the tail is silent'), 'a wait for the tail');
      // Any event ends the wait.
      await waitForCallback((call) => next({ wants: () => true, call, passed: call }), {
        withinMs: SILENT_MS,
      });
      // Not by how long he waits: of many who wait, each would end the one that was made for the last, before it speaks.
      if (position < target && performance.now() - heardAt >= SILENT_MS)
        restart(new Error('the subscription is silent'));
    }
  }

  return {
    known: () => ({ position, covered }),
    teams,
    ends,
    read: kept.read,
    reached,
    count: () => count,
    next,
    mustBeOpen,
    close: async () => {
      closed = true;
      closing.abort();
      restart(closedLog());
      for (const waiter of waiters) call(waiter);
      await following;
    },
  };
}
