/** Keeps a lease for as long as its holder works. */
import { LEASE_MS, type Lease } from './lease.js';

export type HeartbeatOptions = {
  /** `performance.now()` from before the lease was asked for. */
  since: number;
  /** Told once, or more often: another has it, or may have it soon, since it could not be renewed in time. */
  lost: () => void;
  /** Told of a fault of State: the lease holds on, and the next renewal may do. */
  report: (error: unknown, retryInMs: number) => void;
};

const RENEWED_EVERY_MS = LEASE_MS / 4;
/** What is under way is ended so long before another could begin. */
const MARGIN_MS = 1_000;

/** Renews it until the end, which waits for a renewal that is under way. */
export function startHeartbeat(
  lease: Lease,
  { since, lost, report }: HeartbeatOptions,
): { end(): Promise<void> } {
  let renewing: Promise<void> | null = null;
  const lapsing = (from: number) => setTimeout(lost, from + LEASE_MS - MARGIN_MS - performance.now()).unref();
  let lapses = lapsing(since);

  const renew = async (): Promise<void> => {
    const from = performance.now();
    try {
      if (!(await lease.renew())) return lost();
      clearTimeout(lapses);
      lapses = lapsing(from);
    } catch (error) {
      report(error, RENEWED_EVERY_MS);
    }
  };
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => (renewing = null));
  }, RENEWED_EVERY_MS).unref();

  return {
    end: async () => {
      clearInterval(timer);
      await renewing;
      clearTimeout(lapses);
    },
  };
}
