/** The subject of the suite, and deliveries to add. */
import type { Deliveries, VersionedDelivery } from '../../../src/ports/deliveries.js';
import { outboxPosition } from '../../../src/domain/messages/message.js';
import type { Delivery } from '../../../src/domain/messages/delivery.js';

/** The store of the current test. */
export type DeliveriesUnderTest = {
  /** Two openings of the same store. */
  readonly deliveries: Deliveries;
  readonly other: Deliveries;
  /** Closes both and opens them again. */
  reopen(): Promise<void>;
};

/** The n-th second of the suite's time. */
export function second(n: number): string {
  return new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
}

/** The n-th delivery of a webhook, about a subject. It is due at once. */
export function delivery(
  webhook: string,
  subject: string,
  n: number,
  more: Partial<Delivery> = {},
): Delivery {
  return {
    id: `delivery_${webhook}_${n}`,
    webhook_id: webhook,
    team_id: 'team_1',
    event_id: `event_${n}`,
    type: 'test.failed',
    subject,
    place: outboxPosition(String(n).padStart(20, '0'), 0),
    created_at: second(0),
    asked: false,
    state: 'pending',
    attempts: [],
    tries: 0,
    next_attempt_at: second(0),
    scheduled_at: null,
    earliest_at: null,
    ...more,
  };
}

/** The delivery in its finished state. */
export function finished(
  one: Delivery,
  state: 'delivered' | 'exhausted' | 'cancelled' = 'delivered',
): Delivery {
  return { ...one, state, next_attempt_at: null };
}

export function idsOf(found: readonly (VersionedDelivery | Delivery)[]): string[] {
  return found.map((one) => ('delivery' in one ? one.delivery.id : one.id));
}
