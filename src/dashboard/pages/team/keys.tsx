/** The API keys of a team: create, see which are used, revoke. */
import { addDays, addMilliseconds, instant, systemClock } from '../../../clock.js';
import { atLeast, keyRoles } from '../../../domain/teams/team.js';
import { limits } from '../../../limits.js';
import type { components } from '../../../client/api.generated.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { ButtonForm, Field, Form, Select, Submit } from '../../parts/forms/form.js';
import { Fault } from '../../parts/notice.js';
import { Paged, Pager, pageOf } from '../../parts/lists/pager.js';
import { Ago } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';
import { makersOf, type Key, type Makers } from './key-makers.js';
import { givesOwner, rolesUpTo, shortened, TeamPage } from './tabs.js';
import { NewKey, type Made } from './new-key.js';

const base = '/teams/:team/team/keys';
const PER_PAGE = 50;
const ends = [
  { value: '', text: 'never' },
  ...[30, 90, 180, 365].map((days) => ({ value: String(days), text: `in ${days} days` })),
];

type Project = components['schemas']['Project'];

export const keys: readonly Page[] = [
  { method: 'GET', path: base, role: 'admin', handle: (request) => keysPage(request) },
  { method: 'POST', path: base, role: 'admin', asksAgain: givesOwner, handle: createKey },
  {
    method: 'POST',
    path: `${base}/:key/revoke`,
    role: 'admin',
    async handle(request) {
      const { api, params, team } = request;
      try {
        await api.send('delete', '/v1/keys/{id}', { params: { id: params['key']! } });
        return { redirect: `/teams/${team.team_id}/team/keys` };
      } catch (error) {
        return keysPage(request, { fault: formFault(error, ['last_owner', 'forbidden']) });
      }
    },
  },
];

async function createKey(request: PageRequest): Promise<PageReply> {
  const { api, form } = request;
  const name = (form.get('name') ?? '').trim();
  const role = keyRoles.find((each) => each === form.get('role')) ?? 'reporter';
  const only = (form.get('only') ?? '').trim();
  const days = Number(form.get('days') ?? '');
  const body = {
    name,
    role,
    ...(only !== '' && { project_ids: [only] as [string] }),
    ...(days > 0 && { expires_at: addDays(instant(systemClock), days) }),
  };
  const project = (form.get('project') ?? '').trim();
  try {
    const { data } = await api.send('post', '/v1/keys', { body });
    const made = { name: data.name, role: data.role, key: data.key };
    if (project === '') return keysPage(request, { made: { ...made, project: null } });
    // The key is made and must be shown, also where the project cannot be made.
    try {
      const { data: first } = await api.send('post', '/v1/projects', { body: { name: project } });
      return keysPage(request, { made: { ...made, project: first.id } });
    } catch (error) {
      const fault = formFault(error, ['forbidden', 'write_conflict']);
      return keysPage(request, { made: { ...made, project: null }, fault });
    }
  } catch (error) {
    return keysPage(request, {
      fault: formFault(error, ['key_limit', 'forbidden', 'not_found']),
      sent: name,
    });
  }
}

type More = { made?: Made; fault?: FormFault; sent?: string };

async function keysPage(request: PageRequest, { made, fault, sent }: More = {}): Promise<Shown> {
  const { api, people, team, url } = request;
  const [{ data, pagination }, { data: projects }, members] = await Promise.all([
    api.get('/v1/keys', { query: { page: pageOf(url), per_page: PER_PAGE } }),
    api.get('/v1/projects', { query: { per_page: 100 } }),
    people.members(team.team_id),
  ]);
  const makers = await makersOf(request, { keys: data, before: (pageOf(url) - 1) * PER_PAGE }, members);
  const list = {
    url: new URL(`/teams/${team.team_id}/team/keys${url.search}`, url),
    page: pageOf(url),
    perPage: PER_PAGE,
    total: pagination.total,
  };
  const now = instant(systemClock);
  const valid = data.filter((key) => !hasEnded(key, now)).toReversed();
  const ended = data.filter((key) => hasEnded(key, now)).toReversed();
  const table = { makers, request, now, nameOf: new Map(projects.map(({ id, name }) => [id, name])) };
  return {
    status: made === undefined ? (fault?.status ?? 200) : 200,
    title: 'API keys',
    body: (
      <TeamPage request={request} here="/keys">
        <Fault message={fault?.message} />
        {made && <NewKey made={made} request={request} project={made.project ?? projects[0]?.id ?? null} />}
        <Create request={request} fault={fault} sent={sent} projects={projects} />
        <h2>
          Keys <span class="count">{pagination.total}</span>
        </h2>
        <Paged list={list} shown={data.length} empty={<NoKeys />}>
          {valid.length > 0 && <KeyTable keys={valid} {...table} />}
          {ended.length > 0 && (
            <details class="below">
              <summary>{ended.length} revoked or expired</summary>
              <KeyTable keys={ended} {...table} />
            </details>
          )}
        </Paged>
        <Pager {...list} />
      </TeamPage>
    ),
  };
}

function NoKeys() {
  return (
    <p class="panel empty">The team has no key yet. Pipelines and reporters post their runs with one.</p>
  );
}

function Create({
  request: { team, person },
  fault,
  sent,
  projects,
}: {
  request: PageRequest;
  fault: FormFault | undefined;
  sent: string | undefined;
  projects: readonly Project[];
}) {
  // Without a project, no run can be posted.
  const isFirst = projects.length === 0;
  return (
    <section class="panel">
      <Form class="filters" action={`/teams/${team.team_id}/team/keys`} csrf={person.csrf}>
        <Field
          label="Name of a new key"
          name="name"
          value={sent}
          required
          minLength={2}
          maxLength={255}
          placeholder="ci"
          autocomplete="off"
          error={fault?.fields['name']}
        />
        <Select
          label="Role"
          name="role"
          id="key-role"
          choices={rolesUpTo(team.role, keyRoles)}
          value="reporter"
        />
        {!isFirst && (
          <Select
            label="Projects"
            name="only"
            id="key-project"
            choices={[
              { value: '', text: 'all' },
              ...projects.map(({ id, name }) => ({ value: id, text: name })),
            ]}
            value=""
          />
        )}
        <Select label="Ends" name="days" id="key-days" choices={ends} value="90" />
        {isFirst && (
          <Field label="First project" name="project" value="My project" maxLength={255} autocomplete="off" />
        )}
        <Submit>Create the key</Submit>
      </Form>
      <p class="hint">
        A reporter key is for pipelines: it posts runs and reads them, and nothing else. A key may never do
        more than the person who made it.
      </p>
    </section>
  );
}

type Around = { makers: Makers; request: PageRequest; now: string; nameOf: ReadonlyMap<string, string> };

function KeyTable({ keys, makers, request, now, nameOf }: Around & { keys: readonly Key[] }) {
  const { team, person } = request;
  return (
    <Table
      class="stacked"
      columns={{ Name: '', Role: '', 'Last used': '', Created: 'wide-only', Actions: 'actions' }}
    >
      {keys.map((key) => (
        <tr data-row>
          <th scope="row">
            <span class="break">{key.name}</span>
            <div class="soft small mono">{key.prefix}…</div>
          </th>
          <td>
            {key.role}
            {!hasEnded(key, now) && <Rights of={key} makers={makers} />}
            <Reach of={key} nameOf={nameOf} />
            <End of={key} now={now} />
          </td>
          <td>
            {key.last_used_at === null ? (
              <span class="soft">
                never<span class="narrow-only"> used</span>
              </span>
            ) : (
              <>
                <span class="narrow-only soft">used </span>
                <Ago at={key.last_used_at} />
              </>
            )}
          </td>
          <td class="wide-only">
            <Ago at={key.created_at} />
            <div class="soft small break">
              by{' '}
              {key.created_by === null ? 'the server' : (makers.get(key.created_by)?.name ?? key.created_by)}
            </div>
          </td>
          <td class="row-actions">
            {key.revoked_at !== null && (
              <span class="soft">
                revoked <Ago at={key.revoked_at} />
              </span>
            )}
            {!hasEnded(key, now) && atLeast(team.role, key.role) && (
              <ButtonForm
                danger
                action={`/teams/${team.team_id}/team/keys/${encodeURIComponent(key.id)}/revoke`}
                csrf={person.csrf}
                confirm={`Revoke the key “${shortened(key.name)}”? Everything that uses it is refused from now on.`}
                label={`Revoke ${shortened(key.name)}`}
              >
                Revoke
              </ButtonForm>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function hasEnded({ revoked_at, expires_at }: Key, now: string): boolean {
  return revoked_at !== null || (expires_at !== null && expires_at <= now);
}

function Reach({ of: { project_ids }, nameOf }: { of: Key; nameOf: Around['nameOf'] }) {
  if (project_ids === null) return null;
  const names = project_ids.map((id) => shortened(nameOf.get(id) ?? id));
  return <div class="soft small break">only {names.join(', ')}</div>;
}

/** The last days of a key stand out: whatever uses it stops with it. */
function End({ of: key, now }: { of: Key; now: string }) {
  const { expires_at, revoked_at } = key;
  if (expires_at === null || revoked_at !== null) return null;
  const isSoon = expires_at <= addMilliseconds(now, limits.keyEndsSoonMs);
  const words = hasEnded(key, now) ? 'expired on' : 'ends on';
  return (
    <div class={isSoon ? 'small' : 'soft small'}>
      {isSoon ? (
        <strong>
          {words} {expires_at.slice(0, 10)}
        </strong>
      ) : (
        `${words} ${expires_at.slice(0, 10)}`
      )}
    </div>
  );
}

/** A key never may do more than the person who made it: where they may do less now, the key may do less too. */
function Rights({ of: { created_by, role }, makers }: { of: Key; makers: Makers }) {
  const maker = makers.get(created_by ?? '')?.role;
  if (maker === undefined || (maker !== null && atLeast(maker, role))) return null;
  return (
    <div class="soft small">
      {maker === null ? 'refused: its person has left' : `works as ${maker}, as its person does`}
    </div>
  );
}
