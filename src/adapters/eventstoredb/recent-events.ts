/** The newest events of the log, kept in memory for live followers. */
import type { Batch } from '../../ports/event-log.js';
import { estimateBytes } from '../../memory/estimate-bytes.js';
import type { Position } from '../../domain/event.js';
import type { OwnEvent } from './event.js';
import type { StreamFilter } from './names.js';

export type RecentEvents = {
  add(event: OwnEvent): void;
  /** A page. Null where events after the position are no longer kept. */
  read(after: Position, limit: number, filter: StreamFilter): Batch | null;
};

type Kept = OwnEvent & { size: number };

/** The approximate size of all that is kept: one event may have a megabyte. */
const BYTES_KEPT = 16 * 1024 * 1024;

/** `start`: the position after which all events will be added. `mostEvents`: how many are kept. */
export function openRecentEvents(start: Position, mostEvents: number): RecentEvents {
  let events: (Kept | undefined)[] = [];
  let first = 0;
  let bytes = 0;
  // All events after it are kept.
  let floor = start;

  function dropOldest(): void {
    const oldest = events[first];
    if (oldest === undefined) return;
    bytes -= oldest.size;
    floor = oldest.event.position;
    events[first] = undefined;
    first += 1;
    // Moving the others down each time would cost far more.
    if (first < mostEvents) return;
    events = events.slice(first);
    first = 0;
  }

  function indexAfter(position: Position): number {
    let [low, high] = [first, events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((events[middle]?.event.position ?? '') > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    add(each) {
      const size = estimateBytes(each.event);
      events.push({ ...each, size });
      bytes += size;
      while (events.length - first > mostEvents || bytes > BYTES_KEPT) dropOldest();
    },
    read(after, limit, { wants }) {
      if (after < floor) return null;
      const batch: Batch = { events: [], position: after, caughtUp: false };
      let index = indexAfter(after);
      for (; index < events.length && batch.events.length < limit; index += 1) {
        const { event, own } = events[index] as OwnEvent;
        if (wants(own, event.type)) batch.events.push(event);
        batch.position = event.position;
      }
      return { ...batch, caughtUp: index === events.length };
    },
  };
}
