/**
 * The last revision of streams, as far as it is known. Each write asks whether its project and its run have new events.
 * When the tail has reached the newest event of the log, this answers without a read.
 */
import { LRUCache } from 'lru-cache';
import type { StreamName } from '../../domain/event.js';

export type StreamTails = {
  /** The revision of the last event; -1 for a stream without events; undefined where nothing is known. */
  of(stream: StreamName): number | undefined;
  /** The tail has reached an event. */
  saw(stream: StreamName, revision: number): void;
  /** A read found the last revision. `began`: how many events the tail had seen when the read began. */
  learn(stream: StreamName, revision: number, began: number): void;
  /** How many events the tail has seen. */
  count(): number;
};

const MOST_STREAMS = 20_000;

/** `seen`: how many events the tail had seen at the last one of this stream. */
type StreamTail = { revision: number; seen: number };

export function openStreamTails(most = MOST_STREAMS): StreamTails {
  let count = 0;
  // The highest `seen` of the streams that were dropped.
  let forgotten = 0;
  const tails = new LRUCache<StreamName, StreamTail>({
    max: most,
    dispose({ seen }, _, reason) {
      if (reason === 'evict') forgotten = Math.max(forgotten, seen);
    },
  });
  return {
    of: (stream) => tails.get(stream)?.revision,
    saw(stream, revision) {
      count += 1;
      tails.set(stream, { revision, seen: count });
    },
    learn(stream, revision, began) {
      // During the read, the tail may have seen an event of this stream and dropped it again: the read may be out of
      // date.
      if (forgotten > began) return;
      const known = tails.get(stream) ?? { revision: -1, seen: 0 };
      tails.set(stream, { ...known, revision: Math.max(known.revision, revision) });
    },
    count: () => count,
  };
}
