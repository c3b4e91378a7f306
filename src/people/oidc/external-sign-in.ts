/**
 * Sign-in by an identity provider, from the button to the session. A person is found by the provider's id of them; at
 * the first sign-in, by an e-mail that the provider has verified, unless the account has another identity there already;
 * otherwise an account is made. The groups of the
 * person give them a role in one team, at every sign-in anew: a role that the provider has given goes with the group.
 * A person in no team may join one by an open invitation.
 */
import { addMilliseconds, instant, type Clock } from '../../clock.js';
import { ACTOR_OF_PROVIDER, IDENTITY_PROVIDER } from '../../domain/teams/members.js';
import type { MemberRole } from '../../domain/teams/roles.js';
import { fail, isAppError } from '../../errors.js';
import type { State } from '../../ports/state.js';
import { comparable, type Profile } from '../account-fields.js';
import { openSealer, type SecretKeys } from '../../secret-key/secret-keys.js';
import type { Account, Accounts } from '../accounts.js';
import type { Joining } from '../joining.js';
import { linkNotValid } from '../links.js';
import type { ExternalSignIn, ProvenPerson, Visit } from '../people.js';
import type { Remove } from '../removing.js';
import type { Beginning, Sessions } from '../sessions.js';
import type { SignInLimits } from '../sign-in-limits.js';
import type { Directory, Teams } from '../teams.js';
import type { Telling } from '../telling.js';
import type { Checks, Identity, IdentityProvider } from './identity-provider.js';
import { roleByGroups, type GroupRole } from './roles-by-group.js';
import { openIdentities } from './identities.js';
import { openSealedCookies } from './sealed-cookies.js';

export type ExternalSignInOptions = {
  provider: IdentityProvider;
  name: string;
  /** The team in which groups give a role. */
  team: string;
  roles: readonly GroupRole[];
};

type Parts = {
  state: State;
  accounts: Accounts;
  sessions: Sessions;
  guesses: SignInLimits;
  teams: Teams;
  remove: Remove;
  directory: Directory;
  joining: Pick<Joining, 'invitation' | 'joinInvitation'>;
  clock: Clock;
  secretKeys: SecretKeys;
  telling: Telling;
};

/** A sign-in that is under way. */
type UnderWay = Checks & { next: string; invitation: string | null };

/** What the provider has said of a person. `subject`: its own name of them. */
type Proven = ProvenPerson & { subject: string };

type Cause = { correlationId: string };

/** The cookies of sign-ins that were used: a cookie works for 10 minutes. */
const [USED, USED_MS] = ['external-sign-in', 3_600_000];

/** Long because all functions share the parts: each is short. */
export function openExternalSignIn(options: ExternalSignInOptions, parts: Parts): ExternalSignIn {
  const { provider, name, team, roles } = options;
  const { state, accounts, sessions, guesses, teams, remove, directory, joining, clock, telling } = parts;
  const identities = openIdentities(state, parts.secretKeys);
  const sealer = openSealer(parts.secretKeys, 'external-sign-ins');
  const underWays = openSealedCookies<UnderWay>(sealer, 'external-sign-in', clock);
  const proofs = openSealedCookies<Proven & { invitation: string }>(sealer, 'external-joining', clock);

  const provenBy = ({ issuer, subject, name, email }: Identity): Proven => ({
    subject: `${issuer}\n${subject}`,
    name: Array.from(name).slice(0, 100).join(''),
    email,
  });

  /** Null where the person has no account yet. @throws AppError `sign_in_failed` without an e-mail to find one by */
  async function accountOf({ subject, email }: Proven, cause: Cause): Promise<Account | null> {
    const own = identities.nameOf(subject);
    const person = await identities.personOf(subject);
    const known = person === null ? null : await accounts.find(person);
    // An account that has another identity by now was found by its e-mail, which was never that of this person.
    if (known !== null && identities.isOf(subject, known.identity ?? own)) return known;
    const present = await accounts.byEmail(email ?? noEmail());
    return present && taken(present, subject, cause);
  }

  async function made({ subject, ...person }: Proven, cause: Cause): Promise<Account> {
    const profile = profileOf(person);
    const own = identities.nameOf(subject);
    // Without one, another sign-in of the same person was first.
    const account = await accounts.create(profile, null, own);
    if (account !== null) return account;
    return (await taken((await accounts.byEmail(profile.email)) ?? gone(), subject, cause)) ?? gone();
  }

  /**
   * The account that a person finds by their e-mail. Nobody has verified the e-mail that it has: somebody else may have
   * typed it, who would then act with the role of this person. So its password, its sessions and its API keys end. Null
   * where the account is another person's: the provider gives a mailbox to somebody else, and only its id of a person
   * says who they are. Once that person is in no team, the e-mail is free.
   */
  async function taken(account: Account, subject: string, cause: Cause): Promise<Account | null> {
    const { person_id, identity } = account;
    if (identity !== undefined && identities.isOf(subject, identity)) return account;
    const memberships = (await directory.person(person_id))?.memberships ?? [];
    if (identity !== undefined && (await identities.areOfOneIssuer(subject, identity))) {
      if (memberships.length > 0) anothers();
      await accounts.releaseEmail(account);
      return null;
    }
    for (const { team_id } of memberships) {
      await teams.record(
        team_id,
        { type: 'RevokeKeysOf', person_id },
        { ...cause, actor: ACTOR_OF_PROVIDER },
      );
    }
    return (await accounts.giveTo(person_id, identities.nameOf(subject))) ?? gone();
  }

  /** Keeps the e-mail as the provider has it, unless another account has it. */
  async function keepEmail({ person_id }: Account, { email }: Proven, visit: Visit): Promise<void> {
    const profile = await accounts.profile(person_id);
    if (email === null || profile === null || comparable(email) === comparable(profile.email)) return;
    if (await accounts.replaceProfile(person_id, { ...profile, email }))
      await telling.byProvider(person_id, 'email_changed', visit);
  }

  /**
   * Gives the person the role of their groups in the team. Without one, a member whom the provider has added goes, and
   * another one has again the role that a person gave them. The log tells these two apart.
   */
  async function follow(
    { person_id, profile }: Account,
    role: MemberRole | null,
    correlationId: string,
  ): Promise<void> {
    const present = (await teams.find(team))?.members.find((each) => each.person_id === person_id);
    const wanted = role ?? present?.own_role ?? null;
    const by = IDENTITY_PROVIDER;
    const cause = { actor: ACTOR_OF_PROVIDER, correlationId };
    try {
      if (present === undefined) {
        if (wanted === null) return;
        const add = { type: 'AddMember', person_id, role: wanted, sealed: profile, by } as const;
        await teams.record(team, add, cause);
      } else if (wanted === null) {
        await remove(team, { person_id, by }, cause);
      } else if (wanted !== present.role) {
        await teams.record(team, { type: 'ChangeMemberRole', person_id, role: wanted, by }, cause);
      }
    } catch (error) {
      // The last owner stays one: a wrong set of groups must not lock everybody out.
      if (!isAppError(error, 'last_owner')) throw error;
    }
  }

  const begin = (account: Account, how: Omit<Beginning, 'by'>) =>
    sessions.begin(account, { ...how, by: 'provider' });

  async function useOnce(checked: string): Promise<void> {
    const expiresAt = addMilliseconds(instant(clock), USED_MS);
    const used = await state.put(USED, checked, {}, { expected: 'absent', expiresAt });
    if (used === null) linkNotValid();
  }

  return {
    name,
    async begin(redirectUri, next, invitation, isAnew = false) {
      const { url, checks } = await provider.begin(redirectUri, isAnew);
      // Browsers keep cookies of up to 4,096 bytes.
      const cookie = underWays.make({ ...checks, next: next.length > 1_000 ? '/' : next, invitation });
      return { url, cookie };
    },

    // The order: the account, the role, the entry that leads to the account, the session. Each step may be repeated: a
    // crash leaves an account that the next sign-in finds by its e-mail.
    async finish(url, cookie, { correlationId, client, address }) {
      const { next, invitation, ...checks } = underWays.read(cookie) ?? linkNotValid();
      // Each answer is a request to the provider: a stranger could make the server send so many that it is shut out.
      const attempt = guesses.attempt({ address, email: null });
      await useOnce(checks.state);
      const identity = await provider.finish(url, checks);
      attempt.right();
      const proven = provenBy(identity);
      const role = roleByGroups(roles, identity.groups);
      // Makes an account only for a person whom a group lets in: anybody may have an account at the provider.
      const cause = { correlationId };
      const account = (await accountOf(proven, cause)) ?? (role === null ? null : await made(proven, cause));
      if (account !== null) {
        await follow(account, role, correlationId);
        await identities.record(proven.subject, account.person_id);
        const visit = { correlationId, ...(client && { client }) };
        await keepEmail(account, proven, visit);
        if ((await directory.person(account.person_id)) !== null) {
          const token = await begin(account, { client, isProven: identity.isProven });
          await telling.own(account.person_id, 'sign_in', visit, { by: 'provider' });
          return { next, token };
        }
      }
      if (invitation === null || (await joining.invitation(invitation)) === null) noTeam();
      return { next, proof: proofs.make({ ...proven, invitation }) };
    },

    proven(invitation, proof) {
      const proven = proofs.read(proof);
      return proven?.invitation === invitation ? { name: proven.name, email: proven.email } : null;
    },

    // The order is that of `finish`, with the invitation in the place of the role.
    async join(invitation, proof, context) {
      const proven = proofs.read(proof);
      if (proven?.invitation !== invitation)
        return fail('sign_in_failed', 'Your sign-in has ended. Begin again.');
      const found = await accountOf(proven, context);
      const who =
        found === null
          ? { profile: profileOf(proven), identity: identities.nameOf(proven.subject) }
          : { person_id: found.person_id };
      const { team_id, account } = await joining.joinInvitation(invitation, who, context);
      await identities.record(proven.subject, account.person_id);
      return { token: await begin(account, { client: context.client, isProven: false }), team_id };
    },
  };
}

/** @throws AppError `sign_in_failed` */
function profileOf({ name, email }: ProvenPerson): Profile {
  return { name, email: email ?? noEmail() };
}

function noEmail(): never {
  return fail(
    'sign_in_failed',
    'The identity provider gave no verified e-mail address, which the first sign-in needs.',
  );
}

function anothers(): never {
  return fail(
    'sign_in_failed',
    'The account with your e-mail belongs to another person of the identity provider. Ask an admin to remove that person first.',
  );
}

function gone(): never {
  return fail('sign_in_failed', 'The account was removed or made meanwhile. Begin again.');
}

function noTeam(): never {
  return fail(
    'sign_in_failed',
    'You are in no team. Ask an admin to invite you, or to put you into a group. To use an invitation, open its link and sign in from there.',
  );
}
