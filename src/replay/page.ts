/** One page of a team's events. */
import { setImmediate } from 'node:timers/promises';
import type { Position, RecordedEvent } from '../domain/event.js';
import type { Feed } from '../log/feed.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import { filterOf, sees, type View } from './view.js';

export type ReplayPage = {
  events: RecordedEvent[];
  /** The log was looked at up to here: the next page begins after it. */
  next: Position;
  /** Nothing more lay in the log when it was read. Only this means the end. */
  caughtUp: boolean;
};

/** Events that are read at once: they are parsed on the thread that answers requests. */
export const READ_AT_ONCE = 250;
/** Reads of a page: with a filter that lets hardly anything through, it ends after some 10,000 events. */
const MOST_READS = 40;
/** Roughly, of a page: each event may have metadata of 64 KiB. */
const MOST_BYTES = 8 * 1024 * 1024;

/** At most `limit` events after a position, which is one of the log's. */
export async function readPage(
  feed: Feed,
  view: View,
  { after, limit }: { after: Position; limit: number },
): Promise<ReplayPage> {
  const filter = filterOf(view);
  const page: ReplayPage = { events: [], next: after, caughtUp: false };
  let bytes = 0;
  for (let reads = 1; ; reads += 1) {
    // No more than are left, where all that is read is shown.
    const atOnce =
      view.project === undefined ? Math.min(READ_AT_ONCE, limit - page.events.length) : READ_AT_ONCE;
    const batch = await feed.read({ after: page.next, limit: atOnce, filter });
    for (const event of batch.events) {
      if (!sees(view, event)) continue;
      if (page.events.length === limit) return page;
      page.events.push(event);
      page.next = event.position;
      bytes += estimateBytes(event.data);
      if (bytes >= MOST_BYTES) break;
    }
    if (bytes >= MOST_BYTES) return page;
    page.next = batch.position;
    page.caughtUp = batch.caughtUp;
    if (page.caughtUp || page.events.length === limit || reads === MOST_READS) return page;
    // A log in a file is read on this thread: others must have their turn.
    await setImmediate();
  }
}
