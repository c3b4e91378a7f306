/** The check of every write below a project. */
import { mustTakeWrites, project } from '../domain/project.js';
import { streamNameOf } from '../domain/team-streams.js';
import { seenBy, type CommandContext, type CommandHandler } from './command-handler.js';

/** @throws AppError `not_found`, or `project_inactive` if the project takes no writes. */
export async function checkProjectTakesWrites(
  commands: Pick<CommandHandler, 'load'>,
  context: CommandContext,
  id: string,
): Promise<void> {
  mustTakeWrites(seenBy(context, await commands.load(project, streamNameOf('project', context.team, id))));
}
