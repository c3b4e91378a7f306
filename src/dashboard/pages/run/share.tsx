/** Links to a run for people outside of the team: make one, see who made which, revoke them. */
import type { components } from '../../../client/api.generated.js';
import { addDays, instant, systemClock } from '../../../clock.js';
import { atLeast } from '../../../domain/teams/team.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { ButtonForm, Form, Select, Submit } from '../../parts/forms/form.js';
import { Fault, ShownOnce } from '../../parts/notice.js';
import { Table } from '../../parts/lists/table.js';
import { Ago, utc } from '../../parts/time.js';
import { makerNames } from '../../text/maker-names.js';
import { RunCrumbs, RunTabs, RunTitle } from './head.js';
import { linksOf } from './links.js';

type Link = components['schemas']['Link'];

const PATH = '/teams/:team/runs/:run/links';
/** The most that a run has. */
const ALL = { per_page: 50 };
const ends = [
  { value: '1', text: 'in a day' },
  { value: '7', text: 'in 7 days' },
  { value: '30', text: 'in 30 days' },
];

export const shareRun: readonly Page[] = [
  { method: 'GET', path: PATH, role: 'viewer', handle: (request) => show(request) },
  { method: 'POST', path: PATH, role: 'member', handle: createLink },
  {
    method: 'POST',
    path: `${PATH}/:link/revoke`,
    role: 'member',
    async handle(request) {
      const { api, params } = request;
      try {
        const path = { id: params['run']!, link: params['link']! };
        await api.send('delete', '/v1/test-runs/{id}/links/{link}', { params: path });
        return { redirect: pathOf(request) };
      } catch (error) {
        return show(request, formFault(error, ['not_found']));
      }
    },
  },
];

async function createLink(request: PageRequest): Promise<PageReply> {
  const { api, form, params, once } = request;
  const days = Number(ends.find(({ value }) => value === form.get('days'))?.value ?? 7);
  const expires_at = addDays(instant(systemClock), days);
  try {
    const path = { id: params['run']! };
    const { data } = await api.send('post', '/v1/test-runs/{id}/links', {
      params: path,
      body: { expires_at },
    });
    once.keep(pathOf(request), { title: 'The new link', text: data.url });
    return { redirect: pathOf(request) };
  } catch (error) {
    return show(request, formFault(error, ['link_limit']));
  }
}

function pathOf({ team, params }: Pick<PageRequest, 'team' | 'params'>): string {
  return linksOf(team.team_id).shares(params['run']!);
}

async function show(request: PageRequest, fault?: FormFault): Promise<Shown> {
  const { api, params, person, team, once } = request;
  const path = { id: params['run']! };
  const [{ data: run }, { data: found }] = await Promise.all([
    api.get('/v1/test-runs/{id}', { params: path }),
    api.get('/v1/test-runs/{id}/links', { params: path, query: ALL }),
  ]);
  const [{ data: project }, names] = await Promise.all([
    api.get('/v1/projects/{id}', { params: { id: run.project_id } }),
    makerNames(request, found),
  ]);
  const links = linksOf(team.team_id);
  const mayChange = atLeast(team.role, 'member');
  const made = fault === undefined ? once.take() : null;
  return {
    title: `Links · ${project.name}`,
    ...(fault !== undefined && { status: fault.status }),
    body: (
      <>
        <RunCrumbs run={run} project={project} links={links} />
        <RunTitle run={run} project={project} links={links}>
          Share this run
        </RunTitle>
        <RunTabs run={run.id} links={links} here="share" />
        <Fault message={fault?.message} />
        {made && (
          <ShownOnce title={made.title} text={made.text} label="Copy the link">
            <p class="soft small">It is shown only now: only its hash is kept.</p>
          </ShownOnce>
        )}
        <section class="panel">
          <p>
            A link shows this run, its results and their files to whoever has it, without an account. They can
            change nothing, and see nothing else of the team: of other runs, only counts and since when.
          </p>
          {mayChange ? (
            <Form class="filters" action={pathOf(request)} csrf={person.csrf}>
              <Select label="Ends" name="days" choices={ends} value="7" />
              <Submit>Make a link</Submit>
            </Form>
          ) : (
            <p class="soft">Members make links.</p>
          )}
        </section>
        {found.length > 0 && <LinkTable found={found} names={names} request={request} />}
      </>
    ),
  };
}

function LinkTable({
  found,
  names,
  request,
}: {
  found: readonly Link[];
  names: ReadonlyMap<string, string>;
  request: PageRequest;
}) {
  return (
    <section>
      <h2>
        Links <span class="count">{found.length}</span>
      </h2>
      <Table class="stacked" columns={{ 'Made by': '', Made: '', Ends: '', Actions: 'actions' }}>
        {found.map(({ id, created_by, created_at, expires_at }) => (
          <tr data-row>
            <th scope="row">
              <span class="break">{names.get(created_by) ?? created_by}</span>
            </th>
            <td>
              <Ago at={created_at} />
            </td>
            <td>{utc(expires_at)}</td>
            <td class="row-actions">
              {atLeast(request.team.role, 'member') && (
                <ButtonForm
                  danger
                  action={`${pathOf(request)}/${encodeURIComponent(id)}/revoke`}
                  csrf={request.person.csrf}
                  confirm="Revoke this link? Whoever has it sees nothing from now on."
                  label={`Revoke the link that ends on ${utc(expires_at)}`}
                >
                  Revoke
                </ButtonForm>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
