/** The commands on a run. Each one looks at the run's project, too. */
import { streamName } from '../domain/event.js';
import { mustBePresent } from '../domain/life.js';
import { run, type RunCommand, type RunRecord } from '../domain/runs/run.js';
import type { RunDescription } from '../domain/runs/run-description.js';
import { runIdOf } from '../domain/runs/run-key.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import type { CommandContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';
import { fail } from '../errors.js';
import { checkProjectTakesWrites } from './projects.js';

export type NewRun = { project_id: string; run_key?: string | null } & Partial<RunDescription>;

/**
 * With a key, the run may be there already: then it gets what it lacks of the description, and `made` is false.
 * @throws AppError `not_found`, `project_inactive`.
 */
export async function createRun(
  commands: CommandHandler,
  context: CommandContext,
  wanted: NewRun,
): Promise<{ record: RunRecord; made: boolean }> {
  const { team, ids } = context;
  const { project_id, run_key = null } = wanted;
  const run_id =
    run_key === null ? ids.created('run') : await runWithKey(commands, team, project_id, run_key);
  const command = { ...wanted, type: 'CreateRun', run_id } as const;
  let made = true;
  const { state } = await commands.execute(run, streamName('run', team, run_id), context, command, {
    newStream: run_key === null,
    check: (before) => {
      made = before.life === 'none';
      return checkProjectTakesWrites(commands, context, project_id);
    },
  });
  return { record: mustBePresent(state, 'run'), made };
}

/** A key of a run that was purged makes a new one: nobody sees the other any more. @throws AppError `not_found` */
export async function runWithKey(
  commands: Pick<CommandHandler, 'load'>,
  team: string,
  project: string,
  key: string,
): Promise<string> {
  for (let gone = 0; ; gone += 1) {
    const id = runIdOf(project, key, gone) ?? fail('not_found', 'There is no such project.');
    const state = await commands.load(run, streamName('run', team, id), { mayBeBehind: true });
    if (state.life !== 'gone') return id;
  }
}

type UpdateRun = Extract<RunCommand, { type: 'UpdateRun' }>;

/** @throws AppError `not_found`, `project_inactive`. */
export async function updateRun(
  commands: CommandHandler,
  context: CommandContext,
  id: string,
  changes: Omit<UpdateRun, 'type' | 'at'>,
): Promise<void> {
  const { team, at } = context;
  const command: RunCommand = { type: 'UpdateRun', at, ...changes };
  await commands.execute(run, streamNameOf('run', team, id), context, command, {
    check: (state) => checkProjectTakesWrites(commands, context, mustBePresent(state, 'run').project_id),
  });
}
