/** The badges of a project: pictures that say on other pages how a branch stands. */
import type { components } from '../../../client/api.generated.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { ButtonForm, Field, Form, Submit } from '../../parts/forms/form.js';
import { Fault, ShownOnce } from '../../parts/notice.js';
import { Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';
import { makerNames } from '../../text/maker-names.js';
import { ProjectFrame, projectPath, readProject } from './frame.js';

type Badge = components['schemas']['Badge'];

const PATH = '/teams/:team/projects/:project/settings/badges';
/** The most that a project has. */
const ALL = { per_page: 50 };

export const badges: readonly Page[] = [
  { method: 'GET', path: PATH, role: 'member', handle: (request) => show(request) },
  { method: 'POST', path: PATH, role: 'member', handle: createBadge },
  {
    method: 'POST',
    path: `${PATH}/:badge/remove`,
    role: 'member',
    async handle(request) {
      const { api, params } = request;
      try {
        const path = { id: params['project']!, badge: params['badge']! };
        await api.send('delete', '/v1/projects/{id}/badges/{badge}', { params: path });
        return { redirect: pathOf(request) };
      } catch (error) {
        return show(request, { fault: formFault(error, ['not_found']) });
      }
    },
  },
];

async function createBadge(request: PageRequest): Promise<PageReply> {
  const { api, form, params, once } = request;
  const branch = (form.get('branch') ?? '').trim();
  try {
    const path = { id: params['project']! };
    const { data } = await api.send('post', '/v1/projects/{id}/badges', { params: path, body: { branch } });
    once.keep(pathOf(request), { title: `The new badge of ${branch}`, text: `![tests](${data.url})` });
    return { redirect: pathOf(request) };
  } catch (error) {
    return show(request, { fault: formFault(error, ['badge_limit']), sent: branch });
  }
}

function pathOf({ team, params }: Pick<PageRequest, 'team' | 'params'>): string {
  return `${projectPath(team.team_id, params['project']!)}/settings/badges`;
}

type More = { fault?: FormFault; sent?: string };

async function show(request: PageRequest, { fault, sent }: More = {}): Promise<Shown> {
  const { api, params, person, once } = request;
  const project = await readProject(request);
  const path = { id: params['project']! };
  const { data: found } = await api.get('/v1/projects/{id}/badges', { params: path, query: ALL });
  const names = await makerNames(request, found);
  const made = fault === undefined ? once.take() : null;
  return {
    title: `Badges of ${project.name}`,
    ...(fault !== undefined && { status: fault.status }),
    body: (
      <ProjectFrame project={project} request={request} here="Settings">
        <h2>Badges</h2>
        <Fault message={fault?.message} />
        {made && (
          <ShownOnce title={made.title} text={made.text} label="Copy the Markdown">
            <p class="soft small">It is shown only now: only the hash of its address is kept.</p>
          </ShownOnce>
        )}
        <section class="panel">
          <p>
            A badge is a picture for a README. It shows the name of the project and how the newest build of
            the branch stands to whoever has its address, and nothing else.
          </p>
          <Form class="filters" action={pathOf(request)} csrf={person.csrf}>
            <Field
              label="Branch"
              name="branch"
              value={sent ?? project.default_branch}
              required
              maxLength={255}
              error={fault?.fields['branch']}
            />
            <Submit>Make a badge</Submit>
          </Form>
        </section>
        {found.length > 0 && <BadgeTable found={found} names={names} request={request} />}
      </ProjectFrame>
    ),
  };
}

function BadgeTable({
  found,
  names,
  request,
}: {
  found: readonly Badge[];
  names: ReadonlyMap<string, string>;
  request: PageRequest;
}) {
  return (
    <Table class="stacked" columns={{ Branch: '', 'Made by': '', Made: '', Actions: 'actions' }}>
      {found.map(({ id, branch, created_by, created_at }) => (
        <tr data-row>
          <th scope="row">
            <code class="name break">{branch}</code>
          </th>
          <td class="break">{names.get(created_by) ?? created_by}</td>
          <td>
            <Ago at={created_at} />
          </td>
          <td class="row-actions">
            <ButtonForm
              danger
              action={`${pathOf(request)}/${encodeURIComponent(id)}/remove`}
              csrf={request.person.csrf}
              confirm="Remove this badge? Its picture is missing from now on."
              label={`Remove the badge of ${branch.slice(0, 60)}`}
            >
              Remove
            </ButtonForm>
          </td>
        </tr>
      ))}
    </Table>
  );
}
