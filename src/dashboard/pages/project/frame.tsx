/** What all pages of a project share: the way to it, its name, and its tabs. */
import type { ComponentChildren } from 'preact';
import type { components } from '../../../client/api.generated.js';
import type { PageRequest } from '../../page.js';
import { Crumbs } from '../../parts/crumbs.js';
import { visible } from '../../text/short.js';

export type Project = components['schemas']['Project'];

export type ProjectTab = 'Runs' | 'Tests' | 'Failures' | 'Insights' | 'Settings';

const paths: Readonly<Record<ProjectTab, string>> = {
  Runs: '',
  Tests: '/tests',
  Failures: '/failures',
  Insights: '/insights',
  Settings: '/settings',
};

export async function readProject({ api, params }: Pick<PageRequest, 'api' | 'params'>): Promise<Project> {
  const { data } = await api.get('/v1/projects/{id}', { params: { id: params['project']! } });
  return data;
}

/** The path of a project, below which its pages are. */
export function projectPath(team: string, project: string): string {
  return `/teams/${encodeURIComponent(team)}/projects/${encodeURIComponent(project)}`;
}

export function ProjectFrame({
  project,
  request: { team },
  here,
  children,
}: {
  project: Project;
  request: PageRequest;
  here: ProjectTab;
  children: ComponentChildren;
}) {
  const base = projectPath(team.team_id, project.id);
  return (
    <>
      <Crumbs steps={[['Projects', `/teams/${team.team_id}/projects`], [visible(project.name)]]} />
      <h1 class="project-name" title={project.name.length > 80 ? project.name : undefined}>
        {visible(project.name)}
      </h1>
      {project.description && (
        <p class="soft break about-project" title={project.description}>
          {project.description}
        </p>
      )}
      {project.status === 'inactive' && (
        <p class="notice">
          This project is inactive: it takes no new runs. An admin can activate it under <b>Settings</b>.
        </p>
      )}
      <nav class="tabs" aria-label="Project">
        {(Object.keys(paths) as ProjectTab[]).map((tab) => (
          <a href={base + paths[tab]} aria-current={tab === here ? 'page' : undefined}>
            {tab}
          </a>
        ))}
      </nav>
      {children}
    </>
  );
}
