/** The groups of failures of a project: which errors hit most runs. */
import type { components } from '../../../client/api.generated.js';
import type { Page } from '../../page.js';
import { instant, systemClock } from '../../../clock.js';
import { filterIn, inOneForm, withTerms, type Filter } from '../../parts/filter/filter.js';
import type { Term } from '../../parts/filter/filter-text.js';
import { FilterBar } from '../../parts/filter/filter-bar.js';
import { ages, ofCauses, sinceOf } from '../../parts/filter/vocabularies.js';
import { sortingIn, type Sorting } from '../../parts/lists/sorting.js';
import { cleaned, onOneLine } from '../../../domain/text/harmless.js';
import { Paged, pageOf, Pager } from '../../parts/lists/pager.js';
import { Ago } from '../../parts/time.js';
import { CountCell, Table } from '../../parts/lists/table.js';
import { ProjectFrame, projectPath, readProject } from './frame.js';
import { causesFile, wantsCsv } from './list-files.js';
import { cut, visible } from '../../text/short.js';
import { Owner } from '../../parts/owner.js';
import { StateBadge, stateWords } from '../cause/state.js';

type Group = components['schemas']['ProjectFailureGroup'];

const PER_PAGE = 25;
const sorts = ['runs', 'last_seen'] as const;
type State = keyof typeof stateWords;
const states = Object.keys(stateWords) as State[];

export const failures: Page = {
  method: 'GET',
  path: '/teams/:team/projects/:project/failures',
  role: 'viewer',
  async handle(request) {
    const { api, url, params, team } = request;
    const other = inOneForm(url, ofCauses);
    if (other !== null) return { redirect: other };
    const page = pageOf(url);
    const filter = filterIn(url, ofCauses);
    const { age, ...narrowed } = filter.values;
    const since = sinceOf(age, instant(systemClock));
    const sorting = sortingIn(url, sorts, { sort: 'runs', order: 'desc' });
    const { sort, order } = sorting;
    const [project, found, branches] = await Promise.all([
      readProject(request),
      api.get('/v1/projects/{id}/failures', {
        params: { id: params['project']! },
        query: { ...narrowed, since, sort, order, page, per_page: PER_PAGE },
      }),
      api.get('/v1/test-runs', { query: { project_id: params['project']!, per_page: LOOKED_AT } }),
    ]);
    if (wantsCsv(url)) return causesFile(found.data);
    const base = projectPath(team.team_id, project.id);
    const list = { url, page, perPage: PER_PAGE, total: found.pagination.total };
    return {
      title: `Failures of ${project.name}`,
      body: (
        <ProjectFrame project={project} request={request} here="Failures">
          <nav class="choices" aria-label="State">
            {[undefined, ...states].map((each) => (
              <a
                href={withTerms(url, withState(filter, each), ofCauses)}
                aria-current={each === filter.values['state'] ? 'true' : undefined}
              >
                {each === undefined ? 'Any state' : capital(stateWords[each])}
              </a>
            ))}
          </nav>
          <FilterBar
            url={url}
            vocabulary={ofCauses}
            filter={filter}
            hasFile
            known={{
              owner: found.data.map(({ owner }) => owner),
              branch: branches.data.map(({ branch }) => branch),
              environment: branches.data.map(({ environment_key }) => environment_key),
              age: ages,
            }}
          />
          <Paged list={list} shown={found.data.length} empty={<p class="panel empty">{emptyText(filter)}</p>}>
            <GroupTable groups={found.data} base={base} team={team.team_id} sorting={sorting} />
          </Paged>
          <Pager {...list} />
        </ProjectFrame>
      ),
    };
  },
};

/** The newest runs, whose branches and environments the filter offers. */
const LOOKED_AT = 50;

function withState({ terms }: Filter, state: State | undefined): Term[] {
  const others = terms.filter(({ field }) => field !== 'state');
  return state === undefined ? others : [...others, { not: false, field: 'state', value: state }];
}

function emptyText({ terms, values }: Filter): string {
  if (terms.length === 0) return 'No test has failed.';
  const isOfAge = terms.length === 1 && values['age'] !== undefined;
  return isOfAge ? `No test has failed within ${values['age']}.` : 'No cause matches.';
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

type GroupTableProps = { groups: readonly Group[]; base: string; team: string; sorting: Sorting };

function GroupTable({ groups, base, team, sorting }: GroupTableProps) {
  return (
    <Table
      class="groups stacked"
      sorting={sorting}
      columns={{
        Error: '',
        State: '',
        Owner: '',
        Runs: { class: 'number', sort: 'runs', first: 'desc' },
        Results: 'number',
        'First seen': 'number',
        'Last seen': { class: 'number', sort: 'last_seen', first: 'desc' },
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
          <CountCell of={runs} unit="run" />
          <CountCell of={results} unit="result" />
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
