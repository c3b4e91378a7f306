/** Surface B: projects. */
import { projectDocuments } from '../../../projections/records/projects.js';
import { streamNameOf } from '../../domain/team-streams.js';
import { streamName } from '../../domain/event.js';
import { mustBePresent } from '../../domain/life.js';
import { project, type ProjectRecord } from '../../domain/project.js';
import type { components } from '../../client/api.generated.js';
import { ok, withBody, type Route } from '../route.js';
import { findCounted } from '../../queries/find-page.js';
import type { Sources } from '../sources.js';
import { listed } from './pages.js';

const statuses: Record<string, ProjectRecord['status']> = { active: 'Active', inactive: 'Inactive' };

export function projectRoutes({ inTurn, views }: Sources): Route[] {
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
      query: 'ProjectsQuery',
      async handle(call) {
        await call.waitFor('records');
        const find = findCounted(views, projectDocuments);
        const status = statuses[String(call.query['status'])];
        const where = { team_id: call.key.team_id, ...(status !== undefined && { status }) };
        return listed(call, { find, where, order: 'newest last', records: (all) => all.map(projectData) });
      },
    },
    {
      method: 'GET',
      path: '/projects/:id',
      operation: { id: 'getProject', summary: 'Shows a project', answers: { 200: { data: 'Project' } } },
      role: 'viewer',
      async handle({ key, params, waitFor }) {
        await waitFor('records');
        return ok({ data: projectData(await views.get(projectDocuments, key.team_id, params['id']!)) });
      },
    },
    {
      method: 'POST',
      path: '/projects',
      operation: { id: 'createProject', summary: 'Creates a project', answers: { 201: { data: 'Project' } } },
      role: 'admin',
      location: '/v1/projects',
      ...withBody('CreateProject', async ({ context, body }) => {
        const project_id = context.ids.created('project');
        const { name, description = null, default_branch } = body;
        const stream = streamName('project', context.team, project_id);
        const branch = default_branch == null ? {} : { default_branch };
        const command = { type: 'CreateProject', project_id, name, description, ...branch } as const;
        const { state } = await inTurn.execute(project, stream, context, command, { newStream: true });
        return { status: 201, body: { data: projectData(mustBePresent(state, 'project')) } };
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
        const { state } = await inTurn.execute(
          project,
          streamNameOf('project', context.team, params['id']!),
          context,
          {
            type: 'ChangeProject',
            ...described,
            ...(status !== undefined && { status: status === 'active' ? 'Active' : 'Inactive' }),
          },
        );
        return ok({ data: projectData(mustBePresent(state, 'project')) });
      }),
    },
  ];
}

function projectData(record: ProjectRecord): components['schemas']['Project'] {
  const { project_id, name, created_at, description, default_branch, status } = record;
  return {
    id: project_id,
    name,
    created_at,
    description,
    default_branch,
    status: status.toLowerCase() as Lowercase<typeof status>,
  };
}
