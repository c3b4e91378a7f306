/** Which deliveries a webhook still takes, as it is now. */
import type { Delivery } from '../../domain/messages/delivery.js';
import { eventPositionOf } from '../../domain/messages/message.js';
import { isInReach, type WebhookRecord } from '../../domain/messages/webhook.js';
import { fail } from '../../errors.js';
import type { VersionedDelivery } from '../../ports/deliveries.js';
import type { Found } from '../outbox/find-messages.js';

export type MessagesOf = (sent: readonly Delivery[]) => Promise<readonly Found[]>;

/**
 * Not for a disabled webhook. Not for an event from before the webhook's last enabling whose delivery was not cancelled
 * in time: enabling brings nothing back, unless a user asks for it.
 */
export function isWanted({ enabled, since }: WebhookRecord, { asked, place }: Delivery): boolean {
  return enabled && (asked || eventPositionOf(place) > since);
}

/**
 * Those of the projects of the webhook as it is now. Otherwise a key of one project could send itself, by a resend, what a
 * webhook got before it was narrowed to that project.
 */
export async function inReach(
  { messagesOf }: { messagesOf: MessagesOf },
  target: WebhookRecord,
  ready: readonly VersionedDelivery[],
): Promise<readonly VersionedDelivery[]> {
  if (target.project_ids === null || ready.length === 0) return ready;
  const messages = await messagesOf(ready.map(({ delivery }) => delivery));
  return ready.filter((_, n) => {
    const message = messages[n]!;
    if (message === 'behind') fail('views_unavailable', 'The message is still being read from the log.');
    return message === 'lost' || isInReach(target, message);
  });
}
