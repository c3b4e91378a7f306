/** What every write below a project asks of it. */
import type { ArtifactsKept } from '../domain/artifact/artifact.js';
import { streamName } from '../domain/event.js';
import { mustTakeWrites, project } from '../domain/project.js';
import type { Result } from '../domain/results/result.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import { seenBy, type CommandContext } from './command-context.js';
import type { CommandHandler } from './command-handler.js';

/** @throws AppError `not_found`, or `project_inactive` if the project takes no writes. */
export async function checkProjectTakesWrites(
  commands: Pick<CommandHandler, 'load'>,
  context: CommandContext,
  id: string,
): Promise<void> {
  mustTakeWrites(seenBy(context, await commands.load(project, streamNameOf('project', context.team, id))));
}

/** How long the artifacts of a result are kept, by what its project says now. */
export async function keptWith(
  commands: Pick<CommandHandler, 'load'>,
  team: string,
  of: Result,
): Promise<ArtifactsKept> {
  if (of.life !== 'present') return undefined;
  const owner = await commands.load(project, streamName('project', team, of.project_id));
  return owner.life === 'present' ? owner.retention.artifacts : undefined;
}
