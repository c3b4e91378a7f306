/** Requests per key: a token bucket that holds two seconds' worth (draft-ietf-httpapi-ratelimit-headers-10). */
import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import { fail } from '../errors.js';

/** Takes one request of a key's; answers the headers to send. @throws LedgerError `rate_limited`. */
export type RateLimit = (keyId: string, send: (headers: Record<string, string>) => void) => void;

const MOST_KEYS = 10_000;

export function rateLimit(perSecond: number | 'off'): RateLimit {
  if (perSecond === 'off') return () => undefined;
  const bucketSize = perSecond * 2;
  const policy = `"default";q=${bucketSize};w=2`;
  const buckets = new LRUCache<string, TokenBucket>({ max: MOST_KEYS });

  return (keyId, send) => {
    let bucket = buckets.get(keyId);
    if (bucket === undefined) {
      bucket = new TokenBucket({ bucketSize, tokensPerInterval: perSecond, interval: 'second' });
      bucket.content = bucketSize;
      buckets.set(keyId, bucket);
    }
    const taken = bucket.tryRemoveTokens(1);
    const left = Math.floor(bucket.content);
    const full = Math.ceil((bucketSize - left) / perSecond);
    send({ 'RateLimit-Policy': policy, RateLimit: `"default";r=${left};t=${full}` });
    if (!taken) {
      const retryAfter = Math.max(1, Math.ceil((1 - bucket.content) / perSecond));
      fail('rate_limited', `This key may send ${perSecond} requests a second.`, { retryAfter });
    }
  };
}
