/** A cause: how it stands, who works on it, since when it fails, where, in which tests and runs, and what the error is. */
import type { components } from '../../../client/api.generated.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { Crumbs } from '../../parts/crumbs.js';
import { Ansi } from '../../parts/texts/ansi.js';
import { counted, number } from '../../parts/outcome.js';
import { Paged, pageOf, Pager } from '../../parts/lists/pager.js';
import { likeInWords, Strip } from '../../parts/lists/strip.js';
import { Ago } from '../../parts/time.js';
import { CountCell, Table } from '../../parts/lists/table.js';
import { firstLine } from '../project/failures.js';
import { projectPath, readProject } from '../project/frame.js';
import { shortCommit, visible } from '../../text/short.js';
import { SeenRunName } from '../result/seen-run.js';
import { formatOf } from '../../text/text-page.js';
import { groupText, textSourceOf } from '../texts.js';
import { Actions, Note, type Problem } from './actions.js';
import { CauseHistory, entriesWanted } from './cause-history.js';
import { CauseState, type Cause } from './state.js';
import { Days, Places, Tests } from './places.js';

type Run = components['schemas']['TestRun'];
type SeenRun = components['schemas']['RunOfFailureGroup'];

const PER_PAGE = 20;
const TESTS = 10;
const MOST_LINES = 60;
const MOST_CHARACTERS = 8_000;

export const cause: Page = {
  method: 'GET',
  path: '/teams/:team/projects/:project/failures/:group',
  role: 'viewer',
  async handle(request) {
    const { id, format } = formatOf(request.params['group']!);
    if (format === 'html') return showCause(request);
    const source = await textSourceOf(request, format);
    return groupText(source, { project: request.params['project']!, group: id });
  },
};

/** `problem`: with the form of the request, which was refused. */
export async function showCause(request: PageRequest, problem: Problem | null = null): Promise<Shown> {
  const { api, url, params, team } = request;
  const page = pageOf(url);
  const named = { id: params['project']!, group: params['group']! };
  const [project, { data: group, runs, pagination }, tests, history] = await Promise.all([
    readProject(request),
    api.get('/v1/projects/{id}/failures/{group}', { params: named, query: { page, per_page: PER_PAGE } }),
    api.get('/v1/projects/{id}/failures/{group}/tests', { params: named, query: { per_page: TESTS } }),
    api.get('/v1/projects/{id}/failures/{group}/history', {
      params: named,
      query: { per_page: entriesWanted(url) },
    }),
  ]);
  const { run_id } = group.last_seen;
  const last =
    run_id === null ? null : (await api.get('/v1/test-runs/{id}', { params: { id: run_id } })).data;
  const base = projectPath(team.team_id, project.id);
  const path = `${base}/failures/${group.group}`;
  const list = { url, page, perPage: PER_PAGE, total: pagination.total };
  return {
    title: group.title.slice(0, 100),
    body: (
      <>
        <Crumbs
          steps={[
            ['Projects', `/teams/${team.team_id}/projects`],
            [visible(project.name), base],
            ['Failures', `${base}/failures`],
          ]}
        />
        <h1>{visible(group.title.slice(0, 300))}</h1>
        <CauseState cause={group} />
        <Actions cause={group} project={project} path={path} request={request} problem={problem} />
        <Note cause={group} />
        <Facts group={group} last={last} team={team.team_id} />
        <Days days={group.days} />
        {group.example !== null && <Example result={group.example} team={team.team_id} />}
        <Tests tests={tests.data} total={tests.pagination.total} base={base} />
        <Places cause={group} base={base} />
        <CauseHistory entries={history.data} total={history.pagination.total} team={team.team_id} url={url} />
        <h2>
          Seen in <span class="count">{counted(pagination.total, 'run')}</span>
        </h2>
        <Paged list={list} shown={runs.length} empty={null}>
          <SeenIn runs={runs} team={team.team_id} />
        </Paged>
        <Pager {...list} />
        <p class="soft small">
          For scripts: <a href={`${path}.md`}>Markdown</a> · <a href={`${path}.json`}>JSON</a>
        </p>
      </>
    ),
  };
}

/** By what the failures of a group are the same. */
const sameness: Readonly<Record<string, string>> = {
  hook: 'grouped by the set-up or tear-down',
  selector: 'grouped by the element of the page',
  frame: 'grouped by the place in the code',
  message: 'grouped by the message',
};

/** `last`: the run in which it was seen last; the strip is of the branch and tool of that run. */
function Facts({ group, last, team }: { group: Cause; last: Run | null; team: string }) {
  const { kind, runs, results, first_seen, last_seen, outcomes } = group;
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed').length;
  const line = last === null ? 'of its branch' : likeInWords(last);
  return (
    <>
      <p class="facts">
        <span>
          <b>{counted(runs, 'run')}</b>, {counted(results, 'result')}
        </span>
        <span>
          since <Moment moment={first_seen} team={team} />
        </span>
        <span>
          last <Moment moment={last_seen} team={team} />
        </span>
        <span>{sameness[kind] ?? kind}</span>
      </p>
      <p class="facts soft small">
        <Strip
          cells={outcomes.toReversed().map(({ run_id, outcome }) => ({
            outcome: outcome ?? 'absent',
            label: outcome === 'failed' ? 'seen' : (outcome ?? 'neither seen nor passed'),
            href: `/teams/${team}/runs/${run_id}`,
          }))}
          label={`seen in ${failed} of the last ${outcomes.length} runs ${line}`}
        />
        <span>
          in {number(failed)} of the last {counted(outcomes.length, 'run')} {line}
        </span>
      </p>
    </>
  );
}

function Moment({ moment: { run_id, commit, at }, team }: { moment: Cause['last_seen']; team: string }) {
  return (
    <>
      <Ago at={at} />
      {run_id !== null && (
        <>
          {' in '}
          <a href={`/teams/${team}/runs/${run_id}`}>
            {commit === null ? 'a run' : <code>{shortCommit(commit)}</code>}
          </a>
        </>
      )}
    </>
  );
}

function Example({
  result: { id, name, error_message, error, failing_since, last_passed },
  team,
}: {
  result: NonNullable<Cause['example']>;
  team: string;
}) {
  const text = error?.stack ?? error?.message ?? error_message ?? '';
  const shown = text.split('\n').slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS);
  return (
    <section class="panel example">
      <p>
        <span class="soft">The last one:</span>{' '}
        <a class="break" href={`/teams/${team}/results/${id}`}>
          {visible(name)}
        </a>
      </p>
      {failing_since !== null && (
        <p class="small">
          <b>First bad commit</b> of this row: <Moment moment={failing_since} team={team} />
          {last_passed !== null && (
            <>
              , last passed <Moment moment={last_passed} team={team} />
            </>
          )}
        </p>
      )}
      {shown !== '' && (
        <details id="example">
          <summary class="mono clip">{firstLine(shown)}</summary>
          <pre class="block" tabIndex={0} aria-label="Error">
            <Ansi text={shown} />
            {shown.length < text.length && '\n…'}
          </pre>
        </details>
      )}
    </section>
  );
}

function SeenIn({ runs, team }: { runs: readonly SeenRun[]; team: string }) {
  return (
    <Table class="stacked" columns={{ Run: '', Tests: 'number', Results: 'number', Seen: 'number' }}>
      {runs.map(({ run_id, at, results, tests, ...run }) => (
        <tr data-row="failed">
          <th scope="row">
            {run_id === null ? (
              <span class="soft">a result without a run</span>
            ) : (
              <SeenRunName href={`/teams/${team}/runs/${run_id}`} id={run_id} run={run} />
            )}
          </th>
          <CountCell of={tests} unit="test" />
          <CountCell of={results} unit="result" />
          <td class="number soft">
            <Ago at={at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
