/**
 * The claimed deliveries of one webhook: those that its worker sends next.
 *
 * Takes: the subjects that have an attempt under way. Gives: due deliveries of other subjects, so that each subject keeps
 * its order. A claim costs more than a few more deliveries in it, so one fetches many, and they are used for at most a
 * second: a webhook whose deliveries are used up sooner gets more of them with the next claim.
 */
import { instant, type Clock } from '../../clock.js';
import type { FairSemaphore } from '../../concurrency/fair-semaphore.js';
import type { Delivery } from '../../domain/messages/delivery.js';
import type { Deliveries, VersionedDelivery } from '../../ports/deliveries.js';

export type ClaimOptions = {
  deliveries: Pick<Deliveries, 'claimable'>;
  /** One permit for each claim: the teams share the store. */
  claims: FairSemaphore;
  clock: Clock;
};

export type Claims = {
  /** At most this many deliveries to send now; asked after a claim. @throws AppError `state_unavailable` */
  take(count: () => number): Promise<VersionedDelivery[]>;
  /** Those that are sent after them. */
  next(count: number): Delivery[];
};

const CLAIM = { least: 64, most: 256 };
const VALID_MS = 1_000;

/** `key`: whose share of the store a claim takes: the team's, once it is known. */
export function openClaims(
  { deliveries, claims, clock }: ClaimOptions,
  {
    webhook,
    key,
    busy,
    signal,
  }: { webhook: string; key: () => string; busy: ReadonlyMap<string, unknown>; signal: AbortSignal },
): Claims {
  let claimed: VersionedDelivery[] = [];
  let claimedAt = -Infinity;
  let size = CLAIM.least;

  async function claim(): Promise<void> {
    const wereUsedUp = claimed.length === 0 && performance.now() - claimedAt < VALID_MS;
    claimed = [];
    const release = await claims.acquire(key(), { signal });
    if (release === null) return;
    size = wereUsedUp ? Math.min(2 * size, CLAIM.most) : CLAIM.least;
    claimedAt = performance.now();
    // Taken before the claim: the answer may be older than the record of an attempt that ends during the claim, and its
    // delivery would be sent twice.
    const subjects = new Set(busy.keys());
    const due = await deliveries.claimable(webhook, instant(clock), size + subjects.size).finally(release);
    claimed = due.filter(({ delivery }) => !subjects.has(delivery.subject));
  }

  return {
    async take(count) {
      if (claimed.length === 0 || performance.now() - claimedAt > VALID_MS) await claim();
      return claimed.splice(0, count());
    },
    next: (count) => claimed.slice(0, count).map(({ delivery }) => delivery),
  };
}
