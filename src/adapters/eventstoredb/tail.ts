/**
 * The tail: all events of ours from its start on, by one subscription. It keeps the newest events, and all live followers
 * read them here: with a subscription each, they would soon be more than the server takes on a connection. It also knows
 * the newest event of each team.
 */
import { backOffMs } from '../../concurrency/back-off.js';
import { sleep } from '../../concurrency/sleep.js';
import { waitForCallback } from '../../concurrency/wait-for-callback.js';
import { laterPosition, type Position } from '../../domain/event.js';
import { openStreamTails, type StreamTails } from './stream-tails.js';
import type { Connection } from './connection.js';
import { closedLog, toAppError } from './errors.js';
import { toOwnEvent, type OwnEvent } from './event.js';
import { openRecentEvents, type RecentEvents } from './recent-events.js';
import type { StreamFilter, StreamNames } from './names.js';
import { positionOf, type KnownEnd } from './read.js';
import { subscribe } from './subscription.js';
import { teamHeads, type TeamHeads } from './team-heads.js';

export type Tail = {
  known(): KnownEnd;
  readonly teams: TeamHeads;
  readonly streamTails: StreamTails;
  /** A page of the events that are kept, or null. */
  read: RecentEvents['read'];
  /**
   * Resolves when the tail has reached an event of ours.
   * @throws AppError `log_unavailable` when it has not by `end`, by `performance.now()`
   */
  reached(position: Position, end: number): Promise<void>;
  /** How many events have come. */
  count(): number;
  /**
   * Calls the waiter once: at the next event that it wants, or at the end. Returns the function that cancels the wait.
   */
  next(waiter: TailWaiter): () => void;
  /** @throws AppError `log_unavailable` */
  mustBeOpen(): void;
  close(): Promise<void>;
};

export type TailWaiter = {
  wants: StreamFilter['wants'];
  call(): void;
  /** Another event came. Without this, every event would wake all waiters, though each waits for few events. */
  passed(): void;
};

/** When the log is known to have newer events and nothing comes for this long, the tail subscribes again. */
const SILENT_MS = 1_000;
const BACK_OFF = { firstMs: 50, longestMs: 1_000 };
const REPORT_EVERY_MS = 10_000;

export type TailOptions = {
  connection: Connection;
  names: StreamNames;
  start: KnownEnd;
  /** How many events are kept. */
  keep: number;
  /** Receives the error while the tail cannot follow, from time to time. */
  report?: ((error: unknown) => void) | undefined;
};

/** One function, because the subscription and all waits share the position that the tail has reached. */
export function openTail({ connection, names, start, keep, report }: TailOptions): Tail {
  const { onServer } = names.filter(undefined);
  const teams = teamHeads(start.position);
  const streamTails = openStreamTails();
  const recent = openRecentEvents(start.position, keep);
  const waiters = new Set<TailWaiter>();
  let { position, covered } = start;
  let count = 0;
  /** When the current subscription last passed something on, or was made. */
  let heardAt = performance.now();
  let closed = false;
  let restart: (error: unknown) => void = () => undefined;
  const closing = new AbortController();

  function onEvent(each: OwnEvent): void {
    position = each.event.position;
    covered = laterPosition(covered, position);
    teams.saw(each.own.team, position);
    streamTails.saw(each.event.stream, each.event.revision);
    recent.add(each);
    count += 1;
    for (const waiter of waiters) {
      if (waiter.wants(each.own, each.event.type)) call(waiter);
      else waiter.passed();
    }
  }

  function call(waiter: TailWaiter): void {
    waiters.delete(waiter);
    waiter.call();
  }

  function advance(to: Position): void {
    heardAt = performance.now();
    covered = laterPosition(covered, to);
  }

  /** Follows until the subscription fails. */
  async function follow(): Promise<void> {
    const failure = deferredFailure();
    restart = failure.fail;
    heardAt = performance.now();
    const client = await connection.client();
    const subscription = subscribe(client, covered, onServer!, {
      event(resolved) {
        const each = toOwnEvent(names, resolved);
        if (each !== null) onEvent(each);
        advance(positionOf(resolved));
      },
      checkpoint: advance,
      caughtUp: () => undefined,
      failed: failure.fail,
    });
    try {
      await failure.failed;
    } finally {
      restart = () => undefined;
      await subscription.stop();
    }
  }

  /**
   * A server drops a subscriber that falls behind, and its end comes once and is final. So the tail subscribes again
   * from where it was.
   */
  async function keepFollowing(): Promise<void> {
    let failures = 0;
    let reportedAt = -Infinity;
    while (!closed) {
      const before = covered;
      try {
        await follow();
      } catch (error) {
        // Another subscription cures the error, or nothing does. Callers that wait get it from their calls. Without
        // this report, a process without callers would stop following in silence.
        failures = covered === before ? failures + 1 : 0;
        if (!closed && performance.now() - reportedAt > REPORT_EVERY_MS) {
          reportedAt = performance.now();
          report?.(toAppError(error, 'following the log'));
        }
      }
      await sleep(backOffMs(failures + 1, BACK_OFF), closing.signal);
    }
  }

  const following = keepFollowing();

  function mustBeOpen(): void {
    if (closed) throw closedLog();
  }

  function next(waiter: TailWaiter): () => void {
    waiters.add(waiter);
    return () => waiters.delete(waiter);
  }

  async function reached(target: Position, end: number): Promise<void> {
    while (position < target) {
      mustBeOpen();
      if (performance.now() > end) throw toAppError(new Error('the tail is silent'), 'a wait for the tail');
      // Any event ends the wait.
      await waitForCallback((call) => next({ wants: () => true, call, passed: call }), {
        withinMs: SILENT_MS,
      });
      // Measured for the subscription, not for each waiter. Of many waiters, each would otherwise end the subscription
      // that was made for the one before it, before anything came.
      if (position < target && performance.now() - heardAt >= SILENT_MS)
        restart(new Error('the subscription is silent'));
    }
  }

  return {
    known: () => ({ position, covered }),
    teams,
    streamTails,
    read: recent.read,
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

/** A promise that can only fail, and need not be awaited. */
function deferredFailure(): { failed: Promise<never>; fail(error: unknown): void } {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  return { failed, fail };
}
