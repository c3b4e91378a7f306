/** The tests of a project: which of them need somebody, those with most failures first. */
import type { Page } from '../../page.js';
import type { PageApi } from '../../page-api.js';
import { Field } from '../../parts/forms/form.js';
import { number } from '../../parts/outcome.js';
import { Paged, pageOf, Pager } from '../../parts/lists/pager.js';
import { ProjectFrame, projectPath, readProject } from './frame.js';
import { environmentIn } from './read-runs.js';
import { TestTable, type TestsView } from './test-table.js';

const PER_PAGE = 50;

/** `any` is the view without a parameter. */
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
    const view = viewIn(url);
    const page = pageOf(url);
    const asked = { q: textIn(url, 'q'), owner: textIn(url, 'owner'), tag: textIn(url, 'tag').slice(0, 64) };
    const environment = environmentIn(url.searchParams);
    const isFiltered = environment !== '' || Object.values(asked).some((text) => text !== '');
    const id = params['project']!;
    const [project, found, counts] = await Promise.all([
      readProject(request),
      readTests(api, id, {
        ...queryOf(view, asked),
        ...(environment !== '' && { environment }),
        details: 'true',
        page,
        per_page: PER_PAGE,
      }),
      countsOf(api, id, environment),
    ]);
    const base = projectPath(team.team_id, project.id);
    const list = { url, page, perPage: PER_PAGE, total: found.pagination.total };
    return {
      title: `Tests of ${project.name}`,
      body: (
        <ProjectFrame project={project} request={request} here="Tests">
          <nav class="choices" aria-label="Which tests">
            {Object.entries(views).map(([each, text]) => (
              <a
                href={tabOf(base, each as TestsView, environment)}
                aria-current={each === view ? 'true' : undefined}
              >
                {text} <span class="count">{number(counts[each as TestsView])}</span>
              </a>
            ))}
          </nav>
          <Search {...asked} environment={environment} isFiltered={isFiltered} path={`${base}/tests`} />
          <Paged
            list={list}
            shown={found.data.length}
            empty={<Empty view={view} isFiltered={isFiltered} hasTests={counts.all > 0} />}
          >
            <TestTable tests={found.data} base={base} view={view} isNarrowed={environment !== ''} />
          </Paged>
          <Pager {...list} />
        </ProjectFrame>
      ),
    };
  },
};

/** In the same environment. There, the view without a parameter is that of all tests. */
function tabOf(base: string, view: TestsView, environment: string): string {
  if (environment !== '')
    return `${base}/tests?${new URLSearchParams({ state: view, environment }).toString()}`;
  return view === 'any' ? `${base}/tests` : `${base}/tests?state=${view}`;
}

/** A search is one of all tests. */
function viewIn(url: URL): TestsView {
  if (['q', 'owner', 'tag'].some((name) => textIn(url, name) !== '')) return 'all';
  const state = url.searchParams.get('state');
  const isOfAll = environmentIn(url.searchParams) !== '';
  return (Object.keys(views) as TestsView[]).find((view) => view === state) ?? (isOfAll ? 'all' : 'any');
}

function textIn({ searchParams }: URL, name: string): string {
  return (searchParams.get(name) ?? '').trim().slice(0, 255);
}

type Asked = { q: string; owner: string; tag: string };

function queryOf(view: TestsView, asked: Asked) {
  switch (view) {
    case 'all':
      return asked;
    case 'known':
      return { known_failure: 'true' };
    case 'any':
    case 'broken':
    case 'flaky':
    case 'failing':
      return { trouble: view };
  }
}

type TestQuery = Readonly<Record<string, string | number>>;

function readTests(api: PageApi, id: string, query: TestQuery) {
  return api.get('/v1/projects/{id}/tests', { params: { id }, query });
}

/** Of an environment, where one is asked for. A known failure is listed whatever the environment. */
async function countsOf(api: PageApi, id: string, environment: string): Promise<Record<TestsView, number>> {
  const total = async (view: TestsView) => {
    const narrowed = environment !== '' && view !== 'known' && { environment };
    const query = { ...queryOf(view, { q: '', owner: '', tag: '' }), ...narrowed, per_page: 1 };
    return (await readTests(api, id, query)).pagination.total;
  };
  const [troubled, any, known, all] = await Promise.all([
    environment === '' ? overviewOf(api, id) : troubledIn(total),
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

type Search = Asked & { environment: string; isFiltered: boolean; path: string };

function Search({ q, owner, tag, environment, isFiltered, path }: Search) {
  return (
    <form class="filters" method="get" action={path} role="search">
      <Field
        label="Search all tests"
        name="q"
        type="search"
        value={q}
        placeholder="part of a name"
        maxLength={255}
      />
      <Field label="Owner" name="owner" value={owner} placeholder="all" maxLength={255} />
      <Field label="Tag" name="tag" value={tag} placeholder="all" maxLength={64} />
      <Field label="Environment" name="environment" value={environment} placeholder="all" />
      <button type="submit">Search</button>
      {isFiltered && <a href={path}>Clear</a>}
    </form>
  );
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
