/**
 * Runs work that only one process may do at a time: acquires the lease, works while it lasts, and tries again after a
 * fault. A leader that lost its lease without noticing works on for a while: its writes have to be fenced or harmless.
 */
import type { Clock } from '../clock.js';
import { acquireLease, LEASE_MS, type Holder, type Lease } from './lease.js';
import { startHeartbeat } from './lease-heartbeat.js';
import type { State } from '../ports/state.js';
import { backOffMs } from '../concurrency/back-off.js';
import { sleep } from '../concurrency/sleep.js';

export type LeaderOptions = {
  /** The name of the lease. */
  name: string;
  state: State;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Gets every fault before the next try. */
  report: (fault: LeaderFault) => void;
  /** As in `acquireLease`. */
  above?: () => Promise<number>;
  /** Asked before the lease is. False: another process has to lead, so this one leaves the lease to it for now. */
  mayLead?: () => Promise<boolean>;
  /**
   * Must end when `ended` is aborted, by the signal or because the lease is lost. It is aborted after the work too, for
   * all that the work has begun.
   */
  work: (lease: Lease, ended: AbortSignal) => Promise<void>;
};

export type LeaderFault = { type: 'failed'; error: unknown; retryInMs: number };

/** After an outage, the work begins again within the longest pause. */
const BACK_OFF = { firstMs: 100, longestMs: 2_000 };

/** Runs until the signal. After a fault it reports, and tries again after a pause that grows with each fault. */
export async function runAsLeader(options: LeaderOptions): Promise<void> {
  const { name, state, holder, signal, report, clock, above, mayLead } = options;
  let failures = 0;
  let held: Lease | null = null;
  const giveBack = async () => {
    await held?.release();
    held = null;
  };
  while (!signal.aborted) {
    const began = clock().getTime();
    try {
      // A lease that could not be released while State was away would make this process wait for itself.
      await giveBack();
      const since = performance.now();
      if ((await mayLead?.()) !== false) {
        held = await acquireLease(state, name, holder, clock, above && { above });
      }
      const leads = held !== null;
      if (held !== null) await workWhileHeld(options, held, since);
      failures = 0;
      await sleep(leads ? 0 : LEASE_MS / 10, signal);
    } catch (error) {
      // Otherwise the pauses of one outage would add up with those of the next, months later.
      if (clock().getTime() - began > BACK_OFF.longestMs) failures = 0;
      failures += 1;
      const retryInMs = backOffMs(failures, BACK_OFF);
      report({ type: 'failed', error, retryInMs });
      // At once if possible, because another process may be able to work. If not, the next turn tries again.
      await giveBack().catch(() => undefined);
      await sleep(retryInMs, signal);
    }
  }
  await giveBack().catch((error: unknown) => report({ type: 'failed', error, retryInMs: 0 }));
}

async function workWhileHeld(
  { signal, report, work }: LeaderOptions,
  lease: Lease,
  since: number,
): Promise<void> {
  const over = new AbortController();
  const heartbeat = startHeartbeat(lease, {
    since,
    lost: () => over.abort(),
    // One fault of State is no reason to stop: the epoch fences a leader that is late.
    report: (error, retryInMs) => report({ type: 'failed', error, retryInMs }),
  });
  try {
    await work(lease, AbortSignal.any([signal, over.signal]));
  } finally {
    // Work that failed may have left a loop that ends by this signal alone. It would go on beside that of the next try.
    over.abort();
    await heartbeat.end();
  }
}
