/** The commands on a run. Each one looks at the run's project, too. */
import { streamName } from '../domain/event.js';
import { mustBePresent } from '../domain/life.js';
import { run, type RunCommand, type RunRecord } from '../domain/run.js';
import type { RunDescription } from '../domain/run-description.js';
import { streamNameOf } from '../domain/team-streams.js';
import type { CommandContext, Ledger } from './ledger.js';
import { checkProjectTakesWrites } from './projects.js';

export type NewRun = { project_id: string } & Partial<RunDescription>;

/** @throws LedgerError `not_found`, `project_inactive`. */
export async function createRun(ledger: Ledger, context: CommandContext, wanted: NewRun): Promise<RunRecord> {
  const { team, ids } = context;
  const run_id = ids.created('run');
  const command = { ...wanted, type: 'CreateRun', run_id } as const;
  const { state } = await ledger.execute(run, streamName('run', team, run_id), context, command, {
    newStream: true,
    check: () => checkProjectTakesWrites(ledger, team, wanted.project_id),
  });
  return mustBePresent(state, 'run');
}

type UpdateRun = Extract<RunCommand, { type: 'UpdateRun' }>;

/** @throws LedgerError `not_found`, `project_inactive`. */
export async function updateRun(
  ledger: Ledger,
  context: CommandContext,
  id: string,
  changes: Omit<UpdateRun, 'type' | 'at'>,
): Promise<void> {
  const { team, at } = context;
  const command: RunCommand = { type: 'UpdateRun', at, ...changes };
  await ledger.execute(run, streamNameOf('run', team, id), context, command, {
    check: (state) => checkProjectTakesWrites(ledger, team, mustBePresent(state, 'run').project_id),
  });
}
