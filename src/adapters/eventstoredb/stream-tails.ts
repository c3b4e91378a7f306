/**
 * Where streams end, as far as it is known. Each write asks whether anything was added to its project and its run:
 * with the tail at the newest event of all, that needs no read of theirs.
 */
import { LRUCache } from 'lru-cache';
import type { StreamName } from '../../domain/event.js';

export type StreamTails = {
  /** Revision of the last event, -1 for a stream without any; undefined where nothing is known. */
  of(stream: StreamName): number | undefined;
  /** The tail has come to an event. */
  saw(stream: StreamName, revision: number): void;
  /** What a read to the end found, which began when the tail had seen so many events. */
  learn(stream: StreamName, revision: number, began: number): void;
  /** Events that the tail has seen. */
  count(): number;
};

const MOST_STREAMS = 20_000;

/** `seen`: how many events the tail had seen with the last one of this stream. */
type End = { revision: number; seen: number };

export function openStreamTails(most = MOST_STREAMS): StreamTails {
  let count = 0;
  // The highest `seen` of what is not here any more.
  let forgotten = 0;
  const ends = new LRUCache<StreamName, End>({
    max: most,
    dispose({ seen }, _, reason) {
      if (reason === 'evict') forgotten = Math.max(forgotten, seen);
    },
  });
  return {
    of: (stream) => ends.get(stream)?.revision,
    saw(stream, revision) {
      count += 1;
      ends.set(stream, { revision, seen: count });
    },
    learn(stream, revision, began) {
      // An event that the tail saw meanwhile may have been forgotten again: what was read may be the past.
      if (forgotten > began) return;
      const known = ends.get(stream) ?? { revision: -1, seen: 0 };
      ends.set(stream, { ...known, revision: Math.max(known.revision, revision) });
    },
    count: () => count,
  };
}
