/** Deletes a run, a project or all projects of a team for good: says what goes, and asks for its name. */
import type { ComponentChildren } from 'preact';
import { formFault, type FormFault } from '../form-fault.js';
import type { Page, PageReply, PageRequest } from '../page.js';
import { Field, Form, Submit } from '../parts/forms/form.js';
import { Fault } from '../parts/notice.js';
import { counted } from '../parts/outcome.js';
import { TeamPage } from './team/tabs.js';
import { ProjectFrame, projectPath, readProject } from './project/frame.js';
import { RunCrumbs } from './run/head.js';
import { linksOf } from './run/links.js';
import { nameOf, readRun } from './run/read-run.js';

const OF_PROJECT = '/teams/:team/projects/:project/delete';
const OF_TEAM = '/teams/:team/team/delete';
const OF_RUN = '/teams/:team/runs/:run/delete';
const asksAgain = () => true;

export const deleteForGood: readonly Page[] = [
  { method: 'GET', path: OF_PROJECT, role: 'owner', handle: (request) => showProject(request) },
  { method: 'POST', path: OF_PROJECT, role: 'owner', asksAgain, handle: deleteProject },
  { method: 'GET', path: OF_TEAM, role: 'owner', handle: async (request) => showTeam(request) },
  { method: 'POST', path: OF_TEAM, role: 'owner', asksAgain, handle: deleteTeam },
  { method: 'GET', path: OF_RUN, role: 'owner', handle: (request) => showRun(request) },
  { method: 'POST', path: OF_RUN, role: 'owner', asksAgain, handle: deleteRun },
];

const typedIn = ({ form }: PageRequest) => (form.get('confirm') ?? '').trim();

async function deleteProject(request: PageRequest): Promise<PageReply> {
  const { api, params, team } = request;
  const project = await readProject(request);
  if (typedIn(request) !== project.name.trim()) return showProject(request, wrongName);
  try {
    const given = { params: { id: params['project']! }, query: { confirm: project.name } };
    await api.send('delete', '/v1/projects/{id}', given);
    return { redirect: `/teams/${team.team_id}` };
  } catch (error) {
    return showProject(request, formFault(error, ['write_conflict']));
  }
}

async function deleteTeam(request: PageRequest): Promise<PageReply> {
  const { api, team } = request;
  if (typedIn(request) !== team.team_name.trim()) return showTeam(request, wrongName);
  try {
    const { name } = (await api.get('/v1/team')).data;
    await api.send('delete', '/v1/team', { query: { confirm: name } });
    return { redirect: `/teams/${team.team_id}` };
  } catch (error) {
    return showTeam(request, formFault(error, ['write_conflict', 'views_behind']));
  }
}

async function deleteRun(request: PageRequest): Promise<PageReply> {
  const { api, params, team } = request;
  const id = params['run']!;
  const { run, project } = await readRun(api, id, undefined);
  if (![nameOf(run), id].includes(typedIn(request))) return showRun(request, wrongName);
  try {
    await api.send('delete', '/v1/test-runs/{id}', { params: { id }, query: { confirm: id } });
    return { redirect: projectPath(team.team_id, project.id) };
  } catch (error) {
    return showRun(request, formFault(error, ['write_conflict']));
  }
}

const wrongName: FormFault = {
  status: 400,
  message: null,
  fields: { confirm: 'This is not the name. Nothing was deleted.' },
  retryAfter: undefined,
};

async function showProject(request: PageRequest, fault?: FormFault): Promise<PageReply> {
  const project = await readProject(request);
  const back = `${projectPath(request.team.team_id, project.id)}/settings`;
  return {
    status: fault?.status ?? 200,
    title: `Delete ${project.name}`,
    body: (
      <ProjectFrame project={project} request={request} here="Settings">
        <Ask request={request} name={project.name} what="project" back={back} fault={fault}>
          All of its runs, results, files, tests and known failures go, and so do its badges and links.
        </Ask>
      </ProjectFrame>
    ),
  };
}

function showTeam(request: PageRequest, fault?: FormFault): PageReply {
  const { team_id, team_name: name } = request.team;
  const back = `/teams/${team_id}/team/settings`;
  return {
    status: fault?.status ?? 200,
    title: `Delete all projects of ${name}`,
    body: (
      <TeamPage request={request} here="/settings">
        <Ask request={request} name={name} what="team" back={back} fault={fault}>
          All projects go, with their runs, results, files, tests, badges and links. Members, keys and
          webhooks stay.
        </Ask>
      </TeamPage>
    ),
  };
}

async function showRun(request: PageRequest, fault?: FormFault): Promise<PageReply> {
  const { api, params, team } = request;
  const facts = await readRun(api, params['run']!, undefined);
  const { run } = facts;
  const links = linksOf(team.team_id);
  return {
    status: fault?.status ?? 200,
    title: `Delete ${nameOf(run)}`,
    body: (
      <>
        <RunCrumbs {...facts} links={links} />
        <h1>Delete {nameOf(run)}</h1>
        <Ask request={request} name={nameOf(run)} what="run" back={links.run(run.id)} fault={fault}>
          Its {counted(run.counts.total, 'result')} go with their files. Tests, failures and comparisons of
          other runs are then as if it had never been.
        </Ask>
      </>
    ),
  };
}

function Ask({
  request: { person, url },
  name,
  what,
  back,
  fault,
  children,
}: {
  request: PageRequest;
  name: string;
  what: 'run' | 'project' | 'team';
  back: string | undefined;
  fault: FormFault | undefined;
  children: ComponentChildren;
}) {
  return (
    <section class="panel">
      <h2>Delete {what === 'team' ? 'all projects of this team' : `this ${what}`} for good</h2>
      <Fault message={fault?.message} />
      <p>{children} Nobody can bring it back. The history says what was deleted, when and by whom.</p>
      <Form action={url.pathname} csrf={person.csrf}>
        <Field
          label={`Type its name: ${name}`}
          name="confirm"
          required
          autocomplete="off"
          spellcheck={false}
          error={fault?.fields['confirm']}
        />
        <Submit danger>Delete for good</Submit>
        {back !== undefined && (
          <p>
            <a href={back}>Keep it</a>
          </p>
        )}
      </Form>
    </section>
  );
}
