/** The lease of one webhook, held while there is something to send. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../clock.js';
import { startHeartbeat } from '../../leases/lease-heartbeat.js';
import { acquireLease, type Holder } from '../../leases/lease.js';
import type { State } from '../../ports/state.js';

export type WebhookLease = {
  /** Aborted when the lease is lost, or cannot be renewed before it lapses: then another process may send. */
  signal: AbortSignal;
  /** Whether this process may send now. Aborts the signal where the lease has lapsed unnoticed. */
  isHeld(): boolean;
  /** Ends the attempts that are under way, unrecorded. */
  abort(): void;
  /** Releases it. Never rejects: a lease that cannot be released lapses. */
  end(): Promise<void>;
};

export type WebhookLeaseOptions = {
  state: State;
  holder: Holder;
  clock: Clock;
  report: (error: unknown) => void;
};

/** No store is fenced by the epochs of webhooks, and the lease of a deleted webhook would otherwise stay for ever. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** Takes and renews the lease of a webhook. Null while another process holds it. @throws AppError `state_unavailable` */
export async function leaseWebhook(
  { state, holder, clock, report }: WebhookLeaseOptions,
  webhook: string,
): Promise<WebhookLease | null> {
  const ending = new AbortController();
  // Each attempt that is under way listens to it.
  setMaxListeners(0, ending.signal);
  const since = performance.now();
  const lease = await acquireLease(state, `webhook/${webhook}`, holder, clock, {
    forgottenAfterMs: FORGOTTEN_AFTER_MS,
  });
  if (lease === null) return null;
  const heartbeat = startHeartbeat(lease, { since, lost: () => ending.abort(), report });
  return {
    signal: ending.signal,
    isHeld: () => {
      if (!heartbeat.isHeld()) ending.abort();
      return !ending.signal.aborted;
    },
    abort: () => ending.abort(),
    end: async () => {
      await heartbeat.end();
      ending.abort();
      await lease.release().catch(report);
    },
  };
}
