/**
 * A lease has one holder at a time, for a limited time. Its epoch rises with every holder, and the holder's writes
 * carry the epoch: so the store refuses a holder that has lost the lease without noticing, and no clock is needed for
 * that.
 */
import type { Instant } from '../domain/event.js';
import { addMilliseconds, instant, type Clock } from '../clock.js';
import type { State, StateEntry } from '../ports/state.js';

export type Holder = {
  /** Identifies this start of the process. */
  boot: string;
  /** No other process can hold a lease here, so leases of an earlier start are void at once. */
  alone: boolean;
};

export type Lease = {
  epoch: number;
  /** As of its holder. No other process can take it, so it does not lapse where its renewals come late. */
  alone: boolean;
  /** Extends the lease. False means that it is lost, and that the holder must stop. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
};

export const LEASE_MS = 10_000;

export type LeaseRecord = { boot: string; epoch: number; until: Instant };

export type LeaseOptions = {
  /**
   * Returns the highest epoch that the store has seen; called only if the lease is free. A State that was lost, or
   * restored from a backup, has no epoch or an earlier one, and the store would refuse its next holders one after the
   * other.
   */
  above?: () => Promise<number>;
  /**
   * The lease and its epoch are deleted this long after its end. For one of many leases, whose epochs fence nothing.
   */
  forgottenAfterMs?: number;
  /** Milliseconds that only go forward, whatever happens to the clock. */
  elapsed?: () => number;
};

/** By how much the clocks of two processes may differ. */
const SKEW_MS = 5_000;

/** Whether a lease ends so late that only a clock that ran ahead, before a kill or a correction, can have written it. */
export function isByWrongClock(until: Instant, clock: Clock): boolean {
  return until > addMilliseconds(instant(clock), LEASE_MS + SKEW_MS);
}

/**
 * By store and name: the leases of others whose end lies further ahead than any holder writes it by a right clock, and
 * since when this process sees them in this version.
 */
const ahead = new WeakMap<State, Map<string, { version: number; since: number }>>();

/** Earlier than any `until`, even after the clock was set back: otherwise a released lease could not be acquired. */
export const RELEASED: Instant = new Date(0).toISOString();

/**
 * Acquires the lease with this name. Returns null while another process holds it. A process acquires its own lease
 * again at once: it does one work of that name at a time, and must not wait for a lease that it could not release.
 */
export async function acquireLease(
  state: State,
  name: string,
  { boot, alone }: Holder,
  clock: Clock,
  {
    above = () => Promise.resolve(0),
    forgottenAfterMs,
    elapsed = () => performance.now(),
  }: LeaseOptions = {},
): Promise<Lease | null> {
  const held = await state.get<LeaseRecord>('lease', name);
  const isAnothers = held !== null && held.value.boot !== boot && !alone;
  const isHeld = isAnothers && held.value.until > instant(clock);
  if (isHeld && !isAbandoned(state, held, clock, elapsed)) return null;

  const epoch = Math.max(held?.value.epoch ?? 0, await above()) + 1;
  const write = (expected: number | 'absent', until: Instant): Promise<number | null> => {
    const expires = forgottenAfterMs && {
      expiresAt: addMilliseconds(instant(clock), LEASE_MS + forgottenAfterMs),
    };
    const value: LeaseRecord = { boot, epoch, until };
    return state.put('lease', name, value, { expected, ...expires });
  };
  const next = () => addMilliseconds(instant(clock), LEASE_MS);
  let version = await write(held?.version ?? 'absent', next());
  if (version === null) return null;

  const update = async (until: Instant): Promise<boolean> => {
    if (version === null) return false;
    version = await write(version, until);
    return version !== null;
  };
  return {
    epoch,
    alone,
    renew: () => update(next()),
    release: async () => void (await update(RELEASED)),
  };
}

/**
 * A holder whose clock ran ahead and that was killed leaves a lease that ends in months. Such an end says nothing: the
 * lease is void once its holder has not renewed it for its length, as this process measures it.
 */
function isAbandoned(
  state: State,
  { key, version, value }: StateEntry<LeaseRecord>,
  clock: Clock,
  elapsed: () => number,
): boolean {
  const seen = ahead.get(state) ?? new Map<string, { version: number; since: number }>();
  ahead.set(state, seen);
  const before = seen.get(key);
  seen.delete(key);
  if (!isByWrongClock(value.until, clock)) return false;
  const since = before?.version === version ? before.since : elapsed();
  if (elapsed() - since > LEASE_MS) return true;
  seen.set(key, { version, since });
  return false;
}
