/** Who did what in a team: a list with filters, and the same as a file. */
import type { components } from '../../../client/api.generated.js';
import { wordsOf } from '../../../domain/audit/acts.js';
import type { Page, PageReply, PageRequest } from '../../page.js';
import { instant, systemClock } from '../../../clock.js';
import { filtered, filterIn, inOneForm } from '../../parts/filter/filter.js';
import { FilterBar } from '../../parts/filter/filter-bar.js';
import { ages, ofAudit, sinceOf } from '../../parts/filter/vocabularies.js';
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
    const { data } = await api.get('/v1/audit', { query: { ...askedBy(url), page, per_page: AT_ONCE } });
    entries.push(...data);
    if (data.length < AT_ONCE) break;
  }
  return entries;
}

async function auditPage(request: PageRequest): Promise<PageReply> {
  const { api, url, team } = request;
  const other = inOneForm(url, ofAudit);
  if (other !== null) return { redirect: other };
  const page = pageOf(url);
  const query = { ...askedBy(url), page, per_page: PER_PAGE };
  const { data, pagination } = await api.get('/v1/audit', { query });
  const list = { url, page, perPage: PER_PAGE, total: pagination.total };
  const base = `/teams/${team.team_id}/team/audit`;
  const { search } = new URL(withParams(url, { page: null }), url);
  return {
    title: 'Audit',
    body: (
      <TeamPage request={request} here="/audit">
        <FilterBar url={url} vocabulary={ofAudit} filter={filterIn(url, ofAudit)} known={{ age: ages }} />
        {query.actor !== undefined && <p class="soft small">Only by {data[0]?.actor.name ?? query.actor}.</p>}
        <Paged list={list} shown={data.length} empty={<p class="panel empty">Nothing was done here yet.</p>}>
          <Table class="stacked" columns={{ What: '', By: '', From: '', When: 'number' }}>
            {data.map((entry) => (
              <Row entry={entry} url={url} />
            ))}
          </Table>
        </Paged>
        <Pager {...list} />
        {data.length > 0 && (
          <p class="soft small">
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
          <a href={filtered(url.pathname, { actor: actor.id })}>{actor.name ?? 'one who is gone'}</a>
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

/** What the API is asked for. */
function askedBy(url: URL): { actor?: string; type?: string; since?: string } {
  const { age, ...query } = filterIn(url, ofAudit).values;
  const since = sinceOf(age, instant(systemClock));
  return { ...query, ...(since !== undefined && { since }) };
}
