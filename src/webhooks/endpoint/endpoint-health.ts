/** How a webhook fares while we send to it: by it the pace is set, and it is shown with the webhook. */
import { instant, type Clock } from '../../clock.js';
import type { State } from '../../ports/state.js';
import { changeHealth, healthOf, type LastDelivery, type WebhookHealth } from './health.js';
import { limits } from '../../limits.js';

export type EndpointHealth = {
  isFailing(): boolean;
  /** Somebody may have enabled it again, and so have made its failures forgotten. */
  look(): Promise<void>;
  /** Nothing was sent, for want of something of ours. */
  unsent(last: LastDelivery): Promise<void>;
  /** Answers whether it is the first success after a failure. */
  succeeded(last: LastDelivery): Promise<boolean>;
  /** Answers whether there has been nothing but failure for so long that it is hopeless. */
  failed(last: LastDelivery): Promise<boolean>;
  /** Writes what was held back. */
  flush(): Promise<void>;
};

/** While nothing changes but the last delivery, it is written so often at the most. */
const WRITTEN_EVERY_MS = 1_000;

/** All functions throw LedgerError `state_unavailable`. */
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
    if (clock().getTime() - writtenAt >= WRITTEN_EVERY_MS) await flush();
  };
  const look = async (): Promise<void> => void ({ failing_since } = await healthOf(state, webhook));
  const isHopeless = () =>
    failing_since !== null && clock().getTime() - Date.parse(failing_since) >= limits.failingEndpointMs;
  const flush = async (): Promise<void> => {
    const last = unwritten;
    if (last !== null) await write((present) => ({ ...present, last_delivery: last }));
  };

  return {
    isFailing: () => failing_since !== null,
    look,
    unsent: writeLater,
    succeeded: async (last) => {
      const recovers = failing_since !== null;
      failing_since = null;
      if (recovers) await write(() => ({ failing_since: null, last_delivery: last }));
      else await writeLater(last);
      return recovers;
    },
    failed: async (last) => {
      // Whoever enabled it again has forgotten the failures before.
      if (isHopeless()) await look();
      if (failing_since !== null) {
        await writeLater(last);
        return isHopeless();
      }
      // At once, not after the write: what is sent meanwhile goes at the slower pace.
      const since = (failing_since = instant(clock));
      await write((present) => ({ failing_since: present.failing_since ?? since, last_delivery: last }));
      return false;
    },
    flush,
  };
}
