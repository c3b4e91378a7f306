/**
 * Limits the exchange of tokens. A wrong token takes a point of its address, a right one is let in however many wrong ones
 * came from there: the jobs of many teams may have one address. A trust has an allowance of keys, so that one build cannot
 * fill State. The counts are in memory, and bounded.
 */
import { openPoints } from '../concurrency/points.js';
import type { SharedPoints } from '../concurrency/shared-points.js';
import { fail } from '../errors.js';

export type ExchangeLimits = {
  /** A token was wrong. Beyond the limit, nobody learns so. @throws AppError `rate_limited` */
  refused(address: string): void;
  /** @throws AppError `rate_limited` */
  exchanged(trust: string): void;
};

const INTERVAL_MS = 15 * 60_000;
const OF_ADDRESS = 20;
/** For the jobs of a large build, each with several commands. */
const OF_TRUST = 5_000;

/** `networkOf`: what counts as one client. `shared`: with the other processes that exchange tokens. */
export function openExchangeLimits(
  networkOf: (address: string) => string,
  shared: SharedPoints,
): ExchangeLimits {
  const kinds = {
    address: openPoints(OF_ADDRESS, INTERVAL_MS),
    trust: openPoints(OF_TRUST, INTERVAL_MS),
  };
  shared.onTakenElsewhere((taken, points) => {
    const [kind = '', key = ''] = taken.split(' ');
    // None are ever given back.
    if (kind === 'address' || kind === 'trust') kinds[kind].take(key, Math.max(0, points));
  });

  /** @throws AppError `rate_limited` */
  function take(kind: keyof typeof kinds, key: string, detail: string): void {
    const wait = kinds[kind].waitMs(key);
    if (wait > 0) fail('rate_limited', detail, { retryAfter: Math.ceil(wait / 1_000) });
    kinds[kind].take(key, 1);
    shared.taken(`${kind} ${key}`, 1);
  }

  return {
    refused: (address) =>
      take('address', networkOf(address), 'Too many tokens from this address have given no key.'),
    exchanged: (trust) => take('trust', trust, 'This trust has given too many keys.'),
  };
}
