/** Deletes a result. What it superseded counts again. */
import { mustBePresent } from '../domain/life.js';
import { result, type Result, type ResultCommand } from '../domain/result.js';
import { streamNameOf } from '../domain/team-streams.js';
import type { StreamReader } from '../log/streams.js';
import type { CommandContext, CommandHandler } from './command-handler.js';
import { checkProjectTakesWrites } from './projects.js';
import { replacedLater } from './shard-reruns.js';

/** @throws AppError `not_found`, `project_inactive`. */
export async function deleteResult(
  commands: CommandHandler,
  log: StreamReader,
  context: CommandContext,
  id: string,
): Promise<void> {
  const { team } = context;
  const stream = streamNameOf('result', team, id);
  const command = async (state: Result): Promise<ResultCommand> => ({
    type: 'DeleteResult',
    replaces: state.life === 'present' ? await replacedLater(commands, log, team, state) : [],
  });
  await commands.execute(result, stream, context, command, {
    check: (before) => checkProjectTakesWrites(commands, context, mustBePresent(before, 'result').project_id),
  });
}
