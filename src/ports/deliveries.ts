/** The port of deliveries. `test/contract/deliveries/contract.ts` tests its promises. */
import type { Delivery, DeliveryState } from '../domain/messages/delivery.js';
import type { OutboxPosition } from '../domain/messages/message.js';
import type { Instant } from '../domain/event.js';

/**
 * The deliveries of messages to webhooks. They are part of the state and as durable, and have a port of their own
 * because they are found by webhook, subject and time.
 *
 * Of the pending deliveries of one webhook and subject, only the first (the one at the lowest place) may be attempted.
 * A later one whose time comes is **blocked**: its `next_attempt_at` is null until the one before it is finished.
 *
 * Only the holder of the webhook's lease calls `claimable`, `updatePending` and `put`, with one exception: anyone may
 * put a finished delivery back as pending. Many calls at once, also from several openings, lose no delivery and leave
 * none blocked for ever.
 */
export type Deliveries = {
  /**
   * Adds the deliveries whose ids are new, and returns how many those were. A delivery that is there already stays as
   * it is. All are there when the call is answered.
   */
  add(deliveries: readonly Delivery[]): Promise<number>;
  /**
   * The pending deliveries of a webhook whose time has come and that are the first of their subject, earliest time
   * first. Blocks those that are behind another, so that their webhook does not seem to have work.
   */
  claimable(webhook: string, now: Instant, limit: number): Promise<VersionedDelivery[]>;
  /** The webhooks with a delivery whose time has come, in the order of their ids, after an id. */
  webhooksWithClaimable(now: Instant, options: { after?: string; limit: number }): Promise<string[]>;
  /**
   * The webhooks with a blocked delivery, in the order of their ids, after an id. A crash may leave a delivery blocked
   * with nothing before it, and `webhooksWithClaimable` does not find its webhook.
   */
  webhooksWithBlocked(options: { after?: string; limit: number }): Promise<string[]>;
  /**
   * Writes a delivery that was read, unless it has changed since: then the answer is false. A write that finishes the
   * delivery makes the next one of its webhook and subject due at `now`, or at its `earliest_at` where that is later,
   * unless that one is due already. A crash between the two leaves the next one due rather than blocked.
   */
  put(delivery: Delivery, version: number, now: Instant): Promise<boolean>;
  get(id: string): Promise<VersionedDelivery | null>;
  /** Those of the deliveries that there are, in any order, without their attempts: for thousands of ids at once. */
  statesOf(ids: readonly string[]): Promise<StatedDelivery[]>;
  /**
   * The deliveries of a webhook, by place, all or those after one. `total`: how many there are; a store that has to count
   * stops at 100,000.
   */
  find(
    webhook: string,
    query: {
      direction: 'ascending' | 'descending';
      offset: number;
      limit: number;
      state?: DeliveryState;
      after?: OutboxPosition;
    },
  ): Promise<{ items: Delivery[]; total: number }>;
  /**
   * Changes all pending deliveries of a webhook, and returns how many changed.
   * - `retry-now` makes those due that wait for their next attempt: now, or at their `earliest_at` where that is later.
   * - `unblock` makes those due that are blocked with nothing before them, as a crash leaves them.
   * - `cancel` ends those that were created, or requeued, up to `now`. A slow call ends none that came after the
   *   webhook was enabled again.
   */
  updatePending(webhook: string, change: 'retry-now' | 'unblock' | 'cancel', now: Instant): Promise<number>;
  /**
   * Makes up to `limit` deliveries of all webhooks due whose next attempt lies after an instant, as if they were queued
   * `now`, and returns how many. Anyone may call it: a delivery that waits has no attempt under way.
   */
  reschedule(after: Instant, now: Instant, limit: number): Promise<number>;
  /** How many deliveries of all webhooks are pending. A store that has to count stops at 100,000. */
  pending(): Promise<number>;
  /** Deletes up to `limit` deliveries that were last finished before an instant, oldest first. Returns how many. */
  purge(before: Instant, limit: number): Promise<number>;
  /**
   * How many attempts of one webhook may be under way or wait for their record. A kill of the process repeats up to this
   * many. A server that is reached over a network records many at once, and needs more of them for the same pace.
   */
  readonly mostUnrecorded: number;
  close(): Promise<void>;
};

export type StatedDelivery = Pick<Delivery, 'id' | 'webhook_id' | 'state'>;

/** `version` changes with every write. */
export type VersionedDelivery = { delivery: Delivery; version: number };
