/** Surface B: projects. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { teamSettingsDocuments } from '../../../projections/team-settings.js';
import { teamStream } from '../../commands/teams.js';
import { wholeTeam } from '../../domain/teams/access.js';
import { gateOf, ownNames, type OwnGate } from '../../domain/gate/settings.js';
import { streamNameOf } from '../../domain/teams/team-streams.js';
import { streamName } from '../../domain/event.js';
import { mustBePresent } from '../../domain/life.js';
import { project, type Project, type ProjectRecord } from '../../domain/project.js';
import { retentionOf } from '../../domain/retention.js';
import { team as ownTeam } from '../../domain/teams/team.js';
import type { components } from '../../client/api.generated.js';
import { limits } from '../../limits.js';
import { searchPoints } from '../backpressure/request-cost.js';
import { ok, withBody, type Call, type Route } from '../route.js';
import { countedProjects } from '../../queries/projects.js';
import type { Sources } from '../sources.js';
import { listed } from './pages.js';

const statuses: Record<string, ProjectRecord['status']> = { active: 'Active', inactive: 'Inactive' };

export function projectRoutes(sources: Sources): Route[] {
  const { inTurn, views } = sources;
  const { gateOfTeam, projectData, changedProject } = showingProjects(sources);
  return [
    {
      method: 'GET',
      path: '/projects',
      operation: {
        id: 'listProjects',
        summary: 'Lists the projects of the team, newest last',
        answers: { 200: { page: 'Project' } },
      },
      role: 'viewer',
      reporter: true,
      query: 'ProjectsQuery',
      async handle(call) {
        await call.waitFor('records');
        const find = countedProjects(views, call.key, wantedBy(call));
        const ofTeam = await gateOfTeam(call.key.team_id);
        const records = (all: readonly ProjectRecord[]) => all.map((one) => projectData(one, ofTeam));
        return listed(call, { find, where: {}, order: 'newest last', records });
      },
    },
    {
      method: 'GET',
      path: '/projects/:id',
      operation: { id: 'getProject', summary: 'Shows a project', answers: { 200: { data: 'Project' } } },
      role: 'viewer',
      reporter: true,
      async handle({ key, params, waitFor }) {
        await waitFor('records');
        const found = await views.get(projectDocuments, key, params['id']!);
        return ok({ data: projectData(found, await gateOfTeam(key.team_id)) });
      },
    },
    {
      method: 'POST',
      path: '/projects',
      operation: { id: 'createProject', summary: 'Creates a project', answers: { 201: { data: 'Project' } } },
      role: 'admin',
      wholeTeam: true,
      location: '/v1/projects',
      ...withBody('CreateProject', async ({ context, body }) => {
        const project_id = context.ids.created('project');
        const { name, description = null, default_branch } = body;
        const stream = streamName('project', context.team, project_id);
        const branch = default_branch == null ? {} : { default_branch };
        const command = { type: 'CreateProject', project_id, name, description, ...branch } as const;
        const { state } = await inTurn.execute(project, stream, context, command, { newStream: true });
        return { status: 201, body: { data: await changedProject(context.team, state) } };
      }),
    },
    {
      method: 'PATCH',
      path: '/projects/:id',
      operation: {
        id: 'changeProject',
        summary: 'Changes the fields of a project that are sent',
        answers: { 200: { data: 'Project' } },
        errors: ['event_limit', 'write_conflict'],
      },
      role: 'admin',
      ...withBody('ChangeProject', async ({ context, params, body }) => {
        const { status, ...described } = body;
        const stream = streamNameOf('project', context.team, params['id']!);
        const { state } = await inTurn.execute(project, stream, context, {
          type: 'ChangeProject',
          ...described,
          ...(status !== undefined && { status: status === 'active' ? 'Active' : 'Inactive' }),
        });
        return ok({ data: await changedProject(context.team, state) });
      }),
    },
  ];
}

/** A search for words is charged by what it looks through. */
function wantedBy({ query, rate }: Call): Parameters<typeof countedProjects>[2] {
  const { status, q } = query as Partial<Record<string, string>>;
  if (q !== undefined) rate.charge(searchPoints(limits.searchedProjects));
  return { status: statuses[status ?? ''], q };
}

function showingProjects({ views, commands, artifacts }: Sources) {
  const { ttlMs } = artifacts.limits;
  const projectData = (record: ProjectRecord, ofTeam: OwnGate) => shownProject(record, ofTeam, ttlMs);
  return {
    projectData,
    gateOfTeam: async (team: string): Promise<OwnGate> =>
      (await views.some(teamSettingsDocuments, wholeTeam(team), [team]))[0]?.gate ?? {},
    /** A write waits for no read model, so what it answers is that of the log. */
    async changedProject(team: string, state: Project) {
      const { gate } = mustBePresent(await commands.load(ownTeam, teamStream(team)), 'team');
      return projectData(mustBePresent(state, 'project'), gate);
    },
  };
}

/** Shows the settings of the gate that hold: those of the project before those of its team. */
function shownProject(
  record: ProjectRecord,
  ofTeam: OwnGate,
  artifactsMs: number,
): components['schemas']['Project'] {
  const { project_id, name, created_at, description, default_branch, repo_url, gate, status, retention } =
    record;
  return {
    id: project_id,
    name,
    created_at,
    description,
    default_branch,
    repo_url,
    status: status.toLowerCase() as Lowercase<typeof status>,
    gate: gateOf(gate, ofTeam),
    own_gate: ownNames(gate),
    retention: retentionOf(retention, artifactsMs),
  };
}
