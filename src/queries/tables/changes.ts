/** Which results an event makes or changes. Each change makes the revision of its result one higher. */
import { parseStreamName, type RecordedEvent } from '../../domain/event.js';
import type { LedgerEvent } from '../../domain/events.js';
import { bulkOriginOf } from '../../domain/ids.js';
import { isChunk } from '../../domain/runs/item-chunk.js';
import { othersOf } from '../../domain/supersession.js';

/** More would not fit in memory: about 150 bytes each. */
const MOST_LATER = 2_000_000;

/**
 * What of a part of the log its results still have before them. Only results that change after they began are in it: an item
 * that never changes costs no memory, and most results are such items.
 */
export type LaterChanges = {
  /** By result, how many changes are still to come. */
  left: Map<string, number>;
  /** Results that change here and began before, with their runs. */
  older: Map<string, string | null>;
};

export type CountChanges = {
  /** Takes the next event. Returns false where there are more changes than fit in memory. */
  add(event: RecordedEvent): boolean;
  found(): LaterChanges;
};

export function countChanges(): CountChanges {
  const left = new Map<string, number>();
  const older = new Map<string, string | null>();
  /** A deleted result changes no more, whatever supersedes it. */
  const deleted = new Set<string>();
  /** By submission, the ordinal of its first item here. */
  const begun = new Map<string, number>();

  function later(id: string, run: string | null): void {
    if (deleted.has(id)) return;
    const count = left.get(id);
    if (count === undefined && !isBegun(id)) older.set(id, run);
    left.set(id, (count ?? 0) + 1);
  }

  function isBegun(id: string): boolean {
    const origin = bulkOriginOf(id);
    const first = origin === null ? undefined : begun.get(origin.submission_id);
    return first !== undefined && origin!.ordinal >= first;
  }

  function addEvent(recorded: RecordedEvent): void {
    if (isChunk(recorded)) {
      const { first, run_id, replaces = {} } = recorded.data;
      const submission = parseStreamName(recorded.stream).id;
      if (!begun.has(submission)) begun.set(submission, first);
      for (const id of Object.values(replaces).flat()) later(id, run_id);
      return;
    }
    const event = recorded as LedgerEvent;
    switch (event.type) {
      case 'ResultCreated':
        left.set(event.data.result_id, 0);
        break;
      case 'ResultStarted':
      case 'ResultFinished':
      case 'ResultUpdated':
      case 'ResultRedacted':
        return later(event.data.result_id, event.data.run_id);
      case 'ResultDeleted':
        later(event.data.result_id, event.data.run_id);
        deleted.add(event.data.result_id);
        break;
      default:
        return;
    }
    for (const id of othersOf(event)) later(id, event.data.run_id);
  }

  return {
    add(event) {
      addEvent(event);
      return left.size <= MOST_LATER;
    },
    found: () => ({ left, older }),
  };
}
