/** The results of a run, those that failed first: passed tests are found here by the filter. */
import type { Page, PageReply } from '../../page.js';
import { filterIn, inOneForm, type Filter } from '../../parts/filter/filter.js';
import { FilterBar } from '../../parts/filter/filter-bar.js';
import { ofResults } from '../../parts/filter/vocabularies.js';
import { Paged, pageOf, Pager, type ListPage } from '../../parts/lists/pager.js';
import { sortingIn, type Sorting } from '../../parts/lists/sorting.js';
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
    asOf: true,
    handle: (request) => showResults({ ...request, links: linksOf(request.team.team_id) }),
  },
];

const PER_PAGE = 50;

export async function showResults({ api, params, links, url }: RunRequest): Promise<PageReply> {
  const id = params['run']!;
  const other = inOneForm(url, ofResults);
  if (other !== null) return { redirect: other };
  const page = pageOf(url);
  const filter = filterIn(url, ofResults);
  const sorting = sortingIn(url, ['status', 'duration'], { sort: 'status', order: 'asc' });
  const { sort, order } = sorting;
  const query = { ...filter.values, sort, order, page, per_page: PER_PAGE };
  const [{ data: run }, found] = await Promise.all([
    api.get('/v1/test-runs/{id}', { params: { id } }),
    api.get('/v1/test-runs/{id}/results', { params: { id }, query }),
  ]);
  const { data: project } = await api.get('/v1/projects/{id}', { params: { id: run.project_id } });
  return {
    title: `Results · ${project.name}`,
    body: (
      <Results
        {...{ run, project, links, filter, sorting }}
        list={{ url, page, perPage: PER_PAGE, total: found.pagination.total }}
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
  filter: Filter;
  sorting: Sorting;
  results: Result[];
};

function Results({ run, project, links, list, filter, sorting, results }: ResultsProps) {
  return (
    <>
      <RunCrumbs run={run} project={project} links={links} />
      <RunTitle run={run} project={project} links={links}>
        Results
      </RunTitle>
      <RunTabs run={run.id} links={links} here="results" />
      <FilterBar url={list.url} vocabulary={ofResults} filter={filter} known={knownOf(results)} />
      <Paged list={list} shown={results.length} empty={<p class="panel empty">{emptyText(run, filter)}</p>}>
        <ResultTable results={results} links={links} label="Results" sorting={sorting} />
      </Paged>
      <Pager {...list} />
    </>
  );
}

function emptyText({ counts }: Run, { terms }: Filter): string {
  if (terms.length > 0) return 'No result of the run is like this.';
  return counts.total === 0 ? 'The run has no results.' : 'No result of the run has ended yet.';
}

function knownOf(results: readonly Result[]): Record<string, readonly (string | null)[]> {
  return {
    owner: results.map(({ owner }) => owner),
    tag: results.flatMap(({ tags }) => tags),
    environment: results.map(({ environment_key }) => environment_key),
  };
}
