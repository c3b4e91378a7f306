/**
 * Limits the exchange of tokens. Each attempt takes a point of its address, as a sign-in does, and a right one gives it
 * back. A trust has an allowance of keys, so that one build cannot fill State. The counts are in memory, and bounded.
 */
import { openPoints, type Points } from '../concurrency/points.js';
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

/** `networkOf`: what counts as one client. */
export function openExchangeLimits(networkOf: (address: string) => string): ExchangeLimits {
  const addresses = openPoints(OF_ADDRESS, INTERVAL_MS);
  const trusts = openPoints(OF_TRUST, INTERVAL_MS);
  return {
    attempt(address) {
      const network = networkOf(address);
      take(addresses, network, 'Too many tokens from this address have given no key.');
      return () => addresses.take(network, -1);
    },
    exchanged: (trust) => take(trusts, trust, 'This trust has given too many keys.'),
  };
}

/** @throws AppError `rate_limited` */
function take(points: Points, key: string, detail: string): void {
  const wait = points.waitMs(key);
  if (wait > 0) fail('rate_limited', detail, { retryAfter: Math.ceil(wait / 1_000) });
  points.take(key, 1);
}
