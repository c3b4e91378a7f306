/** The groups of failures of a project: which errors hit most runs. */
import type { components } from '../../../client/api.generated.js';
import type { Page } from '../../page.js';
import { Field } from '../../parts/forms/form.js';
import { cleaned, onOneLine } from '../../../domain/text/harmless.js';
import { number } from '../../parts/outcome.js';
import { Paged, pageOf, Pager, withParams } from '../../parts/lists/pager.js';
import { Ago } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';
import { ProjectFrame, projectPath, readProject } from './frame.js';
import { cut, visible } from '../../text/short.js';
import { Owner } from '../../parts/owner.js';
import { StateBadge, stateWords } from '../cause/state.js';

type Group = components['schemas']['ProjectFailureGroup'];

const PER_PAGE = 25;
const DAY = 86_400_000;

/** `month` is the view without a parameter. */
const spans = {
  day: ['24 hours', 1],
  week: ['7 days', 7],
  month: ['30 days', 30],
  all: ['All', null],
} as const;
type Span = keyof typeof spans;
type State = keyof typeof stateWords;

export const failures: Page = {
  method: 'GET',
  path: '/teams/:team/projects/:project/failures',
  role: 'viewer',
  async handle(request) {
    const { api, url, params, team } = request;
    const page = pageOf(url);
    const span = spanIn(url);
    const branch = (url.searchParams.get('branch') ?? '').trim().slice(0, 255);
    const owner = (url.searchParams.get('owner') ?? '').trim().slice(0, 255);
    const state = stateIn(url);
    const days = spans[span][1];
    const since = days === null ? undefined : new Date(Date.now() - days * DAY).toISOString();
    const [project, found] = await Promise.all([
      readProject(request),
      api.get('/v1/projects/{id}/failures', {
        params: { id: params['project']! },
        query: { branch, owner, state, since, page, per_page: PER_PAGE },
      }),
    ]);
    const base = projectPath(team.team_id, project.id);
    const list = { url, page, perPage: PER_PAGE, total: found.pagination.total };
    return {
      title: `Failures of ${project.name}`,
      body: (
        <ProjectFrame project={project} request={request} here="Failures">
          <nav class="choices" aria-label="Seen in the last">
            {Object.entries(spans).map(([each, [text]]) => (
              <a
                href={withParams(url, { since: each === 'month' ? null : each, page: null })}
                aria-current={each === span ? 'true' : undefined}
              >
                {text}
              </a>
            ))}
          </nav>
          <nav class="choices" aria-label="State">
            {[undefined, ...states].map((each) => (
              <a
                href={withParams(url, { state: each ?? null, page: null })}
                aria-current={each === state ? 'true' : undefined}
              >
                {each === undefined ? 'Any state' : capital(stateWords[each])}
              </a>
            ))}
          </nav>
          <form class="filters" method="get" action={`${base}/failures`}>
            {span !== 'month' && <input type="hidden" name="since" value={span} />}
            {state !== undefined && <input type="hidden" name="state" value={state} />}
            <Field label="Branch" name="branch" value={branch} placeholder="all" maxLength={255} />
            <Field label="Owner" name="owner" value={owner} placeholder="anybody" maxLength={255} />
            <button type="submit">Filter</button>
          </form>
          <Paged
            list={list}
            shown={found.data.length}
            empty={
              <p class="panel empty">
                {owner !== '' || state !== undefined
                  ? 'No cause matches.'
                  : `No test has failed${branch === '' ? '' : ` on ${branch}`}${
                      days === null ? '.' : ` in the last ${spans[span][0]}.`
                    }`}
              </p>
            }
          >
            <GroupTable groups={found.data} base={base} team={team.team_id} />
          </Paged>
          <Pager {...list} />
        </ProjectFrame>
      ),
    };
  },
};

const states = Object.keys(stateWords) as State[];

function stateIn({ searchParams }: URL): State | undefined {
  const asked = searchParams.get('state');
  return states.find((state) => state === asked);
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function spanIn({ searchParams }: URL): Span {
  const asked = searchParams.get('since');
  return (Object.keys(spans) as Span[]).find((span) => span === asked) ?? 'month';
}

function GroupTable({ groups, base, team }: { groups: readonly Group[]; base: string; team: string }) {
  return (
    <Table
      class="groups stacked"
      columns={{
        Error: '',
        State: '',
        Owner: '',
        Runs: 'number',
        Results: 'number',
        'First seen': 'number',
        'Last seen': 'number',
      }}
    >
      {groups.map(({ group, title, runs, results, first_seen, last_seen, example, state, owner }) => (
        <tr data-row="failed">
          <th scope="row">
            <a class="break title" href={`${base}/failures/${encodeURIComponent(group)}`}>
              {visible(cut(title, 160))}
            </a>
            {example !== null && <p class="soft small mono clip">{firstLine(example.error_message)}</p>}
          </th>
          <td>
            <StateBadge state={state} />
          </td>
          <td>{owner !== null && <Owner name={owner} />}</td>
          <td class="number">
            {number(runs)}
            <span class="narrow-only soft small"> {runs === 1 ? 'run' : 'runs'}</span>
          </td>
          <td class="number">
            {number(results)}
            <span class="narrow-only soft small"> {results === 1 ? 'result' : 'results'}</span>
          </td>
          <td class="number soft wide-only">
            <Seen {...first_seen} team={team} />
          </td>
          <td class="number soft">
            <span class="narrow-only small">last </span>
            <Seen {...last_seen} team={team} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Seen({ run_id, at, team }: Group['last_seen'] & { team: string }) {
  if (run_id === null) return <Ago at={at} />;
  return (
    <a href={`/teams/${team}/runs/${run_id}`}>
      <Ago at={at} />
    </a>
  );
}

/** The first line that says something. */
export function firstLine(message: string | null): string {
  // Only the beginning of a text that may have megabytes.
  const [line = ''] = cleaned((message ?? '').trimStart().slice(0, 4_000))
    .trim()
    .split('\n', 1);
  return onOneLine(line, 200);
}
