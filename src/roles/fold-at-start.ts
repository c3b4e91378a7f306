/**
 * Folds the teams with a long history of keys when a process starts, one after another and beside all else, so that no
 * request has to wait for that: the command handler keeps what it has folded. A request that comes meanwhile joins in.
 */
import type { CommandHandler } from '../commands/command-handler.js';
import { teamStream } from '../commands/teams.js';
import { team } from '../domain/teams/team.js';
import type { ApiKeys } from '../keys/api-keys.js';

/** The fold of fewer keys takes less than 20 ms. */
const MANY = 1_000;
const MOST_TEAMS = 100;

/** `report` gets the failures of the log: a team is then folded when a request needs it. */
export async function foldAtStart(
  commands: Pick<CommandHandler, 'load'>,
  keys: Pick<ApiKeys, 'teamsThatRevoked'>,
  report: (error: unknown) => void,
): Promise<void> {
  for (const id of keys.teamsThatRevoked(MANY).slice(0, MOST_TEAMS))
    await commands.load(team, teamStream(id)).catch(report);
}
