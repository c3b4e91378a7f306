/** All causes of failures of a run, in pages; and the results of one of them. */
import { onOneLine } from '../../../domain/text/harmless.js';
import type { Page, Shown } from '../../page.js';
import { counted, number } from '../../parts/outcome.js';
import { Paged, pageOf, Pager } from '../../parts/lists/pager.js';
import { GroupList, isShared, SingleFailures } from './groups.js';
import { RunCrumbs, RunTabs, RunTitle } from './head.js';
import { linksOf } from './links.js';
import type { RunRequest } from './run-request.js';
import { GROUPS_SHOWN } from './read-run.js';
import { ResultTable } from './result-rows.js';
import { visible } from '../../text/short.js';

export const runFailures: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/runs/:run/failures',
    role: 'viewer',
    asOf: true,
    handle: (request) => showFailures({ ...request, links: linksOf(request.team.team_id) }),
  },
  {
    method: 'GET',
    path: '/teams/:team/runs/:run/failures/:group',
    role: 'viewer',
    asOf: true,
    handle: (request) => showCause({ ...request, links: linksOf(request.team.team_id) }),
  },
];

const PER_PAGE = 50;

export async function showFailures({ api, params, links, url }: RunRequest): Promise<Shown> {
  const id = params['run']!;
  const page = pageOf(url);
  const query = { details: 'true', page, per_page: GROUPS_SHOWN };
  const [{ data: run }, groups] = await Promise.all([
    api.get('/v1/test-runs/{id}', { params: { id } }),
    api.get('/v1/test-runs/{id}/failures', { params: { id }, query }),
  ]);
  const { data: project } = await api.get('/v1/projects/{id}', { params: { id: run.project_id } });
  const shared = groups.data.filter(isShared);
  const single = groups.data.filter((group) => !isShared(group));
  const { total } = groups.pagination;
  const list = { url, page, perPage: GROUPS_SHOWN, total };
  const none = <p class="panel empty">Nothing failed in this run.</p>;
  return {
    title: `Failures · ${project.name}`,
    body: (
      <>
        <RunCrumbs run={run} project={project} links={links} />
        <RunTitle run={run} project={project} links={links}>
          {counted(total, 'cause of failures', 'causes of failures')}
        </RunTitle>
        <RunTabs run={run.id} links={links} here="overview" />
        <Paged list={list} shown={groups.data.length} empty={none}>
          {shared.length > 0 && (
            <>
              <h2>Failures with one cause</h2>
              <GroupList groups={shared} run={run} links={links} />
            </>
          )}
          {single.length > 0 && (
            <>
              <h2>Single failures</h2>
              <SingleFailures groups={single} run={run} links={links} />
            </>
          )}
        </Paged>
        <Pager {...list} />
      </>
    ),
  };
}

export async function showCause({ api, params, links, url }: RunRequest): Promise<Shown> {
  const { run: id = '', group = '' } = params;
  const page = pageOf(url);
  const [{ data: run }, results] = await Promise.all([
    api.get('/v1/test-runs/{id}', { params: { id } }),
    api.get('/v1/test-runs/{id}/failures/{group}', {
      params: { id, group },
      query: { page, per_page: PER_PAGE },
    }),
  ]);
  const { data: project } = await api.get('/v1/projects/{id}', { params: { id: run.project_id } });
  const inAllRuns = links.group(run.project_id, group);
  const list = { url, page, perPage: PER_PAGE, total: results.pagination.total };
  const title =
    results.data.find((result) => result.group !== null)?.group?.title ?? 'Failures with one cause';
  return {
    title: `${onOneLine(title, 80)} · ${project.name}`,
    body: (
      <>
        <RunCrumbs run={run} project={project} links={links} />
        <RunTitle run={run} project={project} links={links}>
          {visible(onOneLine(title, 200))}
        </RunTitle>
        <RunTabs run={run.id} links={links} here="overview" />
        <p class="soft">
          {number(results.pagination.total)} failing results of this run have this cause.
          {inAllRuns !== undefined && (
            <>
              {' '}
              <a href={inAllRuns}>The cause in all runs</a>
            </>
          )}
        </p>
        <Paged list={list} shown={results.data.length} empty={null}>
          <ResultTable results={results.data} links={links} label="Failing results" />
        </Paged>
        <Pager {...list} />
      </>
    ),
  };
}
