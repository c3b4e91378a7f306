/** Deletes a result. What it superseded counts again. */
import { mustBePresent } from '../domain/life.js';
import { result, type Result, type ResultCommand } from '../domain/results/result.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import type { StreamReader } from '../log/streams.js';
import type { CommandContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';
import { forgetContents, type Forgetting } from './forget-contents.js';
import { checkProjectTakesWrites } from './projects.js';
import { replacedLater } from './shard-reruns.js';

/** After a crash before its end, the janitor forgets the contents. @throws AppError `not_found`, `project_inactive`. */
export async function deleteResult(
  commands: CommandHandler,
  { log, forgetting }: { log: StreamReader; forgetting: Forgetting },
  context: CommandContext,
  id: string,
): Promise<void> {
  const { team } = context;
  const stream = streamNameOf('result', team, id);
  let run: string | null = null;
  const command = async (state: Result): Promise<ResultCommand> => ({
    type: 'DeleteResult',
    replaces: state.life === 'present' ? await replacedLater(commands, log, team, state) : [],
  });
  await commands.execute(result, stream, context, command, {
    check: (before) => {
      const present = mustBePresent(before, 'result');
      run = present.test_run_id;
      return checkProjectTakesWrites(commands, context, present.project_id);
    },
  });
  await forgetContents(forgetting, [{ team, run, id }], 'deleted');
}
