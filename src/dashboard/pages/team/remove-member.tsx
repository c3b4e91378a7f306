/** Removes a member: first the keys that end with them, each of which an admin may take over, then the question. */
import { fail } from '../../../errors.js';
import { formFault } from '../../form-fault.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { ButtonForm } from '../../parts/forms/form.js';
import { Fault } from '../../parts/notice.js';
import { Table } from '../../parts/lists/table.js';
import { actingIn, isAboutOwner, shortened, TeamPage } from './tabs.js';

const path = '/teams/:team/team/members/:person/remove';
/** A page has at most 200 rows. */
const MOST = 100;

export const removeMember: readonly Page[] = [
  { method: 'GET', path, role: 'admin', handle: (request) => removePage(request) },
  {
    method: 'POST',
    path,
    role: 'admin',
    asksAgain: isAboutOwner,
    handle: (request) =>
      changing(request, async ({ people, params, team }) => {
        await people.removeMember(actingIn(request), params['person']!);
        return { redirect: `/teams/${team.team_id}/team` };
      }),
  },
  {
    method: 'POST',
    path: `${path}/keys/:key/take-over`,
    role: 'admin',
    // The key has its own role again, which may be that of an owner.
    asksAgain: () => true,
    handle: (request) =>
      changing(request, async ({ people, params }) => {
        await people.takeKeyOver(actingIn(request), params['person']!, params['key']!);
        return { redirect: ownPath(request) };
      }),
  },
];

const ownPath = ({ team, params }: PageRequest) =>
  `/teams/${team.team_id}/team/members/${encodeURIComponent(params['person']!)}/remove`;

async function changing(
  request: PageRequest,
  change: (request: PageRequest) => Promise<PageReply>,
): Promise<PageReply> {
  try {
    return await change(request);
  } catch (error) {
    const fault = formFault(error, ['last_owner', 'forbidden', 'not_found']);
    return { ...(await removePage(request, fault.message)), status: fault.status };
  }
}

async function removePage(request: PageRequest, fault?: string | null): Promise<Shown> {
  const { team, person, people, params } = request;
  const members = await people.members(team.team_id);
  const member = members.find(({ person_id }) => person_id === params['person']);
  if (member === undefined) fail('not_found', 'This person is no member of the team.');
  const keys = await people.keysOf(team.team_id, member.person_id);
  const name = shortened(member.name);
  return {
    title: `Remove ${name}`,
    body: (
      <TeamPage request={request} here="">
        <h2>Remove {name}</h2>
        <Fault message={fault} />
        <p>
          Their sessions end, and so do the API keys of this team that follow them: {keys.length}. Invited
          again, they start with nothing.
        </p>
        {keys.length > 0 && (
          <>
            <p class="soft">
              A key that you take over goes on working and follows your role. They may know it, so replace it
              soon.
            </p>
            <Table class="stacked" columns={{ Name: '', Role: '', Actions: 'actions' }}>
              {keys.slice(0, MOST).map((key) => (
                <tr data-row>
                  <th scope="row">
                    <span class="break">{key.name}</span>
                    <div class="soft small mono">{key.prefix}…</div>
                  </th>
                  <td>{key.role}</td>
                  <td class="row-actions">
                    <ButtonForm
                      action={`${ownPath(request)}/keys/${encodeURIComponent(key.key_id)}/take-over`}
                      csrf={person.csrf}
                      label={`Take over ${shortened(key.name)}`}
                    >
                      Take over
                    </ButtonForm>
                  </td>
                </tr>
              ))}
            </Table>
            {keys.length > MOST && <p class="soft">And {keys.length - MOST} more.</p>}
          </>
        )}
        <ButtonForm
          danger
          class="below"
          action={ownPath(request)}
          csrf={person.csrf}
          confirm={`Remove ${name} from ${team.team_name}?`}
        >
          Remove from the team
        </ButtonForm>
      </TeamPage>
    ),
  };
}
