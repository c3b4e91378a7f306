/** Follows the EventStoreDB log: history page by page, then live from the tail. */
import { setImmediate } from 'node:timers/promises';
import type { Batch, FollowOptions } from '../../ports/event-log.js';
import { later, type Position } from '../../domain/event.js';
import { isLedgerError } from '../../errors.js';
import type { Heads } from './head.js';
import type { StreamFilter } from './names.js';
import type { ReadPage } from './page.js';
import { checkPosition } from './event.js';
import type { Tail } from './tail.js';

/** While the filter leaves out all new events, the position is passed on this often, instead of with each event. */
const POSITION_EVERY_MS = 100;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

export type FollowSources = { tail: Tail; heads: Heads; readPage: ReadPage };

/**
 * Yields batches until the signal is aborted. While the server is away, it waits as long as that takes, and then goes
 * on from the consumer's position, so that no consumer has to begin anew.
 * @throws LedgerError `log_unavailable` when the log is closed, so that a consumer does not take it for the end of the
 * events
 */
export async function* follow(
  { tail, heads, readPage }: FollowSources,
  filter: StreamFilter,
  options: FollowOptions,
): AsyncGenerator<Batch, void> {
  const { signal, limit = 2_000 } = options;
  checkPosition(options.after);
  let position = options.after;
  let yielded = { position, caughtUp: false, at: performance.now() };
  // The end of the log when the following began. The consumer has not caught up before it.
  let end: Position | null = null;
  let wait = FIRST_PAUSE_MS;

  while (!signal.aborted) {
    tail.mustBeOpen();
    // Counted before the read, so that an event right after the read ends the wait.
    const seen = tail.count();
    let batch: Batch;
    try {
      end ??= await unlessAborted(heads.newest(), signal);
      if (end === null) return;
      const next = await unlessAborted(nextBatch(end), signal);
      if (next === null) return;
      batch = next;
      wait = FIRST_PAUSE_MS;
    } catch (error) {
      if (signal.aborted) return;
      if (!isLedgerError(error, 'log_unavailable')) throw error;
      await waitForWanted(tail, filter, tail.count(), wait, signal);
      wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
      continue;
    }
    if (signal.aborted) return;
    position = batch.position;
    const news = batch.events.length > 0 || (batch.caughtUp && !yielded.caughtUp);
    if (news || positionDueIn() <= 0) {
      yield batch;
      yielded = { position, caughtUp: batch.caughtUp, at: performance.now() };
    }
    if (batch.caughtUp || position >= tail.known().position)
      await waitForWanted(tail, filter, seen, positionDueIn(), signal);
    // What the tail keeps is read without a turn of the event loop: many who follow it would stop all else.
    else await setImmediate();
  }

  async function nextBatch(end: Position): Promise<Batch> {
    const kept = tail.read(position, limit, filter);
    if (kept !== null) return { ...kept, caughtUp: kept.caughtUp && kept.position >= end };
    const newest = later(end, tail.known().position);
    return readPage({ after: position, newest, limit, filter, signal });
  }

  function positionDueIn(): number {
    return position === yielded.position ? Infinity : yielded.at + POSITION_EVERY_MS - performance.now();
  }
}

/**
 * Waits for an event after the one `seen`: for one that the filter lets through, or, once others came, until the
 * position is due. Waits for at most `withinMs`, and until the abort.
 */
function waitForWanted(
  tail: Tail,
  { wants }: StreamFilter,
  seen: number,
  withinMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted || tail.count() !== seen) return Promise.resolve();
  return new Promise((resolve) => {
    let timer = withinMs === Infinity ? undefined : setTimeout(done, withinMs).unref();
    const giveUp = tail.next({ wants, call: done, passed });
    signal.addEventListener('abort', done);

    function passed(): void {
      timer ??= setTimeout(done, POSITION_EVERY_MS).unref();
    }

    function done(): void {
      clearTimeout(timer);
      giveUp();
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

/** Null when the signal is aborted first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const aborted = () => resolve(null);
    signal.addEventListener('abort', aborted);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}
