/** `find_runs`: the runs of a project, or the newest of all projects of the key. */
import type { components } from '../client/api.generated.js';
import { listed, pageWith, partOf } from './pieces.js';
import { ToolError, type Given, type ToolSource } from './tool.js';

type Run = components['schemas']['TestRun'];
type Project = components['schemas']['Project'];

/** Of more than these, a caller has to name one. */
const PROJECTS = 20;

export async function findRuns(source: ToolSource, given: Given): Promise<object> {
  const { api } = source;
  const { project_id, branch, after } = given;
  const part = partOf(given);
  if (project_id !== undefined) {
    const { query, before } = pageWith(part);
    const [{ data: project }, { data, pagination }] = await Promise.all([
      api.get('/v1/projects/{id}', { params: { id: String(project_id) } }),
      api.get('/v1/test-runs', { query: { ...query, project_id, branch } }),
    ]);
    return listed(
      'runs',
      data.slice(before).map((run) => rowOf(run, project, source)),
      part,
      pagination.total,
    );
  }
  if (after !== undefined) throw new ToolError('after', 'after needs project_id.');
  const { data: projects, pagination } = await api.get('/v1/projects', { query: { per_page: PROJECTS } });
  const all = await Promise.all(
    projects.map(async (project) => {
      const query = { project_id: project.id, branch, per_page: part.limit };
      const { data } = await api.get('/v1/test-runs', { query });
      return data.map((run) => rowOf(run, project, source));
    }),
  );
  const newest = all
    .flat()
    .sort((one, other) => (one.created_at < other.created_at ? 1 : -1))
    .slice(0, part.limit);
  const named = projects.map(({ id, name }) => ({ id, name }));
  const left = pagination.total - projects.length;
  const {
    total: _,
    next: __,
    ...found
  } = listed('runs', newest, part, newest.length, {
    projects: named,
    ...(left > 0 && { projects_left_out: left }),
  }) as Record<string, unknown>;
  return found;
}

function rowOf(run: Run, { id, name }: Pick<Project, 'id' | 'name'>, { links }: ToolSource) {
  return {
    id: run.id,
    url: links.run(run.id),
    project: { id, name },
    label: run.label,
    branch: run.branch,
    commit: run.commit,
    // A branch has a run of each: one that passed says nothing of the others.
    tool: run.tool,
    environment_key: run.environment_key,
    status: run.status,
    outcome: run.outcome,
    gate: run.gate,
    counts: run.counts,
    started_at: run.started_at,
    finished_at: run.finished_at,
    created_at: run.created_at,
  };
}
