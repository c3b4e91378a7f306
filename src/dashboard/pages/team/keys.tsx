/** The API keys of a team: create, see which are used, revoke. */
import { atLeast } from '../../../domain/team.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { ButtonForm, Field, Form, Select, Submit } from '../../parts/form.js';
import { Copied, Fault, ShownOnce } from '../../parts/notice.js';
import { Paged, Pager, pageOf } from '../../parts/pager.js';
import { Ago } from '../../parts/time.js';
import { Table } from '../../parts/table.js';
import { makersOf, type Key, type Makers } from './key-makers.js';
import { givesOwner, roleIn, rolesUpTo, shortened, TeamPage } from './tabs.js';
import { postRun } from '../../text/commands.js';

const base = '/teams/:team/team/keys';
const PER_PAGE = 50;

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

type Made = { name: string; role: string; key: string; project: string | null };

async function createKey(request: PageRequest): Promise<PageReply> {
  const { api, form } = request;
  const body = { name: (form.get('name') ?? '').trim(), role: roleIn(form) };
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
    return keysPage(request, { fault: formFault(error, ['key_limit', 'forbidden']), sent: body.name });
  }
}

type More = { made?: Made; fault?: FormFault; sent?: string };

async function keysPage(request: PageRequest, { made, fault, sent }: More = {}): Promise<Shown> {
  const { api, people, team, url } = request;
  const [{ data, pagination }, { data: projects }, members] = await Promise.all([
    api.get('/v1/keys', { query: { page: pageOf(url), per_page: PER_PAGE } }),
    api.get('/v1/projects', { query: { per_page: 1 } }),
    people.members(team.team_id),
  ]);
  const makers = await makersOf(request, { keys: data, before: (pageOf(url) - 1) * PER_PAGE }, members);
  const list = {
    url: new URL(`/teams/${team.team_id}/team/keys${url.search}`, url),
    page: pageOf(url),
    perPage: PER_PAGE,
    total: pagination.total,
  };
  const valid = data.filter(({ revoked_at }) => revoked_at === null).toReversed();
  const revoked = data.filter(({ revoked_at }) => revoked_at !== null).toReversed();
  return {
    status: made === undefined ? (fault?.status ?? 200) : 200,
    title: 'API keys',
    body: (
      <TeamPage request={request} here="/keys">
        <Fault message={fault?.message} />
        {made && <NewKey made={made} request={request} project={made.project ?? projects[0]?.id ?? null} />}
        <Create request={request} fault={fault} sent={sent} isFirst={projects.length === 0} />
        <h2>
          Keys <span class="count">{pagination.total}</span>
        </h2>
        <Paged list={list} shown={data.length} empty={<NoKeys />}>
          {valid.length > 0 && <KeyTable keys={valid} makers={makers} request={request} />}
          {revoked.length > 0 && (
            <details class="below">
              <summary>{revoked.length} revoked</summary>
              <KeyTable keys={revoked} makers={makers} request={request} />
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

function NewKey({ made, request, project }: { made: Made; request: PageRequest; project: string | null }) {
  const { origin, team } = request;
  return (
    <>
      <ShownOnce title={`The key “${made.name}”`} text={made.key} label="Copy the key">
        <p class="soft small">
          It is shown only now: only its hash is kept. Put it into the secrets of your CI, as
          TESTLEDGER_API_KEY for example.
        </p>
      </ShownOnce>
      {made.role !== 'viewer' && project !== null && (
        <section class="panel">
          <h2>Post a first run</h2>
          <Copied text={postRun(origin, project, made.key)} label="Copy the command" />
          <p class="soft small">
            It appears at once under{' '}
            <a href={`/teams/${team.team_id}/projects/${project}`}>the runs of the project</a>.
          </p>
        </section>
      )}
    </>
  );
}

function Create({
  request: { team, person },
  fault,
  sent,
  isFirst,
}: {
  request: PageRequest;
  fault: FormFault | undefined;
  sent: string | undefined;
  /** The team has no project: without one, no run can be posted. */
  isFirst: boolean;
}) {
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
        <Select label="Role" name="role" id="key-role" choices={rolesUpTo(team.role)} value="member" />
        {isFirst && (
          <Field label="First project" name="project" value="My project" maxLength={255} autocomplete="off" />
        )}
        <Submit>Create the key</Submit>
      </Form>
      <p class="hint">
        A member key posts runs; a viewer key only reads. A key may never do more than the person who made it.
      </p>
    </section>
  );
}

function KeyTable({ keys, makers, request }: { keys: readonly Key[]; makers: Makers; request: PageRequest }) {
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
            {key.revoked_at === null && <Rights of={key} makers={makers} />}
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
            {key.revoked_at === null && atLeast(team.role, key.role) && (
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
