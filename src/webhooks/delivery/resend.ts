/** Sends one message to a webhook once more (docs/api.md, section 5). */
import { outbox, type MessageDocument } from '../../../projections/publication.js';
import { requeue, type Delivery } from '../../domain/delivery.js';
import type { Instant } from '../../domain/event.js';
import { isId } from '../../domain/ids.js';
import { eventPositionOf } from '../../domain/message.js';
import { fail } from '../../errors.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { ViewReader } from '../../ports/views.js';
import type { Render } from '../outbox/rendering.js';

/**
 * Makes a delivery due now: one that is finished sets out anew, one that waits for its next attempt waits no longer.
 * One that waits for another of its subject goes on waiting: order is kept. Answers it as it is then.
 * @throws LedgerError `not_found` where the webhook has no such delivery, or where what it told is not told any more,
 *   `views_unavailable` where its message cannot be read now.
 */
export async function resend(
  { deliveries, views, render }: { deliveries: Deliveries; views: ViewReader; render: Render },
  { webhook, delivery: id, now }: { webhook: string; delivery: string; now: Instant },
): Promise<Delivery> {
  for (;;) {
    const held = isId('delivery', id) ? await deliveries.get(id) : null;
    if (held === null || held.delivery.webhook_id !== webhook)
      fail('not_found', 'There is no such delivery.');
    const { delivery, version } = held;
    const wanted = delivery.state === 'pending' ? hastened(delivery, now) : await again(delivery);
    // Whoever sends has changed it: it is looked at anew.
    if (wanted === delivery || (await deliveries.put(wanted, version, now))) return wanted;
  }

  async function again(delivery: Delivery): Promise<Delivery> {
    const message = (await messageOf(delivery)) ?? (await refuse(delivery));
    const [rendered] = await render([message]);
    return requeue(delivery, rendered!, now);
  }

  async function messageOf({ event_id }: Delivery): Promise<MessageDocument | null> {
    const [message = null] = await views.get(outbox, 'messages', [event_id]);
    return message as MessageDocument | null;
  }

  /** Not for ever: while the read model is being folded anew it comes, and only then. */
  async function refuse(delivery: Delivery): Promise<MessageDocument> {
    const isFolded = (await views.position(outbox.name)) >= eventPositionOf(delivery.place);
    if (!isFolded) fail('views_unavailable', 'The message is being read from the log; try again.');
    const gone = 'What this delivery told is not in the log, or not told any more: it cannot be sent again.';
    return (await messageOf(delivery)) ?? fail('not_found', gone);
  }
}

function hastened(delivery: Delivery, now: Instant): Delivery {
  const { next_attempt_at: at } = delivery;
  if (at === null || at <= now) return delivery.asked ? delivery : { ...delivery, asked: true };
  return { ...delivery, asked: true, next_attempt_at: now };
}
