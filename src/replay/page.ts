/** One page of a team's events. */
import { setImmediate } from 'node:timers/promises';
import type { Position, RecordedEvent } from '../domain/event.js';
import type { Feed } from '../log/feed.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import { feedFilterOf, isVisible, type ReplayScope } from './scope.js';

export type ReplayPage = {
  events: RecordedEvent[];
  /** The log was read up to here. The next page begins after it. */
  next: Position;
  /** The log held nothing more when it was read. Only this means the end: a page may be short before it. */
  caughtUp: boolean;
};

/** Few, because the events are parsed on the thread that answers requests. */
export const EVENTS_PER_READ = 250;
/** A page whose filter lets hardly anything through ends after some 10,000 events. */
const MAX_READS = 40;
/** The approximate size of a page: each event may have 64 KiB of metadata. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Returns at most `limit` events after a position of the log. */
export async function readPage(
  feed: Feed,
  scope: ReplayScope,
  { after, limit }: { after: Position; limit: number },
): Promise<ReplayPage> {
  const filter = feedFilterOf(scope);
  const page: ReplayPage = { events: [], next: after, caughtUp: false };
  let bytes = 0;
  for (let reads = 1; ; reads += 1) {
    // Without a filter by project, every event is visible, so no more are read than the page still takes.
    const atOnce =
      scope.project === undefined ? Math.min(EVENTS_PER_READ, limit - page.events.length) : EVENTS_PER_READ;
    const batch = await feed.read({ after: page.next, limit: atOnce, filter });
    for (const event of batch.events) {
      if (!isVisible(scope, event)) continue;
      if (page.events.length === limit) return page;
      page.events.push(event);
      page.next = event.position;
      bytes += estimateBytes(event.data);
      if (bytes >= MAX_BYTES) break;
    }
    if (bytes >= MAX_BYTES) return page;
    page.next = batch.position;
    page.caughtUp = batch.caughtUp;
    if (page.caughtUp || page.events.length === limit || reads === MAX_READS) return page;
    // A log in a file is read on this thread: other requests get their turn here.
    await setImmediate();
  }
}
