/** Follows the EventStoreDB log: history page by page, then live from the tail. */
import { setImmediate } from 'node:timers/promises';
import { backOffMs } from '../../concurrency/back-off.js';
import { unlessAborted } from '../../concurrency/unless-aborted.js';
import { waitForCallback } from '../../concurrency/wait-for-callback.js';
import type { Batch, FollowOptions } from '../../ports/event-log.js';
import { laterPosition, type Position } from '../../domain/event.js';
import { isAppError } from '../../errors.js';
import type { Heads } from './head.js';
import type { StreamFilter } from './names.js';
import type { ReadPage } from './page.js';
import { checkLogPosition } from './event.js';
import type { Tail } from './tail.js';

/** While the filter leaves out all new events, the position is passed on this often, instead of with each event. */
const POSITION_EVERY_MS = 100;
const BACK_OFF = { firstMs: 100, longestMs: 2_000 };

export type FollowSources = { tail: Tail; heads: Heads; readPage: ReadPage };

/**
 * Yields batches until the signal is aborted. While the server is away, it waits as long as that takes, and then goes
 * on from the consumer's position, so that no consumer has to begin again.
 * @throws AppError `log_unavailable` when the log is closed, so that a consumer does not take it for the end of the
 * events
 */
export async function* follow(
  { tail, heads, readPage }: FollowSources,
  filter: StreamFilter,
  options: FollowOptions,
): AsyncGenerator<Batch, void> {
  const { signal, limit = 2_000 } = options;
  checkLogPosition(options.after);
  let position = options.after;
  let yielded = { position, caughtUp: false, at: performance.now() };
  // The end of the log when the following began. The consumer has not caught up before it.
  let end: Position | null = null;
  let failures = 0;

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
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isAppError(error, 'log_unavailable')) throw error;
      failures += 1;
      await waitForWanted(tail, filter, tail.count(), backOffMs(failures, BACK_OFF), signal);
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
    // Events that the tail keeps are read synchronously. Without a pause, many followers would block everything.
    else await setImmediate();
  }

  async function nextBatch(end: Position): Promise<Batch> {
    const kept = tail.read(position, limit, filter);
    if (kept !== null) return { ...kept, caughtUp: kept.caughtUp && kept.position >= end };
    const newest = laterPosition(end, tail.known().position);
    return readPage({ after: position, newest, limit, filter, signal });
  }

  function positionDueIn(): number {
    return position === yielded.position ? Infinity : yielded.at + POSITION_EVERY_MS - performance.now();
  }
}

/**
 * Waits for an event after the one `seen` that the filter lets through, for at most `withinMs`, or until the abort.
 * Without a limit, events that the filter leaves out end the wait too, after `POSITION_EVERY_MS`, so that the consumer
 * gets the position that was reached.
 */
async function waitForWanted(
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
      if (withinMs === Infinity) timer ??= setTimeout(call, POSITION_EVERY_MS).unref();
    };
    const unsubscribe = tail.next({ wants, call, passed });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  };
  await waitForCallback(subscribe, { withinMs, signal });
}
