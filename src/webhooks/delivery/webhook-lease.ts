/** The lease of one webhook, held for as long as there is something to send. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../clock.js';
import { startHeartbeat } from '../../leases/lease-heartbeat.js';
import { acquireLease, type Holder } from '../../leases/lease.js';
import type { State } from '../../ports/state.js';

export type WebhookLease = {
  /** Aborted when the lease is lost, or cannot be renewed before it lapses: another may send from then on. */
  signal: AbortSignal;
  /** Ends what is under way, unrecorded. */
  abort(): void;
  /** Gives it back. Never rejects: it lapses by itself. */
  end(): Promise<void>;
};

/** Nothing is fenced by the epochs of webhooks, and of one that is deleted the lease would stay for ever. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** Takes the lease of a webhook and keeps it; null while another holds it. @throws LedgerError `state_unavailable` */
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
  const kept = startHeartbeat(lease, { since, lost: () => ending.abort(), report });
  return {
    signal: ending.signal,
    abort: () => ending.abort(),
    end: async () => {
      await kept.end();
      ending.abort();
      await lease.release().catch(report);
    },
  };
}

export type WebhookLeaseOptions = {
  state: State;
  holder: Holder;
  clock: Clock;
  report: (error: unknown) => void;
};
