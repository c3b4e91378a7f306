/** The runs of a project: what was run last, and did it bring new failures. */
import type { Page, PageRequest } from '../../page.js';
import { Copied } from '../../parts/notice.js';
import { Recipes } from '../../parts/recipes.js';
import { postRun } from '../../text/commands.js';
import { Live } from '../../parts/live.js';
import { filterIn, inOneForm } from '../../parts/filter/filter.js';
import { FilterBar } from '../../parts/filter/filter-bar.js';
import { ofRuns } from '../../parts/filter/vocabularies.js';
import { Paged, pageOf, Pager } from '../../parts/lists/pager.js';
import { sortingIn } from '../../parts/lists/sorting.js';
import { number } from '../../parts/outcome.js';
import { limits } from '../../../limits.js';
import { ProjectFrame, projectPath, readProject, type Project } from './frame.js';
import { runsFile, wantsCsv } from './list-files.js';
import { PER_PAGE, readRuns } from './read-runs.js';
import { RunTable } from './run-table.js';
import { visible } from '../../text/short.js';

export const runs: Page = {
  method: 'GET',
  path: '/teams/:team/projects/:project',
  role: 'viewer',
  liveQuery: ['q', 'page', 'sort', 'order'],
  async handle(request) {
    const { api, url, params, team } = request;
    const other = inOneForm(url, ofRuns);
    if (other !== null) return { redirect: other };
    const page = pageOf(url);
    const filter = filterIn(url, ofRuns);
    const sorting = sortingIn(url, ['age'], { sort: 'age', order: 'desc' });
    const [project, found] = await Promise.all([
      readProject(request),
      readRuns(api, { values: filter.values, order: sorting.order, project: params['project']!, page }),
    ]);
    if (wantsCsv(url)) return runsFile(found.rows.map(({ run }) => run));
    const base = projectPath(team.team_id, project.id);
    const isFiltered = filter.terms.length > 0;
    const place = { url, page, perPage: PER_PAGE, total: found.total };
    const none = isFiltered ? (
      <p class="panel empty">No run matches.</p>
    ) : (
      <NoRuns project={project} request={request} />
    );
    const list = (
      <Paged list={place} shown={found.rows.length} empty={none}>
        <RunTable rows={found.rows} team={team.team_id} base={base} sorting={sorting} />
      </Paged>
    );
    return {
      title: visible(project.name),
      // Further pages would move under the reader.
      ...(page === 1 && { live: { runs: list } }),
      body: (
        <ProjectFrame project={project} request={request} here="Runs">
          {(found.total > 0 || isFiltered) && (
            <FilterBar url={url} vocabulary={ofRuns} filter={filter} known={found.known} hasFile />
          )}
          {page === 1 ? <Live id="runs">{list}</Live> : list}
          {found.isCut && (
            <p class="soft small">
              A filter like this looks through the {sorting.order === 'asc' ? 'oldest' : 'newest'}{' '}
              {number(limits.runsLookedThrough)} runs.
            </p>
          )}
          <Pager {...place} />
        </ProjectFrame>
      ),
    };
  },
};

/** What to do next. */
function NoRuns({ project, request: { team, origin } }: { project: Project; request: PageRequest }) {
  return (
    <section class="panel next">
      <h2>Post a first run</h2>
      <p>
        Make a key under <a href={`/teams/${team.team_id}/team/keys`}>Team › API keys</a>, put it into{' '}
        <code>TESTLEDGER_API_KEY</code>, and run this in a terminal. The run appears here by itself.
      </p>
      <Copied text={postRun(origin, project.id)} label="Copy the command" />
      <h2>Or send the reports of your tests</h2>
      <Recipes origin={origin} project={project.id} />
    </section>
  );
}
