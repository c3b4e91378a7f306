/** Following the SQLite log: history page by page, then live. */
import { setImmediate } from 'node:timers/promises';
import type { Batch, FollowOptions } from '../../../ports/event-log.js';
import type { ReadPage } from './page.js';
import type { Notifier } from '../../../concurrency/notifier.js';

/** While only events come that the filter leaves out, the position is told so often and not with each of them. */
const TELL_EVERY_MS = 100;

/**
 * Yields batches until the signal is aborted. An empty one is yielded where the consumer has news all the same:
 * that it has caught up, or how far the log was looked at.
 */
export async function* follow(
  read: ReadPage,
  commits: Notifier,
  options: FollowOptions,
): AsyncGenerator<Batch, void> {
  const { signal, limit = 2000 } = options;
  let position = options.after;
  let told = { position, caughtUp: false, at: performance.now() };

  while (!signal.aborted) {
    // Counted before the read, so that what is committed right after it is not slept through.
    const seen = commits.count();
    const batch = read(position, limit);
    position = batch.position;
    const news = batch.events.length > 0 || (batch.caughtUp && !told.caughtUp);
    if (news || tellIn() <= 0) {
      yield batch;
      told = { position, caughtUp: batch.caughtUp, at: performance.now() };
    }
    if (batch.caughtUp) await commits.wait(seen, tellIn(), signal);
    // Pages are read on this thread: without a turn between them, a long history would stop all else on it.
    else await setImmediate();
  }

  function tellIn(): number {
    return position === told.position ? Infinity : told.at + TELL_EVERY_MS - performance.now();
  }
}
