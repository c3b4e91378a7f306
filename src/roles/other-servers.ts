/**
 * The other servers on the same stores: this one tells them which points of its allowances it has taken, as the processes
 * of one server tell each other.
 */
import { openBroadcast, type OnStop } from '../adapters/open.js';
import type { TakenPoints } from '../concurrency/shared-points.js';
import type { Config } from '../config.js';

export type OtherServers = {
  tell(taken: TakenPoints): void;
  /** `apply` gets what the others tell. */
  onTold(apply: (taken: TakenPoints) => void): void;
};

/** An entry is shorter than 100 bytes, because its keys are ids, addresses and hashes. NATS takes 1 MiB in a message, or less. */
const ENTRIES = 500;

/** Null where the bus does not reach other servers. `report` gets what no call can return. */
export async function openOtherServers(
  config: Config,
  onStop: OnStop,
  report: (error: unknown) => void,
): Promise<OtherServers | null> {
  const listeners: ((taken: TakenPoints) => void)[] = [];
  const broadcast = await openBroadcast(config, onStop, {
    report,
    received(data) {
      const taken = takenPoints(data);
      for (const apply of listeners) apply(taken);
    },
  });
  if (broadcast === null) return null;
  return {
    tell(taken) {
      for (let n = 0; n < taken.length; n += ENTRIES)
        broadcast.send(Buffer.from(JSON.stringify(taken.slice(n, n + ENTRIES))));
    },
    onTold: (apply) => void listeners.push(apply),
  };
}

/** Leaves out what is no entry of points: other programs may send to the subject, and newer ones something else. */
function takenPoints(data: Uint8Array): TakenPoints {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(data).toString());
  } catch {
    return [];
  }
  return Array.isArray(parsed) ? parsed.filter(isEntry) : [];
}

function isEntry(entry: unknown): entry is TakenPoints[number] {
  if (!Array.isArray(entry)) return false;
  const [allowance, key, points] = entry as unknown[];
  return typeof allowance === 'string' && typeof key === 'string' && Number.isFinite(points);
}
