/**
 * Where streams end, as far as it is known. Each write asks whether anything was added to its project and its run:
 * with the tail at the newest event of all, that needs no read of theirs.
 */
import { LRUCache } from 'lru-cache';
import type { StreamName } from '../domain/event.js';

export type StreamEnds = {
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

export function streamEnds(most = MOST_STREAMS): StreamEnds {
  const ends = new LRUCache<StreamName, number>({ max: most });
  let count = 0;
  return {
    of: (stream) => ends.get(stream),
    saw(stream, revision) {
      count += 1;
      ends.set(stream, revision);
    },
    learn(stream, revision, began) {
      // An event that the tail saw meanwhile may have been forgotten again: what was read may be the past.
      if (count - began >= most) return;
      ends.set(stream, Math.max(ends.get(stream) ?? -1, revision));
    },
    count: () => count,
  };
}
