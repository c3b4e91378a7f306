/** The commands on a run that look at its project too. */
import { streamName } from '../domain/event.js';
import { mustTakeWrites, project } from '../domain/project.js';
import { run, type Metadata, type RunCommand, type RunRecord } from '../domain/run.js';
import { fail } from '../errors.js';
import type { CommandContext, Ledger } from './ledger.js';
import { nameOf } from '../domain/team-streams.js';

export type NewRun = { project_id: string; label?: string | null; metadata?: Metadata | null };

/** @throws LedgerError `not_found`, `project_inactive`. */
export async function createRun(ledger: Ledger, context: CommandContext, wanted: NewRun): Promise<RunRecord> {
  const { team, ids } = context;
  const { label = null, metadata = null, project_id } = wanted;
  const run_id = ids.created('run');
  const command = async (): Promise<RunCommand> => {
    mustTakeWrites(await ledger.load(project, nameOf('project', team, project_id)));
    return { type: 'CreateRun', run_id, project_id, label, metadata };
  };
  const stream = streamName('run', team, run_id);
  const { state } = await ledger.execute(run, stream, context, command, { fresh: true });
  return state.exists ? state : fail('internal', 'A run that was created is not there.');
}

type Update = Extract<RunCommand, { type: 'UpdateRun' }>;

/** @throws LedgerError `not_found`, `project_inactive`, and what the decider refuses. */
export async function updateRun(
  ledger: Ledger,
  context: CommandContext,
  id: string,
  changes: Omit<Update, 'type' | 'at'>,
): Promise<void> {
  const { team, at } = context;
  await ledger.execute(run, nameOf('run', team, id), context, async (state): Promise<RunCommand> => {
    if (!state.exists) fail('not_found', 'There is no such run.');
    mustTakeWrites(await ledger.load(project, streamName('project', team, state.project_id)));
    return { type: 'UpdateRun', at, ...changes };
  });
}
