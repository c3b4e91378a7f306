/** How a webhook fares: kept in State by whoever sends, shown with the webhook. */
import type { DeliveryState } from '../../domain/delivery.js';
import type { Instant } from '../../domain/event.js';
import type { MessageType } from '../../domain/message.js';
import type { State } from '../../ports/state.js';

export type WebhookHealth = {
  /** Of the first failure since the last success. */
  failing_since: Instant | null;
  last_delivery: LastDelivery | null;
};

/** The last attempt that was made, as it is shown. */
export type LastDelivery = {
  /** Of the delivery. */
  id: string;
  event_id: string;
  type: MessageType;
  /** In which the attempt left the delivery. */
  state: DeliveryState;
  at: Instant;
  /** Of HTTP; null where there was no answer. */
  status: number | null;
};

const KIND = 'webhook-health';

/** Of a webhook that nothing was sent to: nothing is wrong, and there is nothing to show. */
const unknown: WebhookHealth = { failing_since: null, last_delivery: null };

/** @throws LedgerError `state_unavailable` */
export async function healthOf(state: State, webhookId: string): Promise<WebhookHealth> {
  return (await state.get<WebhookHealth>(KIND, webhookId))?.value ?? unknown;
}

/**
 * Writes what `change` makes of what is there; where that is the same object, nothing. `change` is asked again where
 * somebody else wrote in between. @throws LedgerError `state_unavailable`
 */
export async function changeHealth(
  state: State,
  webhookId: string,
  change: (present: WebhookHealth) => WebhookHealth,
): Promise<void> {
  for (;;) {
    const entry = await state.get<WebhookHealth>(KIND, webhookId);
    const present = entry?.value ?? unknown;
    const changed = change(present);
    if (changed === present) return;
    const expected = entry?.version ?? 'absent';
    if ((await state.put(KIND, webhookId, changed, { expected })) !== null) return;
  }
}

/** Begins anew: the days of nothing but failure are counted from the next one. @throws LedgerError `state_unavailable` */
export async function forgetFailures(state: State, webhookId: string): Promise<void> {
  await changeHealth(state, webhookId, (present) =>
    present.failing_since === null ? present : { ...present, failing_since: null },
  );
}

/** @throws LedgerError `state_unavailable` */
export async function forgetHealth(state: State, webhookId: string): Promise<void> {
  await state.remove(KIND, webhookId, 'any');
}
