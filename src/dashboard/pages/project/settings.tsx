/** The settings of a project: its name, its default branch, and whether it takes runs. */
import { atLeast } from '../../../domain/teams/team.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { ButtonForm, Form, Submit } from '../../parts/forms/form.js';
import { changedGate, GateFields } from '../../parts/forms/gate-fields.js';
import { chosenRetention, EffectText, type Effect } from '../../parts/forms/retention-fields.js';
import { formFault, type FormFault } from '../../form-fault.js';
import { Fault, Saved } from '../../parts/notice.js';
import { Description, Kept } from './settings-forms.js';
import { ProjectFrame, projectPath, readProject, type Project } from './frame.js';

const PATH = '/teams/:team/projects/:project/settings';

export const settings: readonly Page[] = [
  {
    method: 'GET',
    path: PATH,
    role: 'viewer',
    async handle(request) {
      return show(request, await readProject(request));
    },
  },
  {
    method: 'POST',
    path: PATH,
    role: 'admin',
    async handle(request) {
      const { form } = request;
      const text = (name: string) => (form.get(name) ?? '').trim();
      const [name, default_branch] = [text('name'), text('default_branch')];
      const description = text('description') === '' ? null : text('description');
      const repo_url = text('repo_url') === '' ? null : text('repo_url');
      return change(request, { name, description, default_branch, repo_url });
    },
  },
  {
    method: 'POST',
    path: `${PATH}/gate`,
    role: 'admin',
    // Sends only what the person changed: a setting that the project sets itself is no more that of the team.
    handle: (request) => change(request, { gate: changedGate(request.form) }),
  },
  {
    method: 'POST',
    path: `${PATH}/gate-of-team`,
    role: 'admin',
    handle: (request) => change(request, { gate: null }),
  },
  {
    method: 'POST',
    path: `${PATH}/retention`,
    role: 'admin',
    handle: (request) => {
      const retention = chosenRetention(request.form);
      return request.form.get('do') === 'try' ? tryOut(request, retention) : change(request, { retention });
    },
  },
  {
    method: 'POST',
    path: `${PATH}/status`,
    role: 'admin',
    handle: (request) =>
      change(request, { status: request.form.get('status') === 'active' ? 'active' : 'inactive' }),
  },
];

type Change = Partial<Omit<Project, 'gate' | 'retention'>> & {
  gate?: Partial<Project['gate']> | null;
  retention?: Partial<Project['retention']>;
};

/** Shows what the chosen retention would free. */
async function tryOut(request: PageRequest, chosen: Partial<Project['retention']>): Promise<Shown> {
  const project = await readProject(request);
  const { data } = await request.api.get('/v1/projects/{id}/retention', {
    params: { id: project.id },
    query: Object.fromEntries(Object.entries(chosen).map(([name, kept]) => [name, kept ?? 'forever'])),
  });
  const sent = { ...project, retention: { ...project.retention, ...chosen } };
  return show(request, project, { sent, effect: data });
}

/** Shows the form again, as it was sent, where the API refuses it. */
async function change(request: PageRequest, body: Change) {
  const { api, params, team } = request;
  try {
    await api.send('patch', '/v1/projects/{id}', { params: { id: params['project']! }, body });
    return { redirect: `${projectPath(team.team_id, params['project']!)}/settings?saved` };
  } catch (error) {
    const fault = formFault(error, ['event_limit', 'write_conflict']);
    const present = await readProject(request);
    const sent = {
      ...present,
      ...body,
      gate: { ...present.gate, ...body.gate },
      retention: { ...present.retention, ...body.retention },
    };
    return { ...show(request, present, { sent, fault }), status: fault.status };
  }
}

/** `sent`: as the form was filled in. */
function show(
  request: PageRequest,
  project: Project,
  { sent = project, fault, effect }: { sent?: Project; fault?: FormFault; effect?: Effect } = {},
): Shown {
  const { url, team } = request;
  return {
    title: `Settings of ${project.name}`,
    body: (
      <ProjectFrame project={project} request={request} here="Settings">
        {url.searchParams.has('saved') && fault === undefined && <Saved />}
        <Fault message={fault?.message} />
        {effect !== undefined && <EffectText effect={effect} />}
        {atLeast(team.role, 'admin') ? (
          <Edit request={request} project={project} sent={sent} fields={fault?.fields ?? {}} />
        ) : (
          <Read request={request} project={project} />
        )}
      </ProjectFrame>
    ),
  };
}

function Edit({
  request,
  project,
  sent,
  fields,
}: {
  request: PageRequest;
  project: Project;
  sent: Project;
  fields: FormFault['fields'];
}) {
  const { person, team } = request;
  const action = `${projectPath(team.team_id, project.id)}/settings`;
  const isActive = project.status === 'active';
  return (
    <div class="pair">
      <Description action={action} csrf={person.csrf} sent={sent} fields={fields} />
      <section class="panel">
        <h2>Gate</h2>
        <Form action={`${action}/gate`} csrf={person.csrf}>
          <GateFields gate={sent.gate} was={project.gate} own={project.own_gate} />
          <Submit>Save the gate</Submit>
        </Form>
        {project.own_gate.length > 0 && (
          <ButtonForm action={`${action}/gate-of-team`} csrf={person.csrf}>
            Use all settings of the team
          </ButtonForm>
        )}
      </section>
      <Kept action={`${action}/retention`} csrf={person.csrf} retention={sent.retention} />
      <section class="panel">
        <Id {...project} />
        <p>
          <a href={`${action}/trusts`}>Builds without a stored key</a>
        </p>
        <ToBadges request={request} project={project} />
      </section>
      <section class="panel">
        <h2>{isActive ? 'Deactivate' : 'Activate'}</h2>
        <p class="soft">
          {isActive
            ? 'An inactive project takes no runs and no changes. All its pages stay, and it can be activated again.'
            : 'The project then takes runs and changes again.'}
        </p>
        <Form
          action={`${action}/status`}
          csrf={person.csrf}
          {...(isActive && { confirm: `Deactivate ${project.name}? It then takes no runs.` })}
        >
          <input type="hidden" name="status" value={isActive ? 'inactive' : 'active'} />
          <button class={isActive ? 'danger' : 'main'} type="submit">
            {isActive ? 'Deactivate the project' : 'Activate the project'}
          </button>
        </Form>
        <ToDelete request={request} project={project} />
      </section>
    </div>
  );
}

function ToDelete({ request: { team }, project }: { request: PageRequest; project: Project }) {
  if (team.role !== 'owner') return null;
  return (
    <p>
      <a class="button danger" href={`${projectPath(team.team_id, project.id)}/delete`}>
        Delete the project…
      </a>
    </p>
  );
}

/** Members make badges, too. */
function ToBadges({ request: { team }, project }: { request: PageRequest; project: Project }) {
  if (!atLeast(team.role, 'member')) return null;
  return (
    <p>
      <a href={`${projectPath(team.team_id, project.id)}/settings/badges`}>Badges for a README</a>
    </p>
  );
}

function Read({ request, project }: { request: PageRequest; project: Project }) {
  return (
    <section class="panel">
      <p>
        The default branch is <code>{project.default_branch}</code>. Admins can change the settings.
      </p>
      <Id {...project} />
      <ToBadges request={request} project={project} />
    </section>
  );
}

/** What the command line and the API call the project. */
function Id({ id }: Project) {
  return (
    <p class="project-id">
      <span class="soft">Id, for the API and the command line:</span> <code>{id}</code>{' '}
      <copy-button data-text={id} />
    </p>
  );
}
