/** Following the EventStoreDB log: history page by page, then live from the tail. */
import { setImmediate } from 'node:timers/promises';
import { backOffMs } from '../../concurrency/back-off.js';
import { unlessAborted } from '../../concurrency/unless-aborted.js';
import { waitForCallback } from '../../concurrency/wait-for-callback.js';
import type { Batch, FollowOptions } from '../../ports/event-log.js';
import { later, type Position } from '../../domain/event.js';
import { isLedgerError } from '../../errors.js';
import type { Heads } from './head.js';
import type { StreamFilter } from './names.js';
import type { ReadPage } from './page.js';
import { checkPosition } from './position.js';
import type { Tail } from './tail.js';

/** While only events come that the filter leaves out, the position is told so often and not with each of them. */
const TELL_EVERY_MS = 100;
const BACK_OFF = { firstMs: 100, longestMs: 2_000 };

export type Followed = { tail: Tail; heads: Heads; readPage: ReadPage };

/**
 * Yields batches until the signal is aborted. While the server is away it waits, for as long as that takes, and goes
 * on where the consumer was: nobody has to begin anew because of it.
 * @throws LedgerError `log_unavailable` when the log is closed, so that none takes it for the end of the events
 */
export async function* follow(
  { tail, heads, readPage }: Followed,
  filter: StreamFilter,
  options: FollowOptions,
): AsyncGenerator<Batch, void> {
  const { signal, limit = 2_000 } = options;
  checkPosition(options.after);
  let position = options.after;
  let told = { position, caughtUp: false, at: performance.now() };
  // Of the log as it was when the following began: before that, it has not caught up.
  let end: Position | null = null;
  let failures = 0;

  while (!signal.aborted) {
    tail.mustBeOpen();
    // Counted before the read, so that what comes right after it is not slept through.
    const seen = tail.count();
    let batch: Batch;
    try {
      end ??= await unlessAborted(heads.newest(), signal);
      if (end === null) return;
      const next = await unlessAborted(nextBatch(end), signal);
      if (next === null) return;
      batch = next;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isLedgerError(error, 'log_unavailable')) throw error;
      failures += 1;
      await waitForEvent(tail, filter, tail.count(), backOffMs(failures, BACK_OFF), signal);
      continue;
    }
    if (signal.aborted) return;
    position = batch.position;
    const news = batch.events.length > 0 || (batch.caughtUp && !told.caughtUp);
    if (news || tellIn() <= 0) {
      yield batch;
      told = { position, caughtUp: batch.caughtUp, at: performance.now() };
    }
    if (batch.caughtUp || position >= tail.known().position)
      await waitForEvent(tail, filter, seen, tellIn(), signal);
    // What the tail keeps is read without a turn of the event loop: many who follow it would stop all else.
    else await setImmediate();
  }

  async function nextBatch(end: Position): Promise<Batch> {
    const kept = tail.read(position, limit, filter);
    if (kept !== null) return { ...kept, caughtUp: kept.caughtUp && kept.position >= end };
    const newest = later(end, tail.known().position);
    return readPage({ after: position, newest, limit, filter, signal });
  }

  function tellIn(): number {
    return position === told.position ? Infinity : told.at + TELL_EVERY_MS - performance.now();
  }
}

/**
 * Waits for an event after the one `seen` that the filter lets through, for at most `withinMs`, or until the abort.
 * Without a limit, events that the filter leaves out end the wait too, after `TELL_EVERY_MS`: then the consumer gets
 * the position that was reached.
 */
async function waitForEvent(
  tail: Tail,
  { wants }: StreamFilter,
  seen: number,
  withinMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (tail.count() !== seen) return;
  const subscribe = (call: () => void) => {
    let timer: NodeJS.Timeout | undefined;
    const passed = (): void => {
      if (withinMs === Infinity) timer ??= setTimeout(call, TELL_EVERY_MS).unref();
    };
    const unsubscribe = tail.next({ wants, call, passed });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  };
  await waitForCallback(subscribe, { withinMs, signal });
}
