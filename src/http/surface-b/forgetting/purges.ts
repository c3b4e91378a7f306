/** Surface B: runs and projects that are deleted for good. */
import type { CommandContext } from '../../../commands/command-handler.js';
import { seenBy } from '../../../commands/command-handler.js';
import { project } from '../../../domain/project.js';
import { mustBePresent } from '../../../domain/life.js';
import { quoted } from '../../../domain/history/words.js';
import { run } from '../../../domain/runs/run.js';
import { streamNameOf } from '../../../domain/teams/team-streams.js';
import { invalid } from '../../../errors.js';
import { purge } from '../../../redaction/purge.js';
import type { Call, Reply, Route } from '../../route.js';
import type { Sources } from '../../sources.js';

export function purgeRoutes(sources: Sources): Route[] {
  const { commands } = sources;

  /** `named`: what is to be said once more, and what it is. */
  async function purged(
    { context, query }: Call,
    id: string,
    named: readonly [string, string],
  ): Promise<Reply> {
    const [wanted, what] = named;
    const sent = query['confirm'];
    const say = `must be ${what}, ${quoted(wanted)}: it deletes all that is in it, and nobody can bring it back`;
    if (sent === undefined) invalid('?confirm', 'required', say);
    if (String(sent) !== wanted) invalid('?confirm', 'not_valid', say);
    await purge({ ...sources, commands: sources.inTurn }, context, id);
    return { status: 202, body: { data: { id } } };
  }

  async function projectAt(context: CommandContext, id: string) {
    const stream = streamNameOf('project', context.team, id);
    return mustBePresent(seenBy(context, await commands.load(project, stream)), 'project');
  }

  return [
    {
      method: 'DELETE',
      path: '/test-runs/:id',
      operation: {
        id: 'purgeTestRun',
        summary: 'Deletes a run for good, with its results, their contents and artifacts',
        answers: { 202: { data: 'Purged' } },
        errors: ['write_conflict'],
      },
      role: 'owner',
      query: 'PurgeQuery',
      async handle(call) {
        const { context, params } = call;
        const id = params['id']!;
        const state = await commands.load(run, streamNameOf('run', context.team, id));
        mustBePresent(seenBy(context, state), 'run');
        return purged(call, id, [id, 'the id of the run']);
      },
    },
    {
      method: 'DELETE',
      path: '/projects/:id',
      operation: {
        id: 'purgeProject',
        summary: 'Deletes a project for good, with all of its runs, results and artifacts',
        answers: { 202: { data: 'Purged' } },
        errors: ['write_conflict'],
      },
      role: 'owner',
      query: 'PurgeQuery',
      async handle(call) {
        const { name, project_id } = await projectAt(call.context, call.params['id']!);
        return purged(call, project_id, [name, 'the name of the project']);
      },
    },
  ];
}
