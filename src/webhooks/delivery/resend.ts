/** Sends one message to a webhook again (docs/api.md, section 5). */
import { requeue, retryNow, type Delivery } from '../../domain/messages/delivery.js';
import type { OutboxPosition } from '../../domain/messages/message.js';
import type { Instant } from '../../domain/event.js';
import { isId } from '../../domain/ids.js';
import { fail } from '../../errors.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { ViewReader } from '../../ports/views.js';
import { findMessages } from '../outbox/find-messages.js';

/**
 * Makes a delivery due now: it queues a finished one again, and ends the wait of one that waits for its next attempt. A
 * delivery that is blocked by another of its subject stays blocked, because order is kept. Returns the new delivery.
 * `after`: those of the place and before it do not exist for the sender.
 * @throws AppError `not_found` if the webhook has no such delivery, or if its message no longer exists,
 *   `views_unavailable` if its message cannot be read now.
 */
export async function resend(
  { deliveries, views }: { deliveries: Deliveries; views: ViewReader },
  {
    webhook,
    delivery: id,
    after,
    now,
  }: { webhook: string; delivery: string; after: OutboxPosition | null; now: Instant },
): Promise<Delivery> {
  for (;;) {
    const held = isId('delivery', id) ? await deliveries.get(id) : null;
    if (held === null || held.delivery.webhook_id !== webhook || held.delivery.place <= (after ?? '')) {
      fail('not_found', 'There is no such delivery.');
    }
    const { delivery, version } = held;
    const wanted = delivery.state === 'pending' ? retryNow(delivery, now) : await queuedAgain(delivery);
    // If the dispatcher has changed it meanwhile, the next round reads it again.
    if (wanted === delivery || (await deliveries.put(wanted, version, now))) return wanted;
  }

  async function queuedAgain(delivery: Delivery): Promise<Delivery> {
    const [message] = await findMessages(views, [delivery]);
    if (message === 'behind') {
      fail('views_unavailable', 'The message is still being read from the log; try again.');
    }
    if (message === 'lost') {
      const gone = 'The message of this delivery no longer exists in the log, so it cannot be sent again.';
      fail('not_found', gone);
    }
    return requeue(delivery, now);
  }
}
