/** Sends one message to a webhook again (docs/api.md, section 5). */
import { messageDocuments, outbox, type MessageDocument } from '../../../projections/outbox.js';
import { requeue, retryNow, type Delivery } from '../../domain/delivery.js';
import type { Instant } from '../../domain/event.js';
import { isId } from '../../domain/ids.js';
import { eventPositionOf } from '../../domain/message.js';
import { fail } from '../../errors.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import type { Render } from '../outbox/payload.js';

/**
 * Makes a delivery due now: it queues a finished one again, and ends the wait of one that waits for its next attempt. A
 * delivery that is blocked by another of its subject stays blocked, because order is kept. Returns the new delivery.
 * @throws LedgerError `not_found` if the webhook has no such delivery, or if its message no longer exists,
 *   `views_unavailable` if its message cannot be read now.
 */
export async function resend(
  { deliveries, views, render }: { deliveries: Deliveries; views: ViewReader; render: Render },
  { webhook, delivery: id, now }: { webhook: string; delivery: string; now: Instant },
): Promise<Delivery> {
  for (;;) {
    const held = isId('delivery', id) ? await deliveries.get(id) : null;
    if (held === null || held.delivery.webhook_id !== webhook) {
      fail('not_found', 'There is no such delivery.');
    }
    const { delivery, version } = held;
    const wanted = delivery.state === 'pending' ? retryNow(delivery, now) : await queuedAgain(delivery);
    // If the dispatcher has changed it meanwhile, the next round reads it again.
    if (wanted === delivery || (await deliveries.put(wanted, version, now))) return wanted;
  }

  async function queuedAgain(delivery: Delivery): Promise<Delivery> {
    const message = (await messageOf(delivery)) ?? (await refuse(delivery));
    const [rendered] = await render([message]);
    return requeue(delivery, rendered!, now);
  }

  async function messageOf({ event_id }: Delivery): Promise<MessageDocument | null> {
    const [message = null] = await typedViews(views, outbox).get(messageDocuments, [event_id]);
    return message;
  }

  /** While the outbox is being rebuilt, the message will come; otherwise it no longer exists. */
  async function refuse(delivery: Delivery): Promise<MessageDocument> {
    const isFolded = (await views.position(outbox.name)) >= eventPositionOf(delivery.place);
    if (!isFolded) fail('views_unavailable', 'The message is still being read from the log; try again.');
    const gone = 'The message of this delivery no longer exists in the log, so it cannot be sent again.';
    return (await messageOf(delivery)) ?? fail('not_found', gone);
  }
}
