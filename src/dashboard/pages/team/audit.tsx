/** Who did what in a team: a list with filters, and the same as a file. */
import type { components } from '../../../client/api.generated.js';
import { acts, wordsOf } from '../../../domain/audit/acts.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { Field, Select } from '../../parts/forms/form.js';
import { number } from '../../parts/outcome.js';
import { Paged, Pager, pageOf, withParams } from '../../parts/lists/pager.js';
import { Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';
import { csvOf } from '../../text/csv.js';
import { TeamPage } from './tabs.js';

const path = '/teams/:team/team/audit';
const PER_PAGE = 50;
/** A file has so many entries at most: each page of them is read for it. */
const MOST_EXPORTED = 5_000;
const AT_ONCE = 100;

type Entry = components['schemas']['AuditEntry'];
type Filter = { actor?: string; type?: string; since?: string };

export const audit: readonly Page[] = [
  { method: 'GET', path, role: 'admin', handle: (request) => auditPage(request) },
  {
    method: 'GET',
    path: `${path}/csv`,
    role: 'admin',
    async handle(request) {
      const entries = await allOf(request);
      return { type: 'text/csv', write: () => csvOf([titles, ...entries.map(cellsOf)]) };
    },
  },
  {
    method: 'GET',
    path: `${path}/json`,
    role: 'admin',
    async handle(request) {
      const data = await allOf(request);
      return { type: 'application/json', write: () => `${JSON.stringify({ data }, null, 2)}\n` };
    },
  },
];

const titles = ['at', 'type', 'text', 'actor', 'actor_id', 'subject', 'subject_id', 'network', 'agent', 'id'];

function cellsOf({ at, type, text, actor, subject, client, id }: Entry): string[] {
  const whom = [subject.name ?? subject.type, subject.id];
  const where = [client?.network ?? '', client?.agent ?? ''];
  return [at, type, text, actor.name ?? actor.type, actor.id ?? '', ...whom, ...where, id];
}

async function allOf({ api, url }: PageRequest): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1; entries.length < MOST_EXPORTED; page += 1) {
    const { data } = await api.get('/v1/audit', { query: { ...filterIn(url), page, per_page: AT_ONCE } });
    entries.push(...data);
    if (data.length < AT_ONCE) break;
  }
  return entries;
}

async function auditPage(request: PageRequest): Promise<Shown> {
  const { api, url, team } = request;
  const page = pageOf(url);
  const filter = filterIn(url);
  const { data, pagination } = await api.get('/v1/audit', { query: { ...filter, page, per_page: PER_PAGE } });
  const list = { url, page, perPage: PER_PAGE, total: pagination.total };
  const base = `/teams/${team.team_id}/team/audit`;
  const { search } = new URL(withParams(url, { page: null }), url);
  return {
    title: 'Audit',
    body: (
      <TeamPage request={request} here="/audit">
        <Filters filter={filter} path={base} entries={data} />
        <Paged list={list} shown={data.length} empty={<p class="panel empty">Nothing was done here yet.</p>}>
          <Table class="stacked" columns={{ What: '', By: '', From: '', When: 'number' }}>
            {data.map((entry) => (
              <Row entry={entry} url={url} />
            ))}
          </Table>
        </Paged>
        <Pager {...list} />
        {data.length > 0 && (
          <p>
            <a href={`${base}/csv${search}`} download="audit.csv">
              Download as CSV
            </a>{' '}
            or{' '}
            <a href={`${base}/json${search}`} download="audit.json">
              as JSON
            </a>
            {pagination.total > MOST_EXPORTED && (
              <span class="soft small">
                {' '}
                (the newest {number(MOST_EXPORTED)}; <code>GET /v1/audit</code> has all)
              </span>
            )}
          </p>
        )}
        <p class="soft small">
          Where something was done from is a network, and no single address. It goes when its person is
          forgotten.
        </p>
      </TeamPage>
    ),
  };
}

/** For actors without an id. */
const words = {
  person: 'a person',
  key: 'a key',
  build: 'a build',
  operator: 'the machine of the server',
  unknown: 'somebody',
  system: 'the program',
} as const satisfies Record<Entry['actor']['type'], string>;

function Row({ entry: { text, type, at, actor, client }, url }: { entry: Entry; url: URL }) {
  return (
    <tr data-row>
      <th scope="row">
        <span class="break">{text}</span>
        <div class="soft small">{wordsOf(type)}</div>
      </th>
      <td>
        {actor.id === null ? (
          <span class="soft">{words[actor.type]}</span>
        ) : (
          <a href={withParams(url, { actor: actor.id, page: null })}>{actor.name ?? 'one who is gone'}</a>
        )}
        {actor.type === 'key' && <div class="soft small">API key</div>}
      </td>
      <td>
        {client === null ? (
          <span class="soft">not known</span>
        ) : (
          <>
            {client.network}
            <div class="soft small">{client.agent}</div>
          </>
        )}
      </td>
      <td class="number">
        <Ago at={at} />
      </td>
    </tr>
  );
}

function Filters({ filter, path, entries }: { filter: Filter; path: string; entries: readonly Entry[] }) {
  const types = Object.entries(acts).map(([value, { words }]) => ({ value, text: words }));
  const { actor, type, since } = filter;
  const name = entries[0]?.actor.name ?? actor;
  return (
    <form class="filters" method="get" action={path} role="search">
      <Select
        label="What"
        name="type"
        choices={[{ value: '', text: 'Anything' }, ...types]}
        value={type ?? ''}
      />
      <Field label="Since" name="since" type="date" value={since?.slice(0, 10)} />
      {actor !== undefined && <input type="hidden" name="actor" value={actor} />}
      <button type="submit">Show</button>
      {actor !== undefined && (
        <p>
          Only by {name}. <a href={path}>Show all</a>
        </p>
      )}
    </form>
  );
}

/** What the form does not offer is left out. */
function filterIn({ searchParams }: URL): Filter {
  const [actor, type, since] = ['actor', 'type', 'since'].map((name) => searchParams.get(name) ?? '');
  return {
    ...(/^(person|key)_\w{1,40}$/.test(actor!) && { actor: actor! }),
    ...(Object.hasOwn(acts, type!) && { type: type! }),
    ...(/^\d{4}-\d\d-\d\d$/.test(since!) &&
      !Number.isNaN(Date.parse(since!)) && { since: `${since}T00:00:00.000Z` }),
  };
}
