/** An invitation: a link that adds the person who opens it to a team. */
import { fail, isAppError } from '../../../errors.js';
import type { NewAccount, People } from '../../../people/people.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { OpenPage, OpenPageRequest, Shown } from '../../page.js';
import { Form, Submit } from '../../parts/forms/form.js';
import { Fault } from '../../parts/notice.js';
import { utc } from '../../parts/time.js';
import { AccountFields, accountOf, deadLink } from './account-fields.js';

const path = '/invitations/:token';

/** What was sent, and why it was refused. */
type Sent = { account: NewAccount | null; fault: FormFault };

/** `provider`: the name of the identity provider; null without one. */
type NewOrKnownProps = { action: string; provider: string | null; isForOne: boolean; sent: Sent | undefined };

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
      const { people, params, person, form, correlationId, client, setSession, external } = request;
      const token = params['token']!;
      const byProof = person === null && form.has('proven');
      const account = person === null && !byProof ? accountOf(form) : null;
      try {
        if (byProof) {
          const joined = await joinByProof(request, token);
          setSession(joined.token);
          external.set(null);
          return { redirect: `/teams/${joined.team_id}` };
        }
        const who = account ?? { person_id: person!.person_id };
        const joined = await people.acceptInvitation(token, who, { correlationId, client });
        if (joined.token !== null) setSession(joined.token);
        return { redirect: `/teams/${joined.team_id}` };
      } catch (error) {
        if (isAppError(error, 'link_not_valid')) return dead();
        const fault = formFault(error, ['member_limit', 'sign_in_failed', 'rate_limited']);
        const found = await people.invitation(token);
        return found === null ? dead() : invitationPage(request, found, { account, fault });
      }
    },
  },
];

/** @throws AppError as `join` of the sign-in by the identity provider */
async function joinByProof(
  { people, external, correlationId, client }: OpenPageRequest,
  invitation: string,
): Promise<{ token: string; team_id: string }> {
  if (people.external === null || external.token === null)
    return fail('sign_in_failed', 'Your sign-in has ended. Begin again.');
  return people.external.join(invitation, external.token, { correlationId, client });
}

const dead = (): Shown => deadLink('Ask an admin of the team for a new invitation.');

function invitationPage(
  { params, person, people, external }: OpenPageRequest,
  { team_id, team_name, role, expires_at, isForOne }: Invitation,
  sent?: Sent,
): Shown {
  const token = params['token']!;
  const action = `/invitations/${encodeURIComponent(token)}`;
  const provider = people.external;
  const proof = person === null ? external.token : null;
  const proven = proof === null ? null : (provider?.proven(token, proof) ?? null);
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
        {isForOne && <p>It lets in only the person with the e-mail that it was made for.</p>}
        <Fault message={sent?.fault.message} />
        {isIn && (
          <p>
            You are in this team already. <a href={`/teams/${team_id}`}>Open it</a>
          </p>
        )}
        {person !== null && !isIn && (
          <Form action={action} csrf={person.csrf}>
            <p class="soft">You are signed in as {person.email}.</p>
            <Submit>Join as {person.name}</Submit>
          </Form>
        )}
        {person === null && proven !== null && provider !== null && (
          <Form action={action} csrf={null}>
            <p class="soft">
              {provider.name} says that you are {proven.email ?? proven.name}.
            </p>
            <input type="hidden" name="proven" value="yes" />
            <Submit>Join as {proven.name}</Submit>
            <p>
              Not you? <a href={`/sign-in?next=${encodeURIComponent(action)}`}>Sign in as somebody else</a>
            </p>
          </Form>
        )}
        {person === null && proven === null && (
          <NewOrKnown action={action} provider={provider?.name ?? null} isForOne={isForOne} sent={sent} />
        )}
        <p class="soft small">The invitation ends at {utc(expires_at)}.</p>
      </section>
    ),
  };
}

/**
 * For a person of whom nothing is known yet. The hint is the same for every e-mail: it must not say which accounts have no
 * password.
 */
function NewOrKnown({ action, provider, isForOne, sent }: NewOrKnownProps) {
  const next = encodeURIComponent(action);
  const byProvider = provider !== null && (
    <a class="button" href={`/oidc/begin?next=${next}`}>
      Sign in with {provider} to join
    </a>
  );
  // The provider proves the e-mail, and a typed one is refused.
  if (provider !== null && isForOne) return <p>{byProvider}</p>;
  return (
    <>
      <Form action={action} csrf={null}>
        <AccountFields sent={sent?.account ?? undefined} fault={sent?.fault} />
        <Submit>Create an account and join</Submit>
      </Form>
      {provider !== null && <p class="or">{byProvider}</p>}
      <p>
        You have an account? Type its e-mail and its password above, or{' '}
        <a href={`/sign-in?next=${next}`}>Sign in to join</a>
      </p>
      {provider !== null && (
        <p class="soft small">
          An account that was used with {provider} may have no password: sign in with {provider} to join.
        </p>
      )}
    </>
  );
}

/** What a member of each role may do, for the person who is invited. */
const rights = {
  viewer: 'you can read everything.',
  member: 'you can read everything, post runs and mark known failures.',
  admin: 'you can also manage projects, members, API keys and webhooks.',
  owner: 'you can do everything in the team.',
} as const;
