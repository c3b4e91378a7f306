/**
 * Points by a key that an attacker may choose, such as an e-mail, in memory. They may be used at once, and come back
 * evenly. Only a bucket that is full again is forgotten: to forget another one would give its points back, so that many
 * made-up keys would reset the limit of one that somebody guesses at.
 */
import { TokenBucket } from 'limiter';

export type Points = {
  /** Milliseconds until the key has a point. Keeps nothing for a key that has lost none. */
  waitMs(key: string): number;
  /** Negative points are given back. */
  take(key: string, points: number): void;
};

/** The buckets that are kept before the full ones are looked for. */
const MOST = 10_000;

/** `all` points of a key come back within `intervalMs`. */
export function openPoints(all: number, intervalMs: number): Points {
  const buckets = new Map<string, TokenBucket>();
  let sweepAt = MOST;

  function sweep(): void {
    for (const [key, bucket] of buckets) {
      bucket.drip();
      if (bucket.content >= all) buckets.delete(key);
    }
    // So that a sweep costs no more than the points that were taken since the last one.
    sweepAt = Math.max(MOST, 2 * buckets.size);
  }

  function bucketOf(key: string): TokenBucket {
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      if (buckets.size >= sweepAt) sweep();
      bucket = new TokenBucket({ bucketSize: all, tokensPerInterval: all, interval: intervalMs });
      bucket.content = all;
      buckets.set(key, bucket);
    }
    return bucket;
  }

  return {
    waitMs: (key) => buckets.get(key)?.getWaitTime(1) ?? 0,
    take(key, points) {
      const bucket = bucketOf(key);
      bucket.drip();
      bucket.content = Math.max(-all, Math.min(all, bucket.content - points));
    },
  };
}
