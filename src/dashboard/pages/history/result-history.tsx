/** The history of a result: who did what, and what it caused. */
import { onOneLine } from '../../../domain/text/harmless.js';
import type { Page, PageReply, PageRequest } from '../../page.js';
import { Crumbs } from '../../parts/crumbs.js';
import { pageOf } from '../../parts/lists/pager.js';
import { linksOf } from '../run/links.js';
import { nameOf } from '../run/read-run.js';
import { Entries, ENTRIES_PER_PAGE } from './entries.js';
import { visible } from '../../text/short.js';

export const resultHistory: readonly Page[] = [
  { method: 'GET', path: '/teams/:team/results/:result/history', role: 'viewer', handle: show },
];

async function show({ api, params, team, url }: PageRequest): Promise<PageReply> {
  const id = params['result']!;
  const links = linksOf(team.team_id);
  const page = pageOf(url);
  const [{ data: result }, entries] = await Promise.all([
    api.get('/v1/test-results/{id}', { params: { id } }),
    api.get('/v1/test-results/{id}/history', {
      params: { id },
      query: { page, per_page: ENTRIES_PER_PAGE },
    }),
  ]);
  const [{ data: project }, run] = await Promise.all([
    api.get('/v1/projects/{id}', { params: { id: result.project_id } }),
    result.test_run_id === null
      ? null
      : api.get('/v1/test-runs/{id}', { params: { id: result.test_run_id } }).then(({ data }) => data),
  ]);
  return {
    title: `History · ${onOneLine(result.name, 80)}`,
    body: (
      <>
        <Crumbs
          steps={[
            [visible(project.name), links.project(project.id)],
            ...(run === null ? [] : [[onOneLine(nameOf(run), 80), links.run(run.id)] as const]),
            [visible(onOneLine(result.name, 100)), links.result(id)],
          ]}
        />
        <h1>History of the result</h1>
        <Entries of={entries} url={url} links={links} />
      </>
    ),
  };
}
