/** The runs of a project: what was run last, and did it bring new failures. */
import type { Page, PageRequest } from '../../page.js';
import { Copied } from '../../parts/notice.js';
import { Recipes } from '../../parts/recipes.js';
import { postRun } from '../../text/commands.js';
import { Field } from '../../parts/forms/form.js';
import { Live } from '../../parts/live.js';
import { Paged, pageOf, Pager } from '../../parts/lists/pager.js';
import { ProjectFrame, projectPath, readProject, type Project } from './frame.js';
import {
  filterOf,
  isCut,
  outcomes,
  PER_PAGE,
  readRuns,
  searchNote,
  type RunFilter,
  type Runs,
} from './read-runs.js';
import { RunTable } from './run-table.js';
import { visible } from '../../text/short.js';

export const runs: Page = {
  method: 'GET',
  path: '/teams/:team/projects/:project',
  role: 'viewer',
  liveQuery: ['branch', 'environment', 'outcome', 'q', 'page'],
  async handle(request) {
    const { api, url, params, team } = request;
    const page = pageOf(url);
    const filter = filterOf(url);
    const [project, found] = await Promise.all([
      readProject(request),
      readRuns(api, { ...filter, project: params['project']!, page }),
    ]);
    const base = projectPath(team.team_id, project.id);
    const isFiltered = Object.values(filter).some((each) => each !== '');
    const place = { url, page, perPage: PER_PAGE, total: found.total };
    const none = isFiltered ? (
      <p class="panel empty">No run matches.</p>
    ) : (
      <NoRuns project={project} request={request} />
    );
    const list = (
      <Paged list={place} shown={found.rows.length} empty={none}>
        <RunTable rows={found.rows} team={team.team_id} base={base} />
      </Paged>
    );
    return {
      title: visible(project.name),
      // Further pages would move under the reader.
      ...(page === 1 && { live: { runs: list } }),
      body: (
        <ProjectFrame project={project} request={request} here="Runs">
          {(found.total > 0 || isFiltered) && (
            <Filters {...filter} branches={found.branches} base={base} isFiltered={isFiltered} />
          )}
          {page === 1 ? <Live id="runs">{list}</Live> : list}
          {isCut(filter) && <p class="soft small">{searchNote}</p>}
          <Pager {...place} />
        </ProjectFrame>
      ),
    };
  },
};

function Filters({
  branch,
  environment,
  outcome,
  q,
  branches,
  base,
  isFiltered,
}: RunFilter & Pick<Runs, 'branches'> & { base: string; isFiltered: boolean }) {
  return (
    <form class="filters" method="get" action={base} role="search">
      <Field
        label="Search"
        name="q"
        type="search"
        value={q}
        placeholder="message, commit, actor"
        maxLength={255}
      />
      <div class="field">
        <label for="field-branch">Branch</label>
        <input
          id="field-branch"
          name="branch"
          value={branch}
          list="branches"
          maxLength={255}
          placeholder="all"
        />
        <datalist id="branches">
          {branches.map((each) => (
            <option value={each} />
          ))}
        </datalist>
      </div>
      <Field label="Environment" name="environment" value={environment} placeholder="all" />
      <div class="field">
        <label for="field-outcome">Outcome</label>
        <select id="field-outcome" name="outcome">
          <option value="">all</option>
          {outcomes.map((each) => (
            <option value={each} selected={each === outcome}>
              {each}
            </option>
          ))}
        </select>
      </div>
      <button type="submit">Filter</button>
      {isFiltered && <a href={base}>Show all</a>}
    </form>
  );
}

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
