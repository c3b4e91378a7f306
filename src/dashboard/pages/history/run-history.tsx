/** The history of a run: who did what, and what it caused. */
import type { Page, PageReply, PageRequest } from '../../page.js';
import { pageOf } from '../../parts/lists/pager.js';
import { RunCrumbs, RunTabs, RunTitle } from '../run/head.js';
import { linksOf } from '../run/links.js';
import { Entries, ENTRIES_PER_PAGE } from './entries.js';

export const runHistory: readonly Page[] = [
  { method: 'GET', path: '/teams/:team/runs/:run/history', role: 'viewer', handle: show },
];

async function show({ api, params, team, url }: PageRequest): Promise<PageReply> {
  const id = params['run']!;
  const links = linksOf(team.team_id);
  const page = pageOf(url);
  const [{ data: run }, entries] = await Promise.all([
    api.get('/v1/test-runs/{id}', { params: { id } }),
    api.get('/v1/test-runs/{id}/history', { params: { id }, query: { page, per_page: ENTRIES_PER_PAGE } }),
  ]);
  const { data: project } = await api.get('/v1/projects/{id}', { params: { id: run.project_id } });
  return {
    title: `History · ${project.name}`,
    body: (
      <>
        <RunCrumbs run={run} project={project} links={links} />
        <RunTitle run={run} project={project} links={links}>
          History of the run
        </RunTitle>
        <RunTabs run={id} links={links} here="history" />
        <Entries of={entries} url={url} links={links} />
      </>
    ),
  };
}
