/**
 * The health of a webhook's endpoint: since when it fails, and the last delivery. The dispatcher sets its pace by it
 * and stores it in State; the API shows it with the webhook.
 */
import type { components } from '../../client/api.generated.js';
import { instant, type Clock } from '../../clock.js';
import type { Instant } from '../../domain/event.js';
import { limits } from '../../limits.js';
import type { State } from '../../ports/state.js';

export type WebhookHealth = {
  /** The first failure since the last success. */
  failing_since: Instant | null;
  last_delivery: LastDelivery | null;
};

/** The last attempt, as the API shows it. */
export type LastDelivery = components['schemas']['LastDelivery'];

const KIND = 'webhook-health';

/** A webhook without attempts: nothing is wrong, and there is nothing to show. */
const unknown: WebhookHealth = { failing_since: null, last_delivery: null };

/** @throws AppError `state_unavailable` */
export async function healthOf(state: State, webhookId: string): Promise<WebhookHealth> {
  return (await state.get<WebhookHealth>(KIND, webhookId))?.value ?? unknown;
}

/**
 * Writes the result of `change`, unless it is the same object. If another process writes in between, `change` is called
 * again. @throws AppError `state_unavailable`
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

/** Starts the count of days without a success again, from the next failure on. @throws AppError `state_unavailable` */
export async function forgetFailures(state: State, webhookId: string): Promise<void> {
  await changeHealth(state, webhookId, (present) =>
    present.failing_since === null ? present : { ...present, failing_since: null },
  );
}

/** @throws AppError `state_unavailable` */
export async function forgetHealth(state: State, webhookId: string): Promise<void> {
  await state.remove(KIND, webhookId, 'any');
}

// --- While the dispatcher sends -------------------------------------------------------------------------------------

export type EndpointHealth = {
  isFailing(): boolean;
  /** Reads it again: a user may have enabled the webhook again, which resets its failures. */
  reload(): Promise<void>;
  /** Nothing was sent, because something is missing here. */
  unsent(last: LastDelivery): Promise<void>;
  /** Returns whether it is the first success after a failure. */
  succeeded(last: LastDelivery): Promise<boolean>;
  /** Returns whether the endpoint has failed for five days without a success. */
  failed(last: LastDelivery): Promise<boolean>;
  /** Writes a last delivery that was not written yet. */
  flush(): Promise<void>;
};

/** If nothing but the last delivery changes, it is written at most this often. */
const WRITE_EVERY_MS = 1_000;

/** All functions throw AppError `state_unavailable`. */
export async function openEndpointHealth(
  state: State,
  webhook: string,
  clock: Clock,
): Promise<EndpointHealth> {
  let { failing_since } = await healthOf(state, webhook);
  let unwritten: LastDelivery | null = null;
  let writtenAt = -Infinity;

  const write = async (change: (present: WebhookHealth) => WebhookHealth): Promise<void> => {
    unwritten = null;
    writtenAt = clock().getTime();
    await changeHealth(state, webhook, change);
  };
  const writeLater = async (last: LastDelivery): Promise<void> => {
    unwritten = last;
    if (clock().getTime() - writtenAt >= WRITE_EVERY_MS) await flush();
  };
  const reload = async (): Promise<void> => void ({ failing_since } = await healthOf(state, webhook));
  const isHopeless = () =>
    failing_since !== null && clock().getTime() - Date.parse(failing_since) >= limits.failingEndpointMs;
  const flush = async (): Promise<void> => {
    const last = unwritten;
    if (last !== null) await write((present) => ({ ...present, last_delivery: last }));
  };

  return {
    isFailing: () => failing_since !== null,
    reload,
    unsent: writeLater,
    succeeded: async (last) => {
      const recovers = failing_since !== null;
      failing_since = null;
      if (recovers) await write(() => ({ failing_since: null, last_delivery: last }));
      else await writeLater(last);
      return recovers;
    },
    failed: async (last) => {
      // Enabling the webhook again forgets the failures before.
      if (isHopeless()) await reload();
      if (failing_since !== null) {
        // Judged by the time of the failure, not by that of the write.
        const hopeless = isHopeless();
        await writeLater(last);
        return hopeless;
      }
      // Set before the write: deliveries that start during the write go at the slower pace.
      const since = (failing_since = instant(clock));
      await write((present) => ({ failing_since: present.failing_since ?? since, last_delivery: last }));
      return false;
    },
    flush,
  };
}
