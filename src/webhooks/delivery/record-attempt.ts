/** Writes an attempt on its delivery. */
import { instant, type Clock } from '../../clock.js';
import { afterAttempt, afterLoss, type Delivery, type Schedule } from '../../domain/messages/delivery.js';
import type { Deliveries, VersionedDelivery } from '../../ports/deliveries.js';
import type { Attempt } from './attempt.js';

export type RecordOptions = { deliveries: Pick<Deliveries, 'put' | 'get'>; clock: Clock; schedule: Schedule };

/** Records the attempt on the delivery as it is now. Returns the delivery after it. */
export async function recordAttempt(
  { deliveries, clock, schedule }: RecordOptions,
  held: VersionedDelivery,
  { retryAfterMs, sent: _, lost, ...made }: Attempt,
): Promise<Delivery> {
  for (let present: VersionedDelivery | null = held; present !== null;) {
    const now = instant(clock);
    const after = lost
      ? afterLoss(present.delivery, made)
      : afterAttempt(present.delivery, made, { now, retryAfterMs, schedule });
    if (await deliveries.put(after, present.version, now)) return after;
    present = await deliveries.get(held.delivery.id);
  }
  // It was purged meanwhile.
  return held.delivery;
}
