/**
 * A lease: one holder at a time, for a while. Its epoch rises with every holder; what the holder writes carries
 * the epoch, so that one who lost the lease without noticing is fenced off by the store, not by his clock.
 */
import type { Instant } from '../domain/event.js';
import { later, instant, type Clock } from '../clock.js';
import type { State } from '../ports/state.js';

export type Holder = {
  /** This process' start. */
  boot: string;
  /** No other process can hold anything here: leases of an earlier start are void at once. */
  alone: boolean;
};

export type Lease = {
  epoch: number;
  /** Extends it. False: it is lost, and so is the right to go on. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
};

export const LEASE_MS = 10_000;

type LeaseRecord = { boot: string; epoch: number; until: Instant };

export type LeaseOptions = {
  /**
   * The highest epoch that the store has seen, asked only where the lease is free. A State that was lost, or put back
   * from a backup, has none or an earlier one, and the store would fence off its holders one after the other.
   */
  above?: () => Promise<number>;
  /** Forgotten, epoch and all, so long after it was held: of one of many, by whose epoch nothing is fenced. */
  forgottenAfterMs?: number;
};

/** Before any `until`, also where the clock is set back meanwhile: nobody could take what was given back. */
export const RELEASED: Instant = new Date(0).toISOString();

/**
 * Takes the lease of that name, or answers null while another process holds it. This one takes its own again at once: it
 * works on one thing of that name at a time, and what it could not give back it must not wait for.
 */
export async function acquireLease(
  state: State,
  name: string,
  { boot, alone }: Holder,
  clock: Clock,
  { above = () => Promise.resolve(0), forgottenAfterMs }: LeaseOptions = {},
): Promise<Lease | null> {
  const held = await state.get<LeaseRecord>('lease', name);
  const isAnothers = held !== null && held.value.boot !== boot && !alone;
  if (isAnothers && held.value.until > instant(clock)) return null;

  const epoch = Math.max(held?.value.epoch ?? 0, await above()) + 1;
  const write = (expected: number | 'absent', until: Instant): Promise<number | null> => {
    const expires = forgottenAfterMs && { expiresAt: later(instant(clock), LEASE_MS + forgottenAfterMs) };
    const value: LeaseRecord = { boot, epoch, until };
    return state.put('lease', name, value, { expected, ...expires });
  };
  const next = () => later(instant(clock), LEASE_MS);
  let version = await write(held?.version ?? 'absent', next());
  if (version === null) return null;

  const update = async (until: Instant): Promise<boolean> => {
    if (version === null) return false;
    version = await write(version, until);
    return version !== null;
  };
  return {
    epoch,
    renew: () => update(next()),
    release: async () => void (await update(RELEASED)),
  };
}
