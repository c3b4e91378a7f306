/** The lease of one webhook, held for as long as there is something to send. */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../core/clock.js';
import { acquireLease, LEASE_MS, type Holder } from '../core/lease.js';
import type { State } from '../core/ports.js';

export type Holding = {
  /** Aborted when the lease is lost, or cannot be renewed before it lapses: another may send from then on. */
  signal: AbortSignal;
  /** Ends what is under way, unrecorded. */
  abort(): void;
  /** Gives it back. Never rejects: it lapses by itself. */
  end(): Promise<void>;
};

const RENEWED_EVERY_MS = LEASE_MS / 4;
/** What is under way is ended so long before another could begin. */
const MARGIN_MS = 1_000;

/** Takes the lease of a webhook and keeps it; null while another holds it. @throws LedgerError `state_unavailable` */
export async function holdWebhook(
  { state, holder, clock, report }: HoldingOptions,
  webhook: string,
): Promise<Holding | null> {
  const ending = new AbortController();
  // Each attempt that is under way listens to it.
  setMaxListeners(0, ending.signal);
  const began = performance.now();
  const lease = await acquireLease(state, `webhook/${webhook}`, holder, clock);
  if (lease === null) return null;
  let renewing: Promise<void> | null = null;
  /** Counted from before the lease was asked for. */
  const lapsing = (since: number) =>
    setTimeout(() => ending.abort(), since + LEASE_MS - MARGIN_MS - performance.now());
  let lapses = lapsing(began);

  const renew = async (): Promise<void> => {
    const since = performance.now();
    try {
      if (!(await lease.renew())) return ending.abort();
      clearTimeout(lapses);
      lapses = lapsing(since);
    } catch (error) {
      // The lease holds on for a while: the next time may do.
      report(error);
    }
  };
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => (renewing = null));
  }, RENEWED_EVERY_MS);

  return {
    signal: ending.signal,
    abort: () => ending.abort(),
    end: async () => {
      clearInterval(timer);
      await renewing;
      clearTimeout(lapses);
      ending.abort();
      await lease.release().catch(report);
    },
  };
}

export type HoldingOptions = {
  state: State;
  holder: Holder;
  clock: Clock;
  report: (error: unknown) => void;
};
