/** The check of every write below a project. */
import { mustTakeWrites, project } from '../domain/project.js';
import { streamNameOf } from '../domain/team-streams.js';
import type { CommandHandler } from './command-handler.js';

/** @throws AppError `not_found`, or `project_inactive` if the project takes no writes. */
export async function checkProjectTakesWrites(
  commands: Pick<CommandHandler, 'load'>,
  team: string,
  id: string,
): Promise<void> {
  mustTakeWrites(await commands.load(project, streamNameOf('project', team, id)));
}
