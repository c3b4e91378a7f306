/**
 * Sign-in by an identity provider, from the button to the session. A person is found by the provider's id of them; at
 * the first sign-in, by an e-mail that the provider has verified, unless the account has another identity there already;
 * otherwise an account is made. The groups of the
 * person give them a role in one team, at every sign-in anew: a role that the provider has given goes with the group.
 * A person in no team may join one by an open invitation.
 */
import { createHmac } from 'node:crypto';
import { addMilliseconds, instant, type Clock } from '../../clock.js';
import { deriveKey } from '../../derive-key.js';
import { ACTOR_OF_PROVIDER, IDENTITY_PROVIDER } from '../../domain/members.js';
import type { KeyRole } from '../../domain/roles.js';
import { fail, isAppError } from '../../errors.js';
import type { State } from '../../ports/state.js';
import type { Profile } from '../account-fields.js';
import type { Account, Accounts } from '../accounts.js';
import type { Joining } from '../joining.js';
import { linkNotValid } from '../links.js';
import type { ExternalSignIn, ProvenPerson } from '../people.js';
import type { Remove } from '../removing.js';
import type { Beginning, Sessions } from '../sessions.js';
import type { SignInLimits } from '../sign-in-limits.js';
import type { Directory, Teams } from '../teams.js';
import type { Checks, Identity, IdentityProvider } from './identity-provider.js';
import { roleByGroups, type GroupRole } from './roles-by-group.js';
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
  secretKey: string;
};

/** A sign-in that is under way. */
type UnderWay = Checks & { next: string; invitation: string | null };

/** What the provider has said of a person. `key`: the key of their entry; it begins with its issuer. */
type Proven = ProvenPerson & { key: string };

/** It leads from an identity of the provider to the account. */
type IdentityRecord = { person_id: string };

type Cause = { correlationId: string };

const KIND = 'identity';
/** The cookies of sign-ins that were used: a cookie works for 10 minutes. */
const [USED, USED_MS] = ['external-sign-in', 3_600_000];

const issuerOf = (identity: string): string => identity.split('/')[0]!;

/** Long because all functions share the parts: each is short. */
export function openExternalSignIn(options: ExternalSignInOptions, parts: Parts): ExternalSignIn {
  const { provider, name, team, roles } = options;
  const { state, accounts, sessions, guesses, teams, remove, directory, joining, clock } = parts;
  const key = deriveKey(parts.secretKey, 'identities');
  const cookieKey = deriveKey(parts.secretKey, 'external-sign-ins');
  const underWays = openSealedCookies<UnderWay>(cookieKey, 'external-sign-in', clock);
  const proofs = openSealedCookies<Proven & { invitation: string }>(cookieKey, 'external-joining', clock);

  const hashed = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  const provenBy = ({ issuer, subject, name, email }: Identity): Proven => ({
    key: `${hashed(issuer)}/${hashed(`${issuer}\n${subject}`)}`,
    name: Array.from(name).slice(0, 100).join(''),
    email,
  });

  /** Null where the person has no account yet. @throws AppError `sign_in_failed` without an e-mail to find one by */
  async function accountOf({ key: own, email }: Proven, cause: Cause): Promise<Account | null> {
    const entry = await state.get<IdentityRecord>(KIND, own);
    const known = entry === null ? null : await accounts.find(entry.value.person_id);
    // An account that has another identity by now was found by its e-mail, which was never that of this person.
    if (entry !== null && known !== null && (known.identity ?? own) === own) {
      return known;
    }
    const present = await accounts.byEmail(email ?? noEmail());
    return present && taken(present, own, cause);
  }

  async function made({ key: own, ...person }: Proven, cause: Cause): Promise<Account> {
    const profile = profileOf(person);
    // Without one, another sign-in of the same person was first.
    const account = await accounts.create(profile, null, own);
    if (account !== null) return account;
    return (await taken((await accounts.byEmail(profile.email)) ?? gone(), own, cause)) ?? gone();
  }

  /**
   * The account that a person finds by their e-mail. Nobody has verified the e-mail that it has: somebody else may have
   * typed it, who would then act with the role of this person. So its password, its sessions and its API keys end. Null
   * where the account is another person's: the provider gives a mailbox to somebody else, and only its id of a person
   * says who they are. Once that person is in no team, the e-mail is free.
   */
  async function taken(account: Account, own: string, cause: Cause): Promise<Account | null> {
    const { person_id, identity } = account;
    if (identity === own) return account;
    const memberships = (await directory.person(person_id))?.memberships ?? [];
    if (identity !== undefined && issuerOf(identity) === issuerOf(own)) {
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
    return (await accounts.giveTo(person_id, own)) ?? gone();
  }

  /** Keeps the e-mail as the provider has it, unless another account has it. */
  async function keepEmail({ person_id, email: own }: Account, { email }: Proven): Promise<void> {
    if (email === null || accounts.hashOfEmail(email) === own) return;
    const profile = await accounts.profile(person_id);
    if (profile !== null) await accounts.replaceProfile(person_id, { ...profile, email });
  }

  /**
   * Gives the person the role of their groups in the team. Without one, a member whom the provider has added goes, and
   * another one has again the role that a person gave them. The log tells these two apart.
   */
  async function follow(
    { person_id, profile }: Account,
    role: KeyRole | null,
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

  async function useOnce(cookie: string): Promise<void> {
    const expiresAt = addMilliseconds(instant(clock), USED_MS);
    const used = await state.put(USED, hashed(cookie), {}, { expected: 'absent', expiresAt });
    if (used === null) linkNotValid();
  }

  const record = (own: string, value: IdentityRecord) => state.put(KIND, own, value, { expected: 'any' });

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
        await record(proven.key, { person_id: account.person_id });
        await keepEmail(account, proven);
        if ((await directory.person(account.person_id)) !== null)
          return { next, token: await begin(account, { client, isProven: identity.isProven }) };
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
      const { key: own } = proven;
      const found = await accountOf(proven, context);
      const who =
        found === null ? { profile: profileOf(proven), identity: own } : { person_id: found.person_id };
      const { team_id, account } = await joining.joinInvitation(invitation, who, context);
      await record(own, { person_id: account.person_id });
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
