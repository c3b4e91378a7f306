/**
 * A lease: one holder at a time, for a while. Its epoch rises with every holder; what the holder writes carries
 * the epoch, so that one who lost the lease without noticing is fenced off by the store, not by his clock.
 */
import { later, instant, type Clock } from './clock.js';
import type { State } from './ports.js';

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

type Held = { boot: string; epoch: number; until: string };

/**
 * Takes the lease of that name, or answers null while somebody else holds it. `above`: the highest epoch that the
 * store has seen, asked only where the lease is free. A State that was lost, or put back from a backup, has none or
 * an earlier one, and the store would fence off its holders one after the other.
 */
export async function acquireLease(
  state: State,
  name: string,
  { boot, alone }: Holder,
  clock: Clock,
  above: () => Promise<number> = () => Promise.resolve(0),
): Promise<Lease | null> {
  const held = await state.get<Held>('lease', name);
  if (held !== null && held.value.until > instant(clock) && !(alone && held.value.boot !== boot)) return null;

  const epoch = Math.max(held?.value.epoch ?? 0, await above()) + 1;
  const value = (until: string): Held => ({ boot, epoch, until });
  let version = await state.put('lease', name, value(later(instant(clock), LEASE_MS)), {
    expected: held?.version ?? 'absent',
  });
  if (version === null) return null;

  const update = async (until: string): Promise<boolean> => {
    if (version === null) return false;
    version = await state.put('lease', name, value(until), { expected: version });
    return version !== null;
  };
  return {
    epoch,
    renew: () => update(later(instant(clock), LEASE_MS)),
    release: async () => void (await update(instant(clock))),
  };
}
