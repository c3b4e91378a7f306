/**
 * The rate limit of each key: a token bucket for two seconds of points (draft-ietf-httpapi-ratelimit-headers-10). Each
 * request costs a point before it is handled. What it costs beyond that is known later, and is charged then: the key may
 * get into debt, and its next requests wait until that is paid.
 */
import type { ServerResponse } from 'node:http';
import { TokenBucket } from 'limiter';
import { unshared, type SharedPoints } from '../../concurrency/shared-points.js';
import { fail } from '../../errors.js';
import { recentlyUsed } from '../../memory/recently-used.js';

type Headers = Pick<ServerResponse, 'setHeader'>;

/** Each call sets the RateLimit headers, so it must come before the headers are sent. */
export type RateLimit = {
  /** Charges one point for a request. @throws AppError `rate_limited` where the key has less. */
  request(keyId: string, response: Headers): void;
  /** Charges more points for a request that was let in. Never refuses it. */
  charge(keyId: string, points: number, response: Headers): void;
  /** Refuses a request that had to wait, if others brought the key into debt. @throws AppError `rate_limited`. */
  check(keyId: string, response: Headers): void;
};

const MOST_KEYS = 10_000;

/** `shared`: with the other processes that answer for the same keys. */
export function rateLimit(perSecond: number | 'off', shared: SharedPoints = unshared): RateLimit {
  return perSecond === 'off'
    ? { request: nothing, charge: nothing, check: nothing }
    : limitTo(perSecond, shared);
}

function limitTo(perSecond: number, shared: SharedPoints): RateLimit {
  const bucketSize = perSecond * 2;
  const policy = `"default";q=${bucketSize};w=2`;
  const buckets = recentlyUsed<string, TokenBucket>(MOST_KEYS);

  /** The bucket of a key, with the points that were added since its last request. */
  function bucketOf(keyId: string): TokenBucket {
    let bucket = buckets.get(keyId);
    if (bucket === undefined) {
      bucket = new TokenBucket({ bucketSize, tokensPerInterval: perSecond, interval: 'second' });
      bucket.content = bucketSize;
      buckets.set(keyId, bucket);
    }
    bucket.drip();
    return bucket;
  }

  /** The debt is bounded too: it is paid within two seconds, whatever the request was. */
  function take(bucket: TokenBucket, points: number): void {
    bucket.content = Math.max(-bucketSize, bucket.content - points);
  }

  // None are ever given back here.
  shared.onTakenElsewhere((keyId, points) => take(bucketOf(keyId), Math.max(0, points)));

  function show({ content }: TokenBucket, response: Headers): void {
    const left = Math.floor(content);
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader(
      'RateLimit',
      `"default";r=${Math.max(0, left)};t=${Math.ceil((bucketSize - left) / perSecond)}`,
    );
  }

  function refuse({ content }: TokenBucket): never {
    const retryAfter = Math.max(1, Math.ceil((1 - content) / perSecond));
    fail('rate_limited', `This key can send requests of ${perSecond} points per second.`, { retryAfter });
  }

  return {
    request(keyId, response) {
      const bucket = bucketOf(keyId);
      const taken = bucket.tryRemoveTokens(1);
      show(bucket, response);
      if (!taken) refuse(bucket);
      shared.taken(keyId, 1);
    },
    charge(keyId, points, response) {
      if (points <= 0) return;
      const bucket = bucketOf(keyId);
      take(bucket, points);
      shared.taken(keyId, points);
      show(bucket, response);
    },
    check(keyId, response) {
      const bucket = bucketOf(keyId);
      show(bucket, response);
      if (bucket.content < 0) refuse(bucket);
    },
  };
}

const nothing = (): void => undefined;
