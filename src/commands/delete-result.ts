/** Deletes a result. What it superseded counts again. */
import { mustBePresent } from '../domain/life.js';
import { result, type Result, type ResultCommand } from '../domain/result.js';
import { streamNameOf } from '../domain/team-streams.js';
import type { StreamReader } from '../log/streams.js';
import type { CommandContext, Ledger } from './ledger.js';
import { checkProjectTakesWrites } from './projects.js';
import { replacedLater } from './shard-reruns.js';

/** @throws LedgerError `not_found`, `project_inactive`. */
export async function deleteResult(
  ledger: Ledger,
  log: StreamReader,
  context: CommandContext,
  id: string,
): Promise<void> {
  const { team } = context;
  const stream = streamNameOf('result', team, id);
  const command = async (state: Result): Promise<ResultCommand> => ({
    type: 'DeleteResult',
    replaces: state.life === 'present' ? await replacedLater(ledger, log, team, state) : [],
  });
  await ledger.execute(result, stream, context, command, {
    check: (before) => checkProjectTakesWrites(ledger, team, mustBePresent(before, 'result').project_id),
  });
}
