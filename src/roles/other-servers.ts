/** The other servers on the same stores: each tells the others which points of its allowances it has taken. */
import { secretKeysOf } from '../adapters/files/secret-key.js';
import { openBroadcast } from '../adapters/open.js';
import type { OnStop } from '../adapters/adapter.js';
import { openPointExchange, type SharedPoints, type TakenPoints } from '../concurrency/shared-points.js';
import type { Config } from '../config.js';
import { deriveKey } from '../secret-key/derive-key.js';
import { signedPoints } from './signed-points.js';

/** An entry is shorter than 100 bytes, because its keys are ids, addresses and hashes. NATS takes 1 MiB in a message, or less. */
const ENTRIES = 500;

/** The points of each allowance. Null without NATS. `report` gets what no call can return. */
export async function openOtherServers(
  config: Config,
  onStop: OnStop,
  report: (error: unknown) => void,
): Promise<((allowance: string) => SharedPoints) | null> {
  const exchange = openPointExchange(tell);
  const { current } = await secretKeysOf(config);
  const signed = signedPoints(deriveKey(current, 'shared-points'));
  const broadcast = await openBroadcast(config, onStop, {
    report,
    received: (data) => exchange.received(signed.read(data)),
  });
  if (broadcast === null) return null;
  onStop(exchange.close);
  return exchange.of;

  function tell(taken: TakenPoints): void {
    for (let n = 0; n < taken.length; n += ENTRIES)
      broadcast!.send(signed.write(taken.slice(n, n + ENTRIES)));
  }
}
