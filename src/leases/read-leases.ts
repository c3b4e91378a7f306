/** Who holds which lease, for people. */
import type { Instant } from '../domain/event.js';
import type { State } from '../ports/state.js';
import type { LeaseRecord } from './lease.js';

/** `holder`: the `boot` of its holder; null while nobody holds it. */
export type HeldLease = { name: string; holder: string | null; epoch: number; until: Instant };

/** The leases with these names that there are, in this order. */
export async function readLeases(state: State, names: readonly string[], now: Instant): Promise<HeldLease[]> {
  const found = await Promise.all(names.map((name) => state.get<LeaseRecord>('lease', name)));
  return found.flatMap((entry, n) => {
    if (entry === null) return [];
    const { boot, epoch, until } = entry.value;
    return [{ name: names[n]!, holder: until > now ? boot : null, epoch, until }];
  });
}
