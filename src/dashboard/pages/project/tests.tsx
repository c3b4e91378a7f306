/** The tests of a project: which of them need somebody, those with most failures first. */
import type { Page } from '../../page.js';
import type { PageApi } from '../../page-api.js';
import { filtered, filterIn, inOneForm, type Filter } from '../../parts/filter/filter.js';
import { FilterBar } from '../../parts/filter/filter-bar.js';
import { ofTests, testStates } from '../../parts/filter/vocabularies.js';
import { number } from '../../parts/outcome.js';
import { Paged, pageOf, Pager } from '../../parts/lists/pager.js';
import { testsFile, wantsCsv } from './list-files.js';
import { ProjectFrame, projectPath, readProject } from './frame.js';
import { sortingIn, type Sorting } from '../../parts/lists/sorting.js';
import { TestTable, type Test, type TestsView } from './test-table.js';

const PER_PAGE = 50;

/** `any` is the view without a filter. */
const views: Record<TestsView, string> = {
  any: 'Need attention',
  broken: 'Broken',
  flaky: 'Flaky',
  failing: 'Failing',
  known: 'Known failures',
  all: 'All',
};

export const tests: Page = {
  method: 'GET',
  path: '/teams/:team/projects/:project/tests',
  role: 'viewer',
  async handle(request) {
    const { api, url, params, team } = request;
    const other = inOneForm(url, ofTests);
    if (other !== null) return { redirect: other };
    const filter = filterIn(url, ofTests);
    const view = viewOf(filter);
    const page = pageOf(url);
    const { environment } = filter.values;
    const id = params['project']!;
    const sorting = view === 'all' ? sortingIn(url, ['name'], { sort: 'name', order: 'asc' }) : null;
    const asked = queryOf(view, filter.values, sorting);
    const [project, found, counts, others] = await Promise.all([
      readProject(request),
      readTests(api, id, { ...asked, details: 'true', page, per_page: PER_PAGE }),
      countsOf(api, id, environment),
      filter.terms.length === 0 ? null : readTests(api, id, { per_page: PER_PAGE }),
    ]);
    if (wantsCsv(url)) return testsFile(found.data, environment !== undefined);
    const base = projectPath(team.team_id, project.id);
    const list = { url, page, perPage: PER_PAGE, total: found.pagination.total };
    const isFiltered = Object.keys(filter.values).some((name) => name !== 'state');
    return {
      title: `Tests of ${project.name}`,
      body: (
        <ProjectFrame project={project} request={request} here="Tests">
          <nav class="choices" aria-label="Which tests">
            {testStates.map((each) => (
              <a
                href={tabOf(`${base}/tests`, each, environment)}
                aria-current={each === view ? 'true' : undefined}
              >
                {views[each]} <span class="count">{number(counts[each])}</span>
              </a>
            ))}
          </nav>
          <FilterBar
            url={url}
            vocabulary={ofTests}
            filter={filter}
            known={knownOf([...found.data, ...(others?.data ?? [])])}
            hasFile
          />
          <Paged
            list={list}
            shown={found.data.length}
            empty={<Empty view={view} isFiltered={isFiltered} hasTests={counts.all > 0} />}
          >
            <TestTable
              tests={found.data}
              base={base}
              view={view}
              isNarrowed={environment !== undefined}
              sorting={sorting}
            />
          </Paged>
          <Pager {...list} />
        </ProjectFrame>
      ),
    };
  },
};

/** In the same environment. There, the view without a state is that of all tests. */
function tabOf(path: string, state: TestsView, environment: string | undefined): string {
  if (environment !== undefined) return filtered(path, { state, environment });
  return state === 'any' ? path : filtered(path, { state });
}

/** A filter without a state is one of all tests. */
function viewOf({ values }: Filter): TestsView {
  const state = testStates.find((each) => each === values['state']);
  return state ?? (Object.keys(values).length === 0 ? 'any' : 'all');
}

function queryOf(view: TestsView, values: Filter['values'], sorting: Sorting | null): TestQuery {
  const { state: _, ...wanted } = values;
  switch (view) {
    case 'all':
      return { ...wanted, ...(sorting && { sort: 'name', order: sorting.order }) };
    case 'known':
      return { ...wanted, known_failure: 'true' };
    case 'any':
    case 'broken':
    case 'flaky':
    case 'failing':
      return { ...wanted, trouble: view };
  }
}

function knownOf(tests: readonly Test[]): Record<string, readonly (string | null)[]> {
  return {
    owner: tests.map(({ owner }) => owner),
    tag: tests.flatMap(({ tags }) => tags),
    environment: tests.flatMap(({ environments }) => environments.map((each) => each.environment_key)),
  };
}

type TestQuery = Readonly<Record<string, string | number>>;

function readTests(api: PageApi, id: string, query: TestQuery) {
  return api.get('/v1/projects/{id}/tests', { params: { id }, query });
}

/** Of an environment, where one is asked for. A known failure is listed whatever the environment. */
async function countsOf(
  api: PageApi,
  id: string,
  environment: string | undefined,
): Promise<Record<TestsView, number>> {
  const total = async (view: TestsView) => {
    const narrowed = environment !== undefined && view !== 'known' ? { environment } : {};
    const query = { ...queryOf(view, narrowed, null), per_page: 1 };
    return (await readTests(api, id, query)).pagination.total;
  };
  const [troubled, any, known, all] = await Promise.all([
    environment === undefined ? overviewOf(api, id) : troubledIn(total),
    total('any'),
    total('known'),
    total('all'),
  ]);
  return { ...troubled, any, known, all };
}

async function overviewOf(api: PageApi, id: string) {
  return (await api.get('/v1/projects/{id}/overview', { params: { id } })).data.tests;
}

async function troubledIn(total: (view: TestsView) => Promise<number>) {
  const [broken, flaky, failing] = await Promise.all([total('broken'), total('flaky'), total('failing')]);
  return { broken, flaky, failing };
}

function Empty({ view, isFiltered, hasTests }: { view: TestsView; isFiltered: boolean; hasTests: boolean }) {
  return <p class="panel empty">{emptyText(view, isFiltered, hasTests)}</p>;
}

function emptyText(view: TestsView, isFiltered: boolean, hasTests: boolean): string {
  if (isFiltered) return 'No test matches.';
  if (!hasTests) return 'No test has a result yet. Tests appear here with the first run.';
  switch (view) {
    case 'any':
      return 'No test needs attention: none is flaky, broken or failing.';
    case 'broken':
      return 'No test is broken. A test is broken when it fails in 20 runs in a row.';
    case 'flaky':
      return 'No test is flaky. A test is flaky when it passes and fails at one commit, or passes on a retry.';
    case 'failing':
      return 'No test is failing: the newest result of each one is a pass.';
    case 'known':
      return 'No failure is marked as known. The page of a failure has a form for that.';
    case 'all':
      return 'There is no test.';
  }
}
