/**
 * Work that one of all processes does at a time: takes the lease, works while it lasts, and tries again after a fault.
 * Whoever lost the lease without noticing works on for a while: what he writes has to be fenced, or harmless.
 */
import type { Clock } from '../clock.js';
import { acquireLease, LEASE_MS, type Holder, type Lease } from './lease.js';
import { startHeartbeat } from './lease-heartbeat.js';
import type { State } from '../ports/state.js';
import { backOffMs } from '../concurrency/back-off.js';
import { sleep } from '../concurrency/sleep.js';

export type LeaderOptions = {
  /** Of the lease. */
  name: string;
  state: State;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Told of every fault before the next try. */
  report: (fault: LeaderFault) => void;
  /** As in `acquireLease`. */
  above?: () => Promise<number>;
  /** Ends when `ended` is aborted: by the signal, or because the lease is lost. */
  work: (lease: Lease, ended: AbortSignal) => Promise<void>;
};

export type LeaderFault = { type: 'failed'; error: unknown; retryInMs: number };

/** After an outage, work begins again within the longest pause. */
const BACK_OFF = { firstMs: 100, longestMs: 2_000 };

/** Runs until the signal. A fault is reported and tried again, with a longer and longer pause. */
export async function runAsLeader(leading: LeaderOptions): Promise<void> {
  const { name, state, holder, signal, report, clock, above } = leading;
  let failures = 0;
  let held: Lease | null = null;
  const giveBack = async () => {
    await held?.release();
    held = null;
  };
  while (!signal.aborted) {
    const began = clock().getTime();
    try {
      // One that could not be given back while State was away would keep us waiting for ourselves.
      await giveBack();
      const since = performance.now();
      held = await acquireLease(state, name, holder, clock, above && { above });
      const leads = held !== null;
      if (held !== null) await workWhileHeld(leading, held, since);
      failures = 0;
      await sleep(leads ? 0 : LEASE_MS / 10, signal);
    } catch (error) {
      // Else the pauses of one bad hour would add up with those of the next, months later.
      if (clock().getTime() - began > BACK_OFF.longestMs) failures = 0;
      failures += 1;
      const retryInMs = backOffMs(failures, BACK_OFF);
      report({ type: 'failed', error, retryInMs });
      // At once where it can be: another process may be better off. Where it cannot, the next turn tries again.
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
  const lost = new AbortController();
  const kept = startHeartbeat(lease, {
    since,
    lost: () => lost.abort(),
    // One fault of State is no reason to stop: the epoch fences whoever is late.
    report: (error, retryInMs) => report({ type: 'failed', error, retryInMs }),
  });
  try {
    await work(lease, AbortSignal.any([signal, lost.signal]));
  } finally {
    await kept.end();
  }
}
