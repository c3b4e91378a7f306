/** The subscriptions of pages that were full. Each waits for the page that goes on where its own has ended. */
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { Position } from '../../domain/event.js';
import type { Subscription } from './subscription.js';

/** Where a subscription goes on. `filter`: the key of its filter. */
export type Place = { client: EventStoreDBClient; filter: string; after: Position };

export type PausedSubscriptions = {
  /** The subscription that was kept for the place; null if there is none. It is still paused. */
  take(place: Place): Subscription | null;
  /** Pauses a subscription and keeps it, for at most two seconds. */
  keep(place: Place, subscription: Subscription): void;
  /** Ends all of them, and keeps none from then on. */
  close(): Promise<void>;
};

const KEPT_MS = 2_000;
/** A server takes 100 streams on a connection, and reads have 48 of them. Each keeps some 50 events in buffers. */
const MOST_KEPT = 8;

type Kept = { place: Place; subscription: Subscription; timer: NodeJS.Timeout };

export function openPausedSubscriptions(): PausedSubscriptions {
  let closed = false;
  // The oldest first.
  const all = new Set<Kept>();

  function end(kept: Kept): Promise<void> {
    clearTimeout(kept.timer);
    all.delete(kept);
    return kept.subscription.stop();
  }

  return {
    take({ client, filter, after }) {
      for (const kept of all) {
        const { place } = kept;
        if (place.client !== client || place.filter !== filter || place.after !== after) continue;
        clearTimeout(kept.timer);
        all.delete(kept);
        return kept.subscription;
      }
      return null;
    },
    keep(place, subscription) {
      const kept: Kept = {
        place,
        subscription,
        timer: setTimeout(() => void end(kept), KEPT_MS).unref(),
      };
      // Where it ends meanwhile, the next page opens another one.
      const failed = () => void end(kept);
      subscription.pause({ failed });
      all.add(kept);
      const [oldest] = all;
      if (closed) void end(kept);
      else if (all.size > MOST_KEPT) void end(oldest!);
    },
    async close() {
      closed = true;
      await Promise.all([...all].map(end));
    },
  };
}
