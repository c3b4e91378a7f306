/** The trusts of a project: whose builds get a key for the token of their CI service, so that no secret is stored. */
import type { components } from '../../../client/api.generated.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { ButtonForm, Field, Form, Submit } from '../../parts/forms/form.js';
import { formFault, type FormFault } from '../../form-fault.js';
import { Fault } from '../../parts/notice.js';
import { Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';
import { ProjectFrame, projectPath, readProject } from './frame.js';

type Trust = components['schemas']['Trust'];
type Wanted = Pick<Trust, 'issuer' | 'audience'> & { claims: string };

const PATH = '/teams/:team/projects/:project/settings/trusts';
/** The most that a project has. */
const ALL = { per_page: 50 };

export const trusts: readonly Page[] = [
  { method: 'GET', path: PATH, role: 'admin', handle: (request) => show(request) },
  { method: 'POST', path: PATH, role: 'admin', handle: createTrust },
  {
    method: 'POST',
    path: `${PATH}/:trust/remove`,
    role: 'admin',
    async handle(request) {
      const { api, params } = request;
      try {
        const path = { id: params['project']!, trust: params['trust']! };
        await api.send('delete', '/v1/projects/{id}/trusts/{trust}', { params: path });
        return { redirect: pathOf(request) };
      } catch (error) {
        return show(request, { fault: formFault(error, ['not_found', 'write_conflict']) });
      }
    },
  },
];

async function createTrust(request: PageRequest): Promise<PageReply> {
  const { api, form, params } = request;
  const text = (name: string) => (form.get(name) ?? '').trim();
  const sent = { issuer: text('issuer'), audience: text('audience'), claims: text('claims') };
  try {
    const body = { ...sent, claims: claimsIn(sent.claims) };
    await api.send('post', '/v1/projects/{id}/trusts', { params: { id: params['project']! }, body });
    return { redirect: pathOf(request) };
  } catch (error) {
    const expected = ['target_refused', 'trust_limit', 'event_limit', 'write_conflict'] as const;
    return show(request, { fault: formFault(error, expected), sent });
  }
}

/** `repository=acme/shop, ref=refs/heads/*`. What has no equals sign is a claim with no pattern, which the API refuses. */
function claimsIn(text: string): Record<string, string> {
  const parts = text.split(/[,\n]/).map((part) => part.trim());
  return Object.fromEntries(
    parts
      .filter((part) => part !== '')
      .map((part) => {
        const [name = '', ...pattern] = part.split('=');
        return [name.trim(), pattern.join('=').trim()];
      }),
  );
}

function claimsOf(claims: Trust['claims']): string {
  return Object.entries(claims)
    .map(([name, pattern]) => `${name}=${pattern}`)
    .join(', ');
}

function pathOf({ team, params }: PageRequest): string {
  return `${projectPath(team.team_id, params['project']!)}/settings/trusts`;
}

type More = { fault?: FormFault; sent?: Wanted };

async function show(request: PageRequest, { fault, sent }: More = {}): Promise<Shown> {
  const { api, params, origin } = request;
  const project = await readProject(request);
  const found = await api.get('/v1/projects/{id}/trusts', { params: { id: params['project']! }, query: ALL });
  const wanted = sent ?? {
    issuer: 'https://token.actions.githubusercontent.com',
    audience: origin,
    claims: '',
  };
  return {
    title: `Builds of ${project.name} without a stored key`,
    ...(fault !== undefined && { status: fault.status }),
    body: (
      <ProjectFrame project={project} request={request} here="Settings">
        <Fault message={fault?.message} />
        <section class="panel">
          <h2>Builds without a stored key</h2>
          <p class="soft">
            A build whose CI service gives it a token that is as one of these trusts says gets a key of this
            project, for as long as it runs. It may post runs and read them, and nothing else.
          </p>
          {found.data.length > 0 && <Trusts request={request} all={found.data} />}
        </section>
        <section class="panel">
          <h2>Trust a CI service</h2>
          <Fields request={request} wanted={wanted} fields={fault?.fields ?? {}} />
        </section>
      </ProjectFrame>
    ),
  };
}

function Trusts({ request, all }: { request: PageRequest; all: readonly Trust[] }) {
  return (
    <Table
      aria-label="Trusts"
      columns={{ Issuer: '', Audience: '', Claims: '', Made: '', Actions: 'actions' }}
    >
      {all.map(({ id, issuer, audience, claims, created_at }) => (
        <tr key={id}>
          <td>{issuer}</td>
          <td>{audience}</td>
          <td>
            <code>{claimsOf(claims)}</code>
          </td>
          <td>
            <Ago at={created_at} />
          </td>
          <td>
            <ButtonForm
              action={`${pathOf(request)}/${id}/remove`}
              csrf={request.person.csrf}
              confirm="Remove this trust? The keys that builds got by it end at once."
              label={`Remove the trust in ${issuer}`}
              danger
            >
              Remove
            </ButtonForm>
          </td>
        </tr>
      ))}
    </Table>
  );
}

type FieldsProps = { request: PageRequest; wanted: Wanted; fields: FormFault['fields'] };

function Fields({ request, wanted, fields }: FieldsProps) {
  return (
    <Form action={pathOf(request)} csrf={request.person.csrf}>
      <Field
        label="Issuer"
        name="issuer"
        type="url"
        value={wanted.issuer}
        required
        maxLength={500}
        error={fields['issuer']}
        hint="As it is here for GitHub; for GitLab its address, such as https://gitlab.com."
      />
      <Field
        label="Audience"
        name="audience"
        value={wanted.audience}
        required
        maxLength={255}
        error={fields['audience']}
        hint="The command line asks for the address of the server that it is given."
      />
      <Field
        label="Claims"
        name="claims"
        value={wanted.claims}
        required
        error={fields['claims']}
        spellcheck={false}
        placeholder="repository=acme/shop, ref=refs/heads/*"
        hint="One of repository, repository_id, repository_owner_id, project_path, project_id and sub must name the owner. * stands for any text without a slash, ** for any text."
      />
      <Submit>Add the trust</Submit>
    </Form>
  );
}
