/** The projects of a team: which of them needs somebody. */
import { atLeast } from '../../../domain/teams/team.js';
import type { PageApi } from '../../page-api.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { filterIn, inOneForm } from '../../parts/filter/filter.js';
import { FilterBar } from '../../parts/filter/filter-bar.js';
import { ofProjects } from '../../parts/filter/vocabularies.js';
import { Field, Form, Submit } from '../../parts/forms/form.js';
import { Live } from '../../parts/live.js';
import { Fault } from '../../parts/notice.js';
import { counted, number } from '../../parts/outcome.js';
import { Paged, pageOf, Pager, type ListPage } from '../../parts/lists/pager.js';
import { formFault, type FormFault } from '../../form-fault.js';
import { ProjectTable } from './project-table.js';
import { PER_PAGE, readProjects, type Project, type Projects } from './read-projects.js';
import { visible } from '../../text/short.js';

export const projects: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/projects',
    role: 'viewer',
    liveQuery: ['q', 'page'],
    handle: async (request) => {
      const other = inOneForm(request.url, ofProjects);
      return other === null ? show(request) : { redirect: other };
    },
  },
  {
    method: 'POST',
    path: '/teams/:team/projects',
    role: 'admin',
    async handle(request) {
      const { api, form, team } = request;
      const text = (name: string) => form.get(name)?.trim() || undefined;
      const sent = { name: text('name') ?? '', description: text('description') };
      const body = { ...sent, default_branch: text('default_branch') };
      if (await isTaken(api, sent.name)) {
        const fault = { status: 409, message: null, fields: { name: taken }, retryAfter: undefined };
        return { ...(await show(request, { sent: body, fault })), status: fault.status };
      }
      try {
        const { data } = await api.send('post', '/v1/projects', { body });
        return { redirect: `/teams/${team.team_id}/projects/${data.id}` };
      } catch (error) {
        const fault = formFault(error);
        return { ...(await show(request, { sent: body, fault })), status: fault.status };
      }
    },
  },
];

const taken = 'There is a project of this name already.';

/** The API takes it; people could not tell the two apart. */
async function isTaken(api: PageApi, name: string): Promise<boolean> {
  if (name === '') return false;
  const { data } = await api.get('/v1/projects', {
    query: { q: name.slice(0, 60).toWellFormed(), per_page: 100 },
  });
  return data.some((project) => project.name === name);
}

type Refused = { sent: Sent; fault: FormFault };
type Sent = { name: string; description: string | undefined; default_branch: string | undefined };

async function show(request: PageRequest, refused?: Refused): Promise<Shown> {
  const { api, url, team } = request;
  const page = pageOf(url);
  const filter = filterIn(url, ofProjects);
  const found = await readProjects(api, filter.values, page);
  const base = `/teams/${team.team_id}`;
  const place = {
    url: new URL(`${base}/projects${url.search}`, url),
    page,
    perPage: PER_PAGE,
    total: found.total,
  };
  const isFiltered = filter.terms.length > 0;
  const list = <List {...found} {...{ isFiltered, place, base, role: team.role }} />;
  return {
    title: 'Projects',
    live: { projects: list },
    body: (
      <>
        <div class="head">
          <h1>Projects</h1>
          <div class="head-links">
            {(found.total > 0 || isFiltered) && <a href={`${base}/insights`}>Insights</a>}
            {atLeast(team.role, 'admin') && <NewProject {...request} refused={refused} />}
          </div>
        </div>
        {(found.total > 0 || isFiltered) && (
          <FilterBar url={place.url} vocabulary={ofProjects} filter={filter} />
        )}
        <Live id="projects">{list}</Live>
        <Pager {...place} />
        {found.inactiveTotal > 0 && <Inactive {...found} base={base} />}
      </>
    ),
  };
}

type Role = PageRequest['team']['role'];

type ListProps = Projects & { isFiltered: boolean; place: ListPage; base: string; role: Role };

function List({ listed, isFiltered, place, base, role }: ListProps) {
  const empty = isFiltered ? <p class="panel empty">No project matches.</p> : <NoProjects role={role} />;
  return (
    <Paged list={place} shown={listed.length} empty={empty}>
      <ProjectTable listed={listed} base={base} />
    </Paged>
  );
}

function NoProjects({ role }: { role: Role }) {
  return (
    <section class="panel empty">
      <h2>No project yet</h2>
      <p>
        A project groups the test runs of one code base.{' '}
        {atLeast(role, 'admin')
          ? 'Make one with the button above: its page then shows the command that posts a first run.'
          : 'Ask an admin of the team to make one.'}
      </p>
    </section>
  );
}

function NewProject({ team, person, refused }: PageRequest & { refused: Refused | undefined }) {
  const { sent, fault } = refused ?? {};
  return (
    <details class="menu new" id="new-project" open={refused !== undefined}>
      <summary class="button main">New project</summary>
      <div>
        <Form action={`/teams/${team.team_id}/projects`} csrf={person.csrf}>
          <Fault message={fault?.message} />
          <Field
            label="Name"
            name="name"
            value={sent?.name}
            required
            maxLength={255}
            error={fault?.fields['name']}
          />
          <Field
            label="Description"
            name="description"
            value={sent?.description}
            error={fault?.fields['description']}
          />
          <Field
            label="Default branch"
            name="default_branch"
            value={sent?.default_branch ?? 'main'}
            maxLength={255}
            hint="Other branches are compared with it."
            error={fault?.fields['default_branch']}
          />
          <Submit>Create</Submit>
        </Form>
      </div>
    </details>
  );
}

function Inactive({ inactive, inactiveTotal, base }: Projects & { base: string }) {
  return (
    <details class="fold" id="inactive">
      <summary>{counted(inactiveTotal, 'inactive project')}</summary>
      <ul>
        {inactive.map(({ id, name }: Project) => (
          <li>
            <a href={`${base}/projects/${id}`}>{visible(name)}</a>
          </li>
        ))}
      </ul>
      {inactiveTotal > inactive.length && <p class="soft">The first {number(inactive.length)} are shown.</p>}
    </details>
  );
}
