/** The other servers on the same stores: each tells the others which points of its allowances it has taken. */
import { openBroadcast, type OnStop } from '../adapters/open.js';
import { openPointExchange, type SharedPoints, type TakenPoints } from '../concurrency/shared-points.js';
import type { Config } from '../config.js';

/** An entry is shorter than 100 bytes, because its keys are ids, addresses and hashes. NATS takes 1 MiB in a message, or less. */
const ENTRIES = 500;

/** The points of each allowance. Null without NATS. `report` gets what no call can return. */
export async function openOtherServers(
  config: Config,
  onStop: OnStop,
  report: (error: unknown) => void,
): Promise<((allowance: string) => SharedPoints) | null> {
  const exchange = openPointExchange(tell);
  const broadcast = await openBroadcast(config, onStop, {
    report,
    received: (data) => exchange.received(takenPoints(data)),
  });
  if (broadcast === null) return null;
  onStop(exchange.close);
  return exchange.of;

  function tell(taken: TakenPoints): void {
    for (let n = 0; n < taken.length; n += ENTRIES)
      broadcast!.send(Buffer.from(JSON.stringify(taken.slice(n, n + ENTRIES))));
  }
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
