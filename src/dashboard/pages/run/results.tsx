/** The results of a run, by status and by a part of the name: passed tests are found here. */
import type { Page, Shown } from '../../page.js';
import { Paged, pageOf, Pager, withParams, type ListPage } from '../../parts/lists/pager.js';
import { RunCrumbs, RunTabs, RunTitle } from './head.js';
import { linksOf, type Links } from './links.js';
import type { Project, Result, Run } from './read-run.js';
import { ResultTable } from './result-rows.js';
import type { RunRequest } from './run-request.js';

export const runResults: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/runs/:run/results',
    role: 'viewer',
    handle: (request) => showResults({ ...request, links: linksOf(request.team.team_id) }),
  },
];

const PER_PAGE = 50;
const statuses = ['failed', 'passed', 'skipped', 'known_fail'] as const;
const words: Readonly<Record<string, string>> = { known_fail: 'expected to fail' };

export async function showResults({ api, params, links, url }: RunRequest): Promise<Shown> {
  const id = params['run']!;
  const page = pageOf(url);
  const status = statuses.find((one) => one === url.searchParams.get('status'));
  const search = (url.searchParams.get('search') ?? '').slice(0, 255);
  const query = { status, q: search.trim() === '' ? undefined : search, page, per_page: PER_PAGE };
  const [{ data: run }, found] = await Promise.all([
    api.get('/v1/test-runs/{id}', { params: { id } }),
    api.get('/v1/test-runs/{id}/results', { params: { id }, query }),
  ]);
  const { data: project } = await api.get('/v1/projects/{id}', { params: { id: run.project_id } });
  return {
    title: `Results · ${project.name}`,
    body: (
      <Results
        {...{ run, project, links, search }}
        list={{ url, page, perPage: PER_PAGE, total: found.pagination.total }}
        status={status ?? ''}
        results={found.data}
      />
    ),
  };
}

type ResultsProps = {
  run: Run;
  project: Project;
  links: Links;
  list: ListPage;
  search: string;
  status: string;
  results: Result[];
};

function Results({ run, project, links, list, search, status, results }: ResultsProps) {
  const none =
    search === '' && status === '' ? 'The run has no results.' : 'No result of the run is like this.';
  return (
    <>
      <RunCrumbs run={run} project={project} links={links} />
      <RunTitle run={run} project={project} links={links}>
        Results
      </RunTitle>
      <RunTabs run={run.id} links={links} here="results" />
      <form class="filters" method="get" role="search">
        <div class="field">
          <label for="search">Part of the name</label>
          <input id="search" type="search" name="search" value={search} maxLength={255} />
        </div>
        <div class="field">
          <label for="status">Status</label>
          <select id="status" name="status">
            <option value="">any</option>
            {statuses.map((one) => (
              <option value={one} selected={one === status}>
                {words[one] ?? one}
              </option>
            ))}
          </select>
        </div>
        <button type="submit">Search</button>
        {(search !== '' || status !== '') && (
          <a href={withParams(list.url, { search: null, status: null, page: null })}>All results</a>
        )}
      </form>
      <Paged list={list} shown={results.length} empty={<p class="panel empty">{none}</p>}>
        <ResultTable results={results} links={links} label="Results" />
      </Paged>
      <Pager {...list} />
    </>
  );
}
