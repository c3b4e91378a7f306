/**
 * Limits the guesses of passwords, by address and by e-mail. Every attempt takes a point before its password is looked
 * at, so that many at once count; a right one gives it back. The points of 15 minutes may be used at once, and come back
 * evenly. The counts are in memory, and bounded: those that were used longest ago go first.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import { unshared, type SharedPoints } from '../concurrency/shared-points.js';
import { fail } from '../errors.js';

export type SignInLimits = {
  /**
   * Takes the points of one attempt. @returns the function that gives them back. @throws AppError `rate_limited`.
   * `address`: null where a link, which cannot be guessed, leads to the attempt.
   */
  attempt(from: { address: string | null; email: string }): () => void;
};

const INTERVAL_MS = 15 * 60_000;
const [OF_ADDRESS, OF_EMAIL] = [20, 10];
const MOST = 10_000;

/** `shared`: with the other processes that let the same people in. */
export function openSignInLimits(shared: SharedPoints = unshared): SignInLimits {
  const addresses = bucketsOf(OF_ADDRESS);
  const emails = bucketsOf(OF_EMAIL);
  const bucketOf = (key: string) => (key.startsWith('address ') ? addresses : emails)(key);
  shared.onTakenElsewhere((key, points) => take(bucketOf(key), points));
  return {
    attempt({ address, email }) {
      const keys = [...(address === null ? [] : [`address ${networkOf(address)}`]), `email ${email}`];
      const wait = Math.max(...keys.map((key) => bucketOf(key).getWaitTime(1)));
      if (wait > 0) {
        const detail = 'Too many attempts to sign in have failed. Wait, or set a new password.';
        fail('rate_limited', detail, { retryAfter: Math.ceil(wait / 1_000) });
      }
      const takeFromEach = (points: number) => {
        for (const key of keys) {
          take(bucketOf(key), points);
          shared.taken(key, points);
        }
      };
      takeFromEach(1);
      return () => takeFromEach(-1);
    },
  };
}

/** The least that a provider gives to a customer is a /64 of IPv6: somebody with a new address each time is no other one. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  // `::ffff:10.0.0.1` is how a socket for both families names 10.0.0.1.
  const plain = ipaddr.process(address);
  return plain.kind() === 'ipv4'
    ? plain.toString()
    : plain.toNormalizedString().split(':').slice(0, 4).join(':');
}

/** Negative points are given back. */
function take(bucket: TokenBucket, points: number): void {
  bucket.drip();
  bucket.content = Math.max(-bucket.bucketSize, Math.min(bucket.bucketSize, bucket.content - points));
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
