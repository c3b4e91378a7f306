/** Surface B: runs and projects that are deleted for good, and all of a team. */
import type { CommandContext } from '../../../commands/command-context.js';
import { seenBy } from '../../../commands/command-context.js';
import { project } from '../../../domain/project.js';
import { mustBePresent } from '../../../domain/life.js';
import { quoted } from '../../../domain/history/words.js';
import { run } from '../../../domain/runs/run.js';
import { streamNameOf } from '../../../domain/teams/team-streams.js';
import { teamStream } from '../../../commands/teams.js';
import { team } from '../../../domain/teams/team.js';
import { projectDocuments } from '../../../../projections/records/projects.js';
import type { TeamViews } from '../../../queries/team-views.js';
import { everyPage } from '../../../queries/every-page.js';
import { fail, invalid } from '../../../errors.js';
import { purge } from '../../../redaction/purge.js';
import type { Call, Reply, Route } from '../../route.js';
import type { Sources } from '../../sources.js';

const PAGE = 100;

export function purgeRoutes(sources: Sources): Route[] {
  const { commands, views } = sources;

  /** `named`: what is to be said once more, and what it is. */
  async function purged(
    { context, query }: Call,
    id: string,
    named: readonly [string, string],
    all: () => Promise<readonly string[]> = async () => [id],
  ): Promise<Reply> {
    const [wanted, what] = named;
    const sent = query['confirm'];
    const say = `must be ${what}, ${quoted(wanted)}: it deletes all that is in it, and nobody can bring it back`;
    if (sent === undefined) invalid('?confirm', 'required', say);
    if (String(sent) !== wanted) invalid('?confirm', 'not_valid', say);
    await purge({ ...sources, commands: sources.inTurn }, context, await all());
    return { status: 202, body: { data: { id } } };
  }

  async function projectAt(context: CommandContext, id: string) {
    const stream = streamNameOf('project', context.team, id);
    return mustBePresent(seenBy(context, await commands.load(project, stream)), 'project');
  }

  return [
    {
      method: 'DELETE',
      path: '/team',
      operation: {
        id: 'purgeTeam',
        summary: 'Deletes all projects of the team for good. People, keys and webhooks stay',
        answers: { 202: { data: 'Purged' } },
        errors: ['write_conflict', 'views_behind'],
      },
      role: 'owner',
      wholeTeam: true,
      query: 'PurgeQuery',
      async handle(call) {
        const { name, team_id } = mustBePresent(
          await commands.load(team, teamStream(call.key.team_id)),
          'team',
        );
        return purged(call, team_id, [name, 'the name of the team'], () => projectsOf(views, call));
      },
    },
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

/** All projects of the team of a key. @throws AppError `views_behind` where the newest of them may be missing */
async function projectsOf(views: TeamViews, { key, waitFor }: Call): Promise<string[]> {
  if (!(await waitFor('records')))
    fail('views_behind', 'The newest projects are not listed yet.', { retryAfter: 1 });
  const sort = { field: 'created_position', direction: 'ascending' } as const;
  const query = { where: { team_id: key.team_id }, sort, limit: PAGE };
  const ids: string[] = [];
  for await (const page of everyPage(views, projectDocuments, query))
    ids.push(...page.map(({ project_id }) => project_id));
  return ids;
}
