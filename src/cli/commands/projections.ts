/** `testledger projections`: how far each read model is, and which partitions are stuck at an event. */
import { records } from '../../../projections/records/records.js';
import { history } from '../../../projections/history/history.js';
import { systemClock } from '../../clock.js';
import type { Config } from '../../config.js';
import { ALL_PARTITIONS } from '../../domain/partition.js';
import type { Checkpoint } from '../../ports/views.js';
import { lagAfter } from '../../projecting/lag.js';
import { readStuck, type StuckRecord } from '../../projecting/stuck.js';
import { command, noFlags } from '../command.js';
import { onStores } from '../on-stores.js';
import { exitCodes } from '../exit-codes.js';
import { inspecting } from '../inspecting.js';

export const projectionsCommand = command({
  command: 'projections',
  describe: 'Show how far each read model is, and which events it cannot fold',
  flags: noFlags,
  run: (_, terminal) =>
    onStores(async (config) => {
      const projections = await readProjections(config);
      const isStuck = projections.some(({ stuck }) => stuck.length > 0);
      terminal.result({ projections }, projections.flatMap(linesOf));
      return isStuck ? exitCodes.failed : exitCodes.ok;
    }),
});

export type ProjectionStatus = {
  name: string;
  /** The version that this program has. */
  version: number;
  checkpoints: { partitions: string; position: string; lag_seconds: number }[];
  stuck: readonly StuckRecord[];
};

/** Reads the stores beside a running server, and changes nothing. @throws CliError `ledger_missing` */
export async function readProjections(config: Config): Promise<ProjectionStatus[]> {
  return inspecting(config, async (stores) => {
    const parts = [
      [records, stores.views],
      [history, stores.historyViews],
    ] as const;
    const found: ProjectionStatus[] = [];
    for (const [{ name, version }, views] of parts) {
      const checkpoints = [];
      for (const checkpoint of await views.checkpoints(name)) {
        const { partitions, position } = checkpoint;
        checkpoints.push({
          partitions: nameOf(partitions),
          position,
          lag_seconds: await lagAfter(stores.log, systemClock, checkpoint),
        });
      }
      found.push({ name, version, checkpoints, stuck: await readStuck(stores.state, name) });
    }
    return found;
  });
}

export function linesOf({ name, version, checkpoints, stuck }: ProjectionStatus): string[] {
  const lines = [`${name} (this program has version ${version})`];
  if (checkpoints.length === 0) return [...lines, '  nothing is folded yet'];
  for (const { partitions, position, lag_seconds: seconds } of checkpoints) {
    const lag = seconds === 0 ? 'up to date' : `${Math.round(seconds)} s behind`;
    lines.push(`  ${partitions}: position ${position || 'before the first event'}, ${lag}`);
  }
  for (const { partitions, event, error, since, build } of stuck) {
    const at =
      event === null
        ? 'at an event that cannot be read'
        : `at event ${event.id}, ${event.type} in ${event.stream}`;
    lines.push(`  ${nameOf(partitions)} is stuck since ${since} in build ${build} ${at}: ${error}`);
  }
  return lines;
}

function nameOf(partitions: Checkpoint['partitions']): string {
  if (partitions === ALL_PARTITIONS) return 'all partitions';
  return partitions.length === 1 ? `partition ${partitions}` : `partitions ${partitions}`;
}
