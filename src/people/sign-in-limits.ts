/**
 * Limits the guesses of passwords, by address and by e-mail. Every attempt takes a point before its password is looked
 * at, so that many at once count; a right one gives it back. The points of 15 minutes may be used at once, and come back
 * evenly. The counts are in the memory of each process, and bounded: those that were used longest ago go first.
 */
import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';
import { fail } from '../errors.js';

export type SignInLimits = {
  /**
   * Takes the points of one attempt. @returns the function that gives them back. @throws LedgerError `rate_limited`.
   * `address`: null where a link, which cannot be guessed, leads to the attempt.
   */
  attempt(from: { address: string | null; email: string }): () => void;
};

const INTERVAL_MS = 15 * 60_000;
const [OF_ADDRESS, OF_EMAIL] = [20, 10];
const MOST = 10_000;

export function openSignInLimits(): SignInLimits {
  const addresses = bucketsOf(OF_ADDRESS);
  const emails = bucketsOf(OF_EMAIL);
  return {
    attempt({ address, email }) {
      const buckets = [...(address === null ? [] : [addresses(address)]), emails(email)];
      const wait = Math.max(...buckets.map((bucket) => bucket.getWaitTime(1)));
      if (wait > 0) {
        const detail = 'Too many attempts to sign in have failed. Wait, or set a new password.';
        fail('rate_limited', detail, { retryAfter: Math.ceil(wait / 1_000) });
      }
      for (const bucket of buckets) bucket.tryRemoveTokens(1);
      return () => {
        for (const bucket of buckets) bucket.content = Math.min(bucket.bucketSize, bucket.content + 1);
      };
    },
  };
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
