/** The rate limit of each key: a token bucket for two seconds of requests (draft-ietf-httpapi-ratelimit-headers-10). */
import type { ServerResponse } from 'node:http';
import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import { fail } from '../errors.js';

/** Counts one request of a key, and sets the RateLimit headers. @throws LedgerError `rate_limited`. */
export type RateLimit = (keyId: string, response: Pick<ServerResponse, 'setHeader'>) => void;

const MOST_KEYS = 10_000;

export function rateLimit(perSecond: number | 'off'): RateLimit {
  if (perSecond === 'off') return () => undefined;
  const bucketSize = perSecond * 2;
  const policy = `"default";q=${bucketSize};w=2`;
  const buckets = new LRUCache<string, TokenBucket>({ max: MOST_KEYS });

  return (keyId, response) => {
    let bucket = buckets.get(keyId);
    if (bucket === undefined) {
      bucket = new TokenBucket({ bucketSize, tokensPerInterval: perSecond, interval: 'second' });
      bucket.content = bucketSize;
      buckets.set(keyId, bucket);
    }
    const taken = bucket.tryRemoveTokens(1);
    const left = Math.floor(bucket.content);
    const full = Math.ceil((bucketSize - left) / perSecond);
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', `"default";r=${left};t=${full}`);
    if (!taken) {
      const retryAfter = Math.max(1, Math.ceil((1 - bucket.content) / perSecond));
      fail('rate_limited', `This key can send ${perSecond} requests per second.`, { retryAfter });
    }
  };
}
