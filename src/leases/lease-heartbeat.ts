/** Renews a lease while its holder works. */
import { LEASE_MS, type Lease } from './lease.js';

export type HeartbeatOptions = {
  /** `performance.now()` from before the lease was requested. */
  since: number;
  /** Called, perhaps more than once, when another holder has the lease or may soon have it: no renewal came in time. */
  lost: () => void;
  /** Called with a fault of State. The lease is still held, and the next renewal may succeed. */
  report: (error: unknown, retryInMs: number) => void;
};

const RENEWED_EVERY_MS = LEASE_MS / 4;
/** The holder stops this long before another process could begin. */
const MARGIN_MS = 1_000;

export type Heartbeat = {
  /**
   * Whether the lease can still be held, by the clock. A process that was frozen handles the answers that waited for it
   * before its timers, so that it would go on for a moment if it relied on `lost`.
   */
  isHeld(): boolean;
  /** Waits for a renewal that is under way. */
  end(): Promise<void>;
};

/** Renews the lease until `end`. One that lapses at no time is lost only by what a renewal answers. */
export function startHeartbeat(lease: Lease, { since, lost, report }: HeartbeatOptions): Heartbeat {
  let renewing: Promise<void> | null = null;
  let heldUntil = since;
  const startLapse = (from: number) => {
    heldUntil = lease.alone ? Infinity : from + LEASE_MS - MARGIN_MS;
    if (lease.alone) return undefined;
    return setTimeout(lost, heldUntil - performance.now()).unref();
  };
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
    isHeld: () => performance.now() < heldUntil,
    end: async () => {
      clearInterval(timer);
      await renewing;
      clearTimeout(lapse);
    },
  };
}
