/** Renews a lease while its holder works. */
import { LEASE_MS, type Lease } from './lease.js';

export type HeartbeatOptions = {
  /** `performance.now()` from before the lease was requested. */
  since: number;
  /** Called, perhaps more than once, when another process has the lease or may soon have it: no renewal came in time. */
  lost: () => void;
  /** Called with a fault of State. The lease is still held, and the next renewal may succeed. */
  report: (error: unknown, retryInMs: number) => void;
};

const RENEWED_EVERY_MS = LEASE_MS / 4;
/** The holder stops this long before another process could begin. */
const MARGIN_MS = 1_000;

/** Renews the lease until `end`, which waits for a renewal that is under way. */
export function startHeartbeat(
  lease: Lease,
  { since, lost, report }: HeartbeatOptions,
): { end(): Promise<void> } {
  let renewing: Promise<void> | null = null;
  const startLapse = (from: number) =>
    setTimeout(lost, from + LEASE_MS - MARGIN_MS - performance.now()).unref();
  let lapse = startLapse(since);

  const renew = async (): Promise<void> => {
    const from = performance.now();
    try {
      if (!(await lease.renew())) return lost();
      clearTimeout(lapse);
      lapse = startLapse(from);
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
      clearTimeout(lapse);
    },
  };
}
