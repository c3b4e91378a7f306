/** What a new team does first, each step with a link, until its first run is there. */
import type { ComponentChildren } from 'preact';
import { atLeast } from '../../../domain/teams/team.js';
import type { PageRequest } from '../../page.js';
import { Recipes } from '../../parts/recipes.js';
import { DEMO_NAME, DemoButton, demoIn, DemoRest, type Demo } from './demo.js';

/** `project`: the newest one but the demo; null without any. `keys`: null where the person may not see them. */
export type Steps = {
  project: { id: string; name: string } | null;
  demo: Demo | null;
  keys: number | null;
  members: number;
};

export async function readSteps({ api, people, team }: PageRequest): Promise<Steps | null> {
  const isAdmin = atLeast(team.role, 'admin');
  const [projects, keys, members] = await Promise.all([
    api.get('/v1/projects', { query: { status: 'active', per_page: 100 } }),
    isAdmin ? api.get('/v1/keys', { query: { per_page: 1 } }) : null,
    people.members(team.team_id),
  ]);
  const project = projects.data.findLast(({ name }) => name !== DEMO_NAME) ?? null;
  // A team whose projects are quiet is not new.
  if (project !== null) {
    const runs = await api.get('/v1/test-runs', { query: { project_id: project.id, per_page: 1 } });
    if (runs.data.length > 0) return null;
  }
  const demo = await demoIn(api, team.team_id);
  return { project, demo, keys: keys?.pagination.total ?? null, members: members.length };
}

export function FirstSteps({ project, demo, keys, members, request }: Steps & { request: PageRequest }) {
  const { team, origin } = request;
  const base = `/teams/${team.team_id}`;
  return (
    <section class="panel">
      <h2>First steps</h2>
      <ol class="first-steps">
        <Step done={project !== null}>
          <a href={`${base}/projects`}>Make a project</a> for your code base.
        </Step>
        <Step done={(keys ?? 0) > 0}>
          {keys === null ? 'Ask an admin for' : <a href={`${base}/team/keys`}>Make</a>} an API key, and put it
          into the secrets of your CI as <code>TESTLEDGER_API_KEY</code>.
        </Step>
        <Step done={false}>
          Send the first run. It appears here and under{' '}
          {project === null ? (
            'the runs of the project'
          ) : (
            <a href={`${base}/projects/${project.id}`}>the runs of {project.name}</a>
          )}{' '}
          by itself.
        </Step>
        <Step done={members > 1}>
          <a href={`${base}/team`}>Invite</a> the others of your team.
        </Step>
      </ol>
      {project !== null && <Recipes origin={origin} project={project.id} />}
      {demo === null ? (
        <DemoButton {...request} />
      ) : (
        <p>
          <a href={`${base}/projects/${demo.project.id}`}>The demo</a> shows what it looks like with runs. An
          owner deletes it under its settings.
        </p>
      )}
      {demo?.isStalled === true && <DemoRest {...request} />}
    </section>
  );
}

function Step({ done, children }: { done: boolean; children: ComponentChildren }) {
  return (
    <li data-done={done || undefined}>
      {done && <span class="outcome passed">✓</span>}
      {children}
    </li>
  );
}
