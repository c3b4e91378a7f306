/**
 * Limits the exchange of tokens. Each attempt takes a point of its address, as a sign-in does, and a right one gives it
 * back. A trust has an allowance of keys, so that one build cannot fill State. The counts are in memory, and bounded.
 */
import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import { fail } from '../errors.js';

export type ExchangeLimits = {
  /** Takes a point. @returns the function that gives it back. @throws AppError `rate_limited` */
  attempt(address: string): () => void;
  /** @throws AppError `rate_limited` */
  exchanged(trust: string): void;
};

const INTERVAL_MS = 15 * 60_000;
const OF_ADDRESS = 20;
/** For the jobs of a large build, each with several commands. */
const OF_TRUST = 5_000;
const MOST = 10_000;

/** `networkOf`: what counts as one client. */
export function openExchangeLimits(networkOf: (address: string) => string): ExchangeLimits {
  const addresses = bucketsOf(OF_ADDRESS);
  const trusts = bucketsOf(OF_TRUST);
  return {
    attempt(address) {
      const bucket = addresses(networkOf(address));
      take(bucket, 'Too many tokens from this address have given no key.');
      return () => void (bucket.content = Math.min(bucket.bucketSize, bucket.content + 1));
    },
    exchanged: (trust) => take(trusts(trust), 'This trust has given too many keys.'),
  };
}

function take(bucket: TokenBucket, detail: string): void {
  const wait = bucket.getWaitTime(1);
  if (wait > 0) fail('rate_limited', detail, { retryAfter: Math.ceil(wait / 1_000) });
  bucket.tryRemoveTokens(1);
}

function bucketsOf(size: number): (key: string) => TokenBucket {
  const buckets = new LRUCache<string, TokenBucket>({ max: MOST });
  return (key) => {
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket({ bucketSize: size, tokensPerInterval: size, interval: INTERVAL_MS });
      bucket.content = size;
      buckets.set(key, bucket);
    }
    return bucket;
  };
}
