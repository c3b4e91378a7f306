/** The insights of a project and of all projects: trends of a window of days, and what the tests cost in it. */
import type { ComponentChildren } from 'preact';
import type { Page, PageReply } from '../../page.js';
import { filtered } from '../../parts/filter/filter.js';
import { Crumbs } from '../../parts/crumbs.js';
import { counted, number } from '../../parts/outcome.js';
import { withParams } from '../../parts/lists/pager.js';
import { Table } from '../../parts/lists/table.js';
import { duration } from '../../parts/time.js';
import { visible } from '../../text/short.js';
import { ProjectFrame, projectPath, readProject } from '../project/frame.js';
import { percent } from '../projects/read-projects.js';
import { Charts } from './charts.js';
import { Costs } from './costs.js';
import { Numbers, type NumberLinks } from './numbers.js';
import {
  askedIn,
  classes,
  greenRate,
  passRate,
  queryOf,
  readCosts,
  runsOf,
  stepOf,
  windows,
  type Asked,
  type Statistics,
  type Totals,
} from './read-insights.js';
import { costTables, csvOf, daysTable, projectsTable, type TableOf } from './tables.js';

/** So many projects are read, and those with most runs have a row. */
const [PROJECTS, ROWS] = [100, 30];

export const insights: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/projects/:project/insights',
    role: 'viewer',
    async handle(request) {
      const { api, url, params, team } = request;
      const asked = askedIn(url);
      const query = queryOf(asked, new Date());
      const id = params['project']!;
      const [project, { data: statistics }] = await Promise.all([
        readProject(request),
        api.get('/v1/projects/{id}/stats', { params: { id }, query: { ...query, by: stepOf(asked) } }),
      ]);
      const costs = isLater(url, statistics) ? null : await readCosts(api, id, query);
      const file = fileOf(url, { days: daysTable(statistics), ...(costs && costTables(costs)) });
      if (file !== null) return file;
      const base = projectPath(team.team_id, project.id);
      return {
        title: `Insights of ${visible(project.name)}`,
        body: (
          <ProjectFrame project={project} request={request} here="Insights">
            <Choices asked={asked} url={url} />
            <Numbers {...statistics} links={linksOf(base)} days={asked.days} />
            <Files url={url} />
            {runsOf(statistics.totals) === 0 ? (
              <NoRuns {...asked} />
            ) : (
              <>
                <Charts rows={statistics.rows} step={stepOf(asked)} />
                {costs === null ? (
                  <LaterCosts url={url} />
                ) : (
                  <div id={COSTS}>
                    <Costs costs={costs} base={base} csv={(table) => csvAt(url, table)} />
                  </div>
                )}
              </>
            )}
          </ProjectFrame>
        ),
      };
    },
  },
  {
    method: 'GET',
    path: '/teams/:team/insights',
    role: 'viewer',
    async handle({ api, url, team }) {
      const asked = askedIn(url);
      const query = { ...queryOf(asked, new Date()), by: stepOf(asked) };
      const [{ data: statistics }, found] = await Promise.all([
        api.get('/v1/stats', { query }),
        api.get('/v1/projects', { query: { per_page: PROJECTS } }),
      ]);
      const names = new Map(found.data.map(({ id, name }) => [id, name]));
      const projects = statistics.projects
        .filter(({ project_id }) => names.has(project_id))
        .map((each) => ({ ...each, name: names.get(each.project_id)! }))
        .sort((one, other) => runsOf(other) - runsOf(one))
        .slice(0, ROWS);
      const tables = { days: daysTable(statistics), projects: projectsTable(projects) };
      const file = fileOf(url, tables);
      if (file !== null) return file;
      const here = `/teams/${team.team_id}`;
      const search = new URLSearchParams({ days: String(asked.days), branch: asked.branch }).toString();
      return {
        title: 'Insights',
        body: (
          <>
            <Crumbs steps={[['Projects', `${here}/projects`], ['Insights']]} />
            <h1>Insights</h1>
            <Choices asked={asked} url={url} />
            <Numbers {...statistics} links={ofAll} days={asked.days} />
            <Files url={url} />
            {runsOf(statistics.totals) === 0 ? (
              <NoRuns {...asked} />
            ) : (
              <Charts rows={statistics.rows} step={stepOf(asked)} />
            )}
            <Projects
              projects={projects}
              total={found.pagination.total}
              url={url}
              here={here}
              search={search}
            />
          </>
        ),
      };
    },
  },
];

const COSTS = 'costs';

/** To sort more tests takes longer than a person waits for a page: the rest of it comes first. */
const MOST_AT_ONCE = 2_500;

function isLater({ searchParams }: URL, { totals }: Statistics): boolean {
  return totals.tests > MOST_AT_ONCE && !searchParams.has(COSTS) && !searchParams.has('format');
}

/** The script takes the tables from where the link leads to. */
function LaterCosts({ url }: { url: URL }) {
  return (
    <later-part id={COSTS}>
      <h2 id="lost">Tests by what they cost</h2>
      <p class="panel empty">
        Sorting this many tests by what they cost takes a moment.{' '}
        <a href={withParams(url, { [COSTS]: 'all' })}>Show them</a>
      </p>
    </later-part>
  );
}

/** In place of charts without a bar. */
function NoRuns({ days, branch }: Asked) {
  return (
    <p class="panel empty">
      {branch === '' ? 'No run' : 'No such run'} was completed in the last {days} days.
    </p>
  );
}

type ProjectsProps = {
  projects: readonly (Totals & { project_id: string; name: string })[];
  total: number;
  url: URL;
  here: string;
  search: string;
};

function Projects({ projects, total, url, here, search }: ProjectsProps) {
  return (
    <section aria-labelledby="projects">
      <h2 id="projects">
        Projects{' '}
        <a class="count" href={csvAt(url, 'projects')}>
          CSV
        </a>
      </h2>
      {projects.length === 0 ? (
        <p class="panel empty">There is no project yet.</p>
      ) : (
        <Table
          class="stacked"
          columns={{
            Project: '',
            Runs: 'number',
            Green: 'number',
            Passed: 'number wide-only',
            Tests: 'number wide-only',
            Lost: 'number',
          }}
        >
          {projects.map((each): ComponentChildren => (
            <tr>
              <th scope="row">
                <a class="break" href={`${here}/projects/${each.project_id}/insights?${search}`}>
                  {visible(each.name)}
                </a>
              </th>
              <td class="number">{counted(runsOf(each), 'run')}</td>
              <td class="number">
                {percent(greenRate(each))} <span class="narrow-only">green</span>
              </td>
              <td class="number wide-only">{percent(passRate(each))}</td>
              <td class="number wide-only">{number(each.tests)}</td>
              <td class="number">
                {duration(each.lost_ms)} <span class="narrow-only">lost</span>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {total > ROWS && (
        <p class="soft">
          Of {number(PROJECTS)} at most, the {number(ROWS)} with most runs are shown. The numbers above are of
          all.
        </p>
      )}
    </section>
  );
}

function linksOf(base: string): NumberLinks {
  return {
    runs: base,
    green: `${base}?outcome=passed`,
    passed: filtered(`${base}/tests`, { state: 'all' }),
    duration: '#durations',
    flaky: filtered(`${base}/tests`, { state: 'flaky' }),
    new: `${base}/failures`,
    fixed: '#failures',
    tests: filtered(`${base}/tests`, { state: 'all' }),
    lost: '#lost',
  };
}

/** The list behind a number of all projects is that of projects. */
const ofAll: NumberLinks = {
  runs: '#projects',
  green: '#projects',
  passed: '#projects',
  duration: '#durations',
  flaky: '#failures',
  new: '#failures',
  fixed: '#failures',
  tests: '#projects',
  lost: '#projects',
};

function Choices({ asked, url }: { asked: Asked; url: URL }) {
  const choice = (isHere: boolean, params: object, text: string) => (
    <a href={withParams(url, { ...params })} aria-current={isHere ? 'true' : undefined}>
      {text}
    </a>
  );
  return (
    <div class="window">
      <nav class="choices" aria-label="Window">
        {windows.map((days) => choice(days === asked.days, { days }, `${days} days`))}
      </nav>
      <nav class="choices" aria-label="Branches">
        {Object.entries(classes).map(([branch, text]) => choice(branch === asked.branch, { branch }, text))}
      </nav>
    </div>
  );
}

function Files({ url }: { url: URL }) {
  return (
    <p class="soft small">
      What is shown, as <a href={csvAt(url, 'days')}>CSV</a> and as{' '}
      <a href={withParams(url, { format: 'json' })}>JSON</a>. Days are of UTC.
    </p>
  );
}

function csvAt(url: URL, table: string): string {
  return withParams(url, { format: 'csv', table });
}

/** The tables that are shown as a file; null where the page itself is asked for. */
function fileOf({ searchParams }: URL, tables: Record<string, TableOf>): PageReply | null {
  switch (searchParams.get('format')) {
    case 'csv':
      return {
        type: 'text/csv',
        text: csvOf(tables[searchParams.get('table') ?? 'days'] ?? tables['days']!),
      };
    case 'json':
      return { type: 'application/json', text: `${JSON.stringify(tables, null, 2)}\n` };
    default:
      return null;
  }
}
