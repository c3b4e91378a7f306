/** The port of deliveries. */
import type { Delivery, DeliveryState } from '../domain/delivery.js';
import type { Instant } from '../domain/event.js';

/**
 * Messages on their way to webhooks: part of the state, as durable, in a form of its own because it is asked by webhook,
 * subject and time. All that is asked `due`, and all but `put` of what is finished again, is asked by whoever holds the
 * lease of the webhook.
 */
export type Deliveries = {
  /** Notes those that are not there yet, by id. Answers how many were new. All are there when it has answered. */
  add(deliveries: readonly Delivery[]): Promise<number>;
  /**
   * Pending ones of a webhook whose time has come, the earliest first: of each subject only the one at the lowest
   * place of all that are pending. What is due behind another is set aside (`next_attempt_at` null) until that one is
   * finished.
   */
  claimable(webhook: string, now: Instant, limit: number): Promise<VersionedDelivery[]>;
  /** Webhooks of which anything is due, by id, after an id. */
  webhooksWithClaimable(now: Instant, options: { after?: string; limit: number }): Promise<string[]>;
  /**
   * Webhooks of which anything is set aside, by id, after an id: nothing says whether anything is before it, and one that
   * a crash left so is not `waiting`.
   */
  webhooksWithBlocked(options: { after?: string; limit: number }): Promise<string[]>;
  /**
   * Writes one that was read, unless it was changed since: then the answer is false. With one that is finished the
   * next of its webhook and subject becomes due at `now`, or as soon as it may be (`earliest_at`), unless it is due
   * already: a crash leaves it due, if anything.
   */
  put(delivery: Delivery, version: number, now: Instant): Promise<boolean>;
  get(id: string): Promise<VersionedDelivery | null>;
  /** Of a webhook, by place. `total`: how many there are, or 100,000 where there are more and a store has to count. */
  find(
    webhook: string,
    query: { direction: 'ascending' | 'descending'; offset: number; limit: number; state?: DeliveryState },
  ): Promise<{ items: Delivery[]; total: number }>;
  /**
   * Changes all pending ones of a webhook: `hasten` makes those due that have to wait for their next attempt, now or as
   * soon as each may be (`earliest_at`), `release` those that are set aside though nothing is before them, as a crash
   * leaves them, `cancel` ends those that set out up to `now`: one that takes long ends none of those that come after
   * the webhook was enabled again. Answers how many.
   */
  updatePending(webhook: string, change: 'hasten' | 'release' | 'cancel', now: Instant): Promise<number>;
  /** How many are pending, of all webhooks; counted as `total` is. */
  pending(): Promise<number>;
  /** Forgets those that were finished last before an instant, at most so many; answers how many. */
  purge(before: Instant, limit: number): Promise<number>;
  close(): Promise<void>;
};

/** `version` changes with every change. */
export type VersionedDelivery = { delivery: Delivery; version: number };
