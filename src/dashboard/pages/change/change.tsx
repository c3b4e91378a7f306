/** A commit, a pull request or a branch: one verdict over all tools, environments, shards and attempts. */
import { stateOf, type RunState } from '../../../domain/runs/run-state.js';
import { titleOfRun } from '../../../domain/runs/run-title.js';
import { ranAt } from '../../../domain/instant.js';
import { fail } from '../../../errors.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { Crumbs } from '../../parts/crumbs.js';
import { counted, CountsBar, number, Outcome } from '../../parts/outcome.js';
import { OutOf } from '../../parts/out-of.js';
import { Table } from '../../parts/lists/table.js';
import { Ago, duration } from '../../parts/time.js';
import { commitUrl, pullRequestUrl } from '../../text/repo-links.js';
import { cut, shortCommit, visible } from '../../text/short.js';
import { projectPath, readProject, type Project } from '../project/frame.js';
import { Before } from './before.js';
import { ChooseBranch, readOtherBranches } from './choose-branch.js';
import { readChange, type Cause, type Change, type Run, type Wanted } from './read-change.js';

export const change: Page = {
  method: 'GET',
  path: '/teams/:team/projects/:project/change',
  role: 'viewer',
  handle: (request) => show(request),
};

async function show(request: PageRequest): Promise<Shown> {
  const { api, team, url } = request;
  const wanted = wantedIn(url) ?? fail('not_found', 'The page needs a commit, a pull request or a branch.');
  const project = await readProject(request);
  const found = await readChange(api, project.id, wanted);
  const own = 'branch' in wanted ? wanted.branch : (found.legs[0]?.branch ?? null);
  const others = own === null ? [] : await readOtherBranches(api, project, own);
  const base = `/teams/${team.team_id}`;
  const name = nameOf(wanted);
  const { sign, words, state } = verdictOf(found);
  return {
    title: `${sign} ${name} · ${project.name}`,
    state,
    body: (
      <>
        <Crumbs
          steps={[
            ['Projects', `${base}/projects`],
            [visible(project.name), projectPath(team.team_id, project.id)],
            [name],
          ]}
        />
        <h1 class="break">{name}</h1>
        {found.legs.length > 0 && (
          <p class="verdict">
            <Outcome of={state} plain /> {words}
          </p>
        )}
        <About wanted={wanted} newest={found.legs[0] ?? null} project={project} team={team.team_id} />
        {found.legs.length === 0 ? (
          <p class="panel empty">No run of it has come.</p>
        ) : (
          <>
            <Legs runs={found.legs} base={base} />
            {found.legsTotal > found.legs.length && (
              <p class="soft small">
                The first {number(found.legs.length)} of {counted(found.legsTotal, 'run')} are shown.
              </p>
            )}
            {others.length > 0 && (
              <ChooseBranch
                action={`${projectPath(team.team_id, project.id)}/compare`}
                own={own!}
                others={others}
              />
            )}
            <Causes found={found} project={project.id} base={base} />
            <Before builds={found.before} wanted={wanted} project={project} base={base} />
          </>
        )}
      </>
    ),
  };
}

function wantedIn({ searchParams }: URL): Wanted | null {
  for (const name of ['commit', 'pull_request', 'branch'] as const) {
    const value = (searchParams.get(name) ?? '').trim().slice(0, 255);
    if (value !== '') return { [name]: value } as Wanted;
  }
  return null;
}

function nameOf(wanted: Wanted): string {
  if ('commit' in wanted) return `Commit ${shortCommit(wanted.commit)}`;
  return 'pull_request' in wanted
    ? `Pull request ${cut(wanted.pull_request, 40)}`
    : `Branch ${cut(wanted.branch, 80)}`;
}

function verdictOf(found: Change): { sign: string; words: string; state: RunState } {
  switch (found.state) {
    case 'passing':
      return { sign: '✓', words: 'All of the newest build is there, and passed.', state: 'passed' };
    case 'failing':
      return { sign: '✗', words: `The newest build failed${failuresIn(found)}.`, state: 'failed' };
    case 'running':
      return { sign: '▸', words: 'The newest build is still going.', state: 'running' };
    case 'incomplete':
      return {
        sign: '…',
        words: 'A part of the newest build is missing: what came did not fail.',
        state: 'unfinished',
      };
    case 'skipped':
      return { sign: '–', words: 'All tests of the newest build were skipped.', state: 'skipped' };
    case 'empty':
      return { sign: '…', words: 'A run of the newest build has no results.', state: 'empty' };
    case 'unfinished':
      return {
        sign: '…',
        words: 'A run of the newest build has results, and none of them finished.',
        state: 'unfinished',
      };
    case 'no_runs':
      return { sign: '', words: '', state: 'pending' };
  }
}

/** `: 9 failures in 3 of 3 runs, 4 of them new`. Empty where only a gate failed. */
function failuresIn({ legs, legsTotal }: Change): string {
  const sum = (of: (run: Run) => number) => legs.reduce((total, run) => total + of(run), 0);
  const failures = sum(({ standing_counts }) => standing_counts.failed);
  if (failures === 0) return '';
  const failed = legs.filter((run) => stateOf(run) === 'failed').length;
  const news = sum(({ new_failures, standing_counts }) =>
    Math.min(new_failures ?? 0, standing_counts.failed),
  );
  // A run that still goes, or that has nothing to be compared with, has no such number: it is not zero.
  const isCompared = legs.every((run) => stateOf(run) !== 'failed' || run.new_failures !== null);
  const those = news > 0 ? `, ${number(news)} of them new` : isCompared ? ', none of them new' : '';
  const isAll = legs.length === legsTotal;
  const some = `${counted(failures, 'failure')} in ${number(failed)} of ${counted(legsTotal, 'run')}`;
  return isAll ? `: ${some}${those}` : `: ${number(failures)} failures at least`;
}

function About({
  wanted,
  newest,
  project,
  team,
}: {
  wanted: Wanted;
  newest: Run | null;
  project: Project;
  team: string;
}) {
  const commit = 'commit' in wanted ? wanted.commit : (newest?.commit ?? null);
  const page = `${projectPath(team, project.id)}/change`;
  return (
    <p class="soft source">
      {newest !== null && <span class="break">{cut(titleOfRun(newest), 160)}</span>}
      {newest?.actor != null && <span>by {cut(newest.actor, 40)}</span>}
      {commit !== null && !('commit' in wanted) && (
        <a href={`${page}?${new URLSearchParams({ commit }).toString()}`}>
          <code>{shortCommit(commit)}</code>
        </a>
      )}
      {newest?.branch != null && !('branch' in wanted) && (
        <a href={`${page}?${new URLSearchParams({ branch: newest.branch }).toString()}`}>
          {cut(newest.branch, 60)}
        </a>
      )}
      {newest?.pull_request != null && !('pull_request' in wanted) && (
        <a href={`${page}?${new URLSearchParams({ pull_request: newest.pull_request }).toString()}`}>
          pull request {cut(newest.pull_request, 20)}
        </a>
      )}
      <OutOf
        href={
          'pull_request' in wanted ? pullRequestUrl(project, wanted.pull_request) : commitUrl(project, commit)
        }
      >
        in the repository
      </OutOf>
      {newest !== null && <Ago at={ranAt(newest)} />}
    </p>
  );
}

function Legs({ runs, base }: { runs: readonly Run[]; base: string }) {
  return (
    <Table
      class="stacked"
      columns={{ 'Tool and environment': '', Results: '', New: '', Duration: 'number', '': 'actions' }}
    >
      {runs.map((run) => (
        <tr data-row={run.outcome === 'failed' ? 'failed' : ''}>
          <th scope="row">
            <div class="titled">
              <Outcome of={stateOf(run)} plain />
              <a class="break" href={`${base}/runs/${run.id}`}>
                {nameOfLeg(run)}
              </a>
            </div>
          </th>
          <td class="results">
            <CountsBar counts={{ ...run.standing_counts }} />
            <span class="soft small">
              {run.standing_counts.failed > 0
                ? `${number(run.standing_counts.failed)} failed of ${number(run.standing_counts.total)}`
                : counted(run.standing_counts.total, 'result')}
            </span>
          </td>
          <td>{(run.new_failures ?? 0) > 0 && <b class="badge new">{number(run.new_failures!)} new</b>}</td>
          <td class="number">{duration(run.duration_ms)}</td>
          <td class="row-actions">
            <a class="small" href={`${base}/runs/${run.id}/compare`}>
              Compare
            </a>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Causes({
  found: { causes, hasMore },
  project,
  base,
}: {
  found: Change;
  project: string;
  base: string;
}) {
  if (causes.length === 0) return null;
  return (
    <>
      <h2>
        Causes <span class="count">{number(causes.length)}</span>
      </h2>
      <ul class="panel rows">
        {causes.map((cause) => (
          <CauseRow {...cause} project={project} base={base} />
        ))}
      </ul>
      {hasMore && <p class="soft small">There are more: the pages of the runs have all.</p>}
    </>
  );
}

function CauseRow({
  group,
  title,
  tests,
  isNew,
  runs,
  example,
  project,
  base,
}: Cause & { project: string; base: string }) {
  return (
    <li data-row="failed">
      <Outcome of="failed" plain />
      <div class="what">
        <a
          class="title break"
          href={
            example === null
              ? `${base}/projects/${project}/failures/${encodeURIComponent(group)}`
              : `${base}/results/${example}`
          }
        >
          {visible(cut(title, 160))}
        </a>{' '}
        {isNew && <b class="badge new">new</b>}
        <p class="soft small">
          {counted(tests, 'test')} in{' '}
          {runs.map((run, n) => (
            <>
              {n > 0 && ', '}
              <a href={`${base}/runs/${run.id}/failures/${encodeURIComponent(group)}`}>{nameOfLeg(run)}</a>
            </>
          ))}
        </p>
      </div>
    </li>
  );
}

/** Of a build: by what a run differs from the others. */
export function nameOfLeg({ tool, environment_key, label }: Run): string {
  const parts = [tool, environment_key].filter((part) => part !== null && part !== '');
  return visible(cut(parts.length === 0 ? (label ?? 'run') : parts.join(', '), 80));
}
