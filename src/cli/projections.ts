/** Lists the projections: how far each one is, and which partitions are stuck at an event. */
import { ledgerViews } from '../../projections/index.js';
import { outbox } from '../../projections/outbox.js';
import { describeStore, openToInspect, type Inspected } from '../adapters/open.js';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { ALL_PARTITIONS } from '../domain/partition.js';
import type { Checkpoint, ViewReader } from '../ports/views.js';
import { lagAfter } from '../projecting/lag.js';
import { readStuck, type StuckRecord } from '../projecting/stuck.js';

/** Returns the exit code: 0 when nothing is stuck, 1 when something is, or when there is no ledger. */
export async function listProjections(config: Config, print: (line: string) => void): Promise<number> {
  const stores = await openToInspect(config);
  if (stores === null) {
    print(`there is no ledger in ${describeStore(config.views)}; set DATA_DIR`);
    return 1;
  }
  try {
    let isStuck = false;
    for (const [{ name, version }, views] of [
      [ledgerViews, stores.views],
      [outbox, stores.outboxViews],
    ] as const) {
      print(`${name} (this program has version ${version})`);
      const stuck = await readStuck(stores.state, name);
      for (const line of await linesOf(stores, views, name, stuck)) print(`  ${line}`);
      isStuck ||= stuck.length > 0;
    }
    return isStuck ? 1 : 0;
  } finally {
    await stores.close();
  }
}

async function linesOf(
  { log }: Inspected,
  views: ViewReader,
  projection: string,
  stuck: readonly StuckRecord[],
): Promise<string[]> {
  const checkpoints = await views.checkpoints(projection);
  if (checkpoints.length === 0) return ['nothing is folded yet'];
  const lines: string[] = [];
  for (const checkpoint of checkpoints) {
    const seconds = await lagAfter(log, systemClock, checkpoint);
    const lag = seconds === 0 ? 'up to date' : `${Math.round(seconds)} s behind`;
    lines.push(`${nameOf(checkpoint)}: position ${checkpoint.position || 'before the first event'}, ${lag}`);
  }
  for (const { partitions, event, error, since, build } of stuck) {
    const at =
      event === null
        ? 'at an event that cannot be read'
        : `at event ${event.id}, ${event.type} in ${event.stream}`;
    lines.push(`${nameOf({ partitions })} is stuck since ${since} in build ${build} ${at}: ${error}`);
  }
  return lines;
}

function nameOf({ partitions }: Pick<Checkpoint, 'partitions'>): string {
  if (partitions === ALL_PARTITIONS) return 'all partitions';
  return partitions.length === 1 ? `partition ${partitions}` : `partitions ${partitions}`;
}
