/** The members of a team: who is in it, with which role; invitations, links for a new password, leaving. */
import { atLeast } from '../../../domain/teams/team.js';
import type { Acting } from '../../../people/people.js';
import { formFault } from '../../form-fault.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { ButtonForm, Field, Form, Select, Submit } from '../../parts/forms/form.js';
import { Fault, ShownOnce } from '../../parts/notice.js';
import { Paged, Pager, pageOf } from '../../parts/lists/pager.js';
import { utc } from '../../parts/time.js';
import { Invitations } from './invitations.js';
import { MemberTable } from './member-table.js';
import { actingIn, givesOwner, isAboutOwner, roleIn, rolesUpTo, TeamPage } from './tabs.js';

const base = '/teams/:team/team';
const one = `${base}/members/:person` as const;

export const members: readonly Page[] = [
  { method: 'GET', path: base, role: 'viewer', handle: (request) => membersPage(request) },
  {
    method: 'POST',
    path: `${base}/invitations`,
    role: 'admin',
    asksAgain: givesOwner,
    handle: (request) =>
      changing(request, async (by) => {
        const role = roleIn(request.form);
        const email = (request.form.get('email') ?? '').trim() || null;
        const { token, expires_at } = await request.people.invite(by, role, email);
        const link = `${request.origin}/invitations/${token}`;
        return membersPage(request, {
          link: {
            title: `Invitation as ${role}`,
            link,
            until: utc(expires_at),
            whom:
              email === null
                ? 'the person you invite'
                : 'the person with this e-mail: it lets nobody else in',
          },
        });
      }),
  },
  {
    method: 'POST',
    path: `${base}/invitations/:invitation/withdraw`,
    role: 'admin',
    handle: (request) =>
      changing(request, (by) => request.people.withdrawInvitation(by, request.params['invitation']!)),
  },
  {
    method: 'POST',
    path: `${one}/reset-link`,
    role: 'admin',
    handle: (request) =>
      changing(request, async (by) => {
        const { token, expires_at } = await request.people.resetLink(by, request.params['person']!);
        const link = `${request.origin}/reset/${token}`;
        return membersPage(request, {
          link: { title: 'Link for a new password', link, until: utc(expires_at), whom: 'this person alone' },
        });
      }),
  },
  {
    method: 'POST',
    path: `${one}/role`,
    role: 'admin',
    asksAgain: async (request) => givesOwner(request) || isAboutOwner(request),
    handle: (request) =>
      changing(request, (by) =>
        request.people.changeRole(by, request.params['person']!, roleIn(request.form)),
      ),
  },
  {
    method: 'POST',
    path: `${one}/forget`,
    role: 'owner',
    asksAgain: () => true,
    handle: (request) =>
      changing(request, async (by) => {
        const person = request.params['person']!;
        if (person === by.person_id) return { redirect: '/account' };
        await request.people.forget(by, person);
      }),
  },
  {
    method: 'POST',
    path: `${base}/leave`,
    role: 'viewer',
    handle: (request) =>
      changing(request, async (by) => {
        await request.people.removeMember(by, by.person_id);
        return { redirect: '/' };
      }),
  },
  // A reload of what a form answered leads back to the list.
  ...([`${base}/invitations`, `${one}/reset-link`] as const).map((path): Page => ({
    method: 'GET',
    path,
    role: 'viewer',
    handle: async ({ team }) => ({ redirect: `/teams/${team.team_id}/team` }),
  })),
];

type NewLink = { title: string; link: string; until: string; whom: string };

/** Leads back to the list after a change, or shows the list with the reason of a refusal. */
async function changing(
  request: PageRequest,
  change: (by: Acting) => Promise<PageReply | void>,
): Promise<PageReply> {
  try {
    return (await change(actingIn(request))) ?? { redirect: `/teams/${request.team.team_id}/team` };
  } catch (error) {
    const expected = ['last_owner', 'forbidden', 'not_found', 'member_limit', 'invitation_limit'] as const;
    const fault = formFault(error, expected);
    const message = fault.message ?? fault.fields['email'] ?? null;
    return { ...(await membersPage(request, { fault: message })), status: fault.status };
  }
}

/** Each row has forms of its own. */
const PER_PAGE = 40;

async function membersPage(
  request: PageRequest,
  { fault, link }: { fault?: string | null; link?: NewLink } = {},
): Promise<Shown> {
  const { team, person, people, url } = request;
  const mayManage = atLeast(team.role, 'admin');
  const [all, open] = await Promise.all([
    people.members(team.team_id),
    mayManage ? people.invitations(team.team_id) : [],
  ]);
  const nameOf = new Map(all.map(({ person_id, name }) => [person_id, name]));
  const page = pageOf(url);
  // The page may be the answer to a form, which has a path of its own.
  const view = new URL(`/teams/${team.team_id}/team${url.search}`, url);
  const list = { url: view, page, perPage: PER_PAGE, total: all.length };
  const shown = all.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  return {
    title: 'Members',
    body: (
      <TeamPage request={request} here="">
        <Fault message={fault} />
        {link && <LinkShown {...link} />}
        {mayManage && <Invite request={request} />}
        {open.length > 0 && <Invitations request={request} view={view} open={open} nameOf={nameOf} />}
        <h2>
          Members <span class="count">{all.length}</span>
        </h2>
        <Paged list={list} shown={shown.length} empty={null}>
          <MemberTable request={request} shown={shown} mayManage={mayManage} />
        </Paged>
        <Pager {...list} />
        <ButtonForm
          danger
          class="below"
          action={`/teams/${team.team_id}/team/leave`}
          csrf={person.csrf}
          confirm={`Leave ${team.team_name}? Your API keys of this team stop working.`}
        >
          Leave the team
        </ButtonForm>
      </TeamPage>
    ),
  };
}

function LinkShown({ title, link, until, whom }: NewLink) {
  return (
    <ShownOnce title={title} text={link} label="Copy the link">
      <p class="soft small">
        Send it to {whom}. It works once, until {until}, and is shown only now.
      </p>
    </ShownOnce>
  );
}

function Invite({ request: { team, person } }: { request: PageRequest }) {
  return (
    <section class="panel">
      <Form class="filters" action={`/teams/${team.team_id}/team/invitations`} csrf={person.csrf}>
        <Select
          label="Invite somebody as"
          name="role"
          id="invite-role"
          choices={rolesUpTo(team.role)}
          value="member"
        />
        <Field
          label="For this e-mail alone (optional)"
          name="email"
          id="invite-email"
          type="email"
          autocomplete="off"
        />
        <Submit>Invite</Submit>
      </Form>
    </section>
  );
}
