/** An invitation: a link that adds the person who opens it to a team. */
import { isLedgerError } from '../../../errors.js';
import type { NewAccount, People } from '../../../people/people.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { OpenPage, OpenPageRequest, Shown } from '../../page.js';
import { Form } from '../../parts/form.js';
import { Fault } from '../../parts/notice.js';
import { utc } from '../../parts/time.js';
import { AccountFields, accountOf, deadLink } from './account-fields.js';

const path = '/invitations/:token';

type Invitation = NonNullable<Awaited<ReturnType<People['invitation']>>>;

export const invitation: readonly OpenPage[] = [
  {
    method: 'GET',
    path,
    async handle(request) {
      const found = await request.people.invitation(request.params['token']!);
      return found === null ? dead() : invitationPage(request, found);
    },
  },
  {
    method: 'POST',
    path,
    async handle(request) {
      const { people, params, person, form, correlationId, setSession } = request;
      const token = params['token']!;
      const account = person === null ? accountOf(form) : null;
      try {
        const who = account ?? { person_id: person!.person_id };
        const joined = await people.acceptInvitation(token, who, { correlationId });
        if (joined.token !== null) setSession(joined.token);
        return { redirect: `/teams/${joined.team_id}` };
      } catch (error) {
        if (isLedgerError(error, 'link_not_valid')) return dead();
        const fault = formFault(error, ['member_limit', 'sign_in_failed', 'rate_limited']);
        const found = await people.invitation(token);
        return found === null ? dead() : invitationPage(request, found, { account, fault });
      }
    },
  },
];

const dead = (): Shown => deadLink('Ask an admin of the team for a new invitation.');

function invitationPage(
  { params, person }: OpenPageRequest,
  { team_id, team_name, role, expires_at }: Invitation,
  sent?: { account: NewAccount | null; fault: FormFault },
): Shown {
  const action = `/invitations/${encodeURIComponent(params['token']!)}`;
  const isIn = person?.memberships.some((each) => each.team_id === team_id) ?? false;
  return {
    status: sent?.fault.status ?? 200,
    retryAfter: sent?.fault.retryAfter,
    title: `Join ${team_name}`,
    body: (
      <section class="card panel">
        <h1>Join {team_name}</h1>
        <p>
          You are invited as <strong>{role}</strong>: {rights[role]}
        </p>
        <Fault message={sent?.fault.message} />
        {isIn && (
          <p>
            You are in this team already. <a href={`/teams/${team_id}`}>Open it</a>
          </p>
        )}
        {person !== null && !isIn && (
          <Form action={action} csrf={person.csrf}>
            <p class="soft">You are signed in as {person.email}.</p>
            <button class="main" type="submit">
              Join as {person.name}
            </button>
          </Form>
        )}
        {person === null && (
          <>
            <Form action={action} csrf={null}>
              <AccountFields sent={sent?.account ?? undefined} fault={sent?.fault} />
              <button class="main" type="submit">
                Create an account and join
              </button>
            </Form>
            <p>
              You have an account? <a href={`/sign-in?next=${encodeURIComponent(action)}`}>Sign in to join</a>
            </p>
          </>
        )}
        <p class="soft small">The invitation ends at {utc(expires_at)}.</p>
      </section>
    ),
  };
}

/** What a member of each role may do, for the person who is invited. */
const rights = {
  viewer: 'you can read everything.',
  member: 'you can read everything, post runs and mark known failures.',
  admin: 'you can also manage projects, members, API keys and webhooks.',
  owner: 'you can do everything in the team.',
} as const;
