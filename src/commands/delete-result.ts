/** Deletes a result. What it superseded counts again. */
import { mustBePresent } from '../domain/life.js';
import { result, type Result, type ResultCommand } from '../domain/result.js';
import { streamNameOf } from '../domain/team-streams.js';
import type { Contents } from '../ports/contents.js';
import type { StreamReader } from '../log/streams.js';
import type { CommandContext, CommandHandler } from './command-handler.js';
import { checkProjectTakesWrites } from './projects.js';
import { replacedLater } from './shard-reruns.js';

export type Forgetting = Pick<Contents, 'mark' | 'release'>;

/**
 * From here on, nobody sees the contents of these results, in no version. Their bytes go where no other result has them: at once
 * for a result without a run. It may be done again at any time.
 */
export async function forgetDeleted(contents: Forgetting, ids: readonly string[]): Promise<void> {
  await contents.mark(ids, 'deleted');
  for (const id of ids) await contents.release(id);
}

/** After a crash before its end, the janitor forgets the contents. @throws AppError `not_found`, `project_inactive`. */
export async function deleteResult(
  commands: CommandHandler,
  { log, contents }: { log: StreamReader; contents: Forgetting },
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
  await forgetDeleted(contents, [id]);
}
