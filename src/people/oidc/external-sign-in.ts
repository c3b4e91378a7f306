/**
 * Sign-in by an identity provider, from the button to the session. A person is found by the provider's id of them; at
 * the first sign-in, by an e-mail that the provider has verified; otherwise an account is made. The groups of the
 * person give them a role in one team, at every sign-in anew: a role that the provider has given goes with the group.
 * A person in no team may join one by an open invitation.
 */
import type { Clock } from '../../clock.js';
import { ACTOR_OF_PROVIDER, IDENTITY_PROVIDER } from '../../domain/members.js';
import type { MemberRole } from '../../domain/roles.js';
import { fail, isAppError } from '../../errors.js';
import type { State } from '../../ports/state.js';
import type { Profile } from '../account-fields.js';
import { openSealer, type SecretKeys } from '../../secret-keys.js';
import type { Account, Accounts } from '../accounts.js';
import type { Joining } from '../joining.js';
import { linkNotValid } from '../links.js';
import type { ExternalSignIn, ProvenPerson } from '../people.js';
import type { Sessions } from '../sessions.js';
import type { Directory, Teams } from '../teams.js';
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
  teams: Teams;
  directory: Directory;
  joining: Pick<Joining, 'invitation' | 'joinInvitation'>;
  clock: Clock;
  secretKeys: SecretKeys;
};

/** A sign-in that is under way. */
type UnderWay = Checks & { next: string; invitation: string | null };

/** What the provider has said of a person. `subject`: its own name of them. */
type Proven = ProvenPerson & { subject: string };

/** Long because all functions share the parts: each is short. */
export function openExternalSignIn(options: ExternalSignInOptions, parts: Parts): ExternalSignIn {
  const { provider, name, team, roles } = options;
  const { state, accounts, sessions, teams, directory, joining, clock } = parts;
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
  async function accountOf({ subject, email }: Proven): Promise<Account | null> {
    const own = identities.nameOf(subject);
    const person = await identities.personOf(subject);
    const known = person === null ? null : await accounts.find(person);
    // An account that has another identity by now was found by its e-mail, which was never that of this person.
    if (known !== null && identities.isOf(subject, known.identity ?? own)) return known;
    const present = await accounts.byEmail(email ?? noEmail());
    return present && taken(present, own);
  }

  async function made({ subject, ...person }: Proven): Promise<Account> {
    const profile = profileOf(person);
    const own = identities.nameOf(subject);
    // Without one, another sign-in of the same person was first.
    const account = await accounts.create(profile, null, own);
    return account ?? taken((await accounts.byEmail(profile.email)) ?? gone(), own);
  }

  /**
   * The account that a person finds by their e-mail. Nobody has verified the e-mail that it has: somebody else may have
   * typed it, who would then act with the role of this person. So its password, its sessions and any other identity end.
   */
  async function taken({ person_id }: Account, own: string): Promise<Account> {
    return (await accounts.giveTo(person_id, own)) ?? gone();
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
        await teams.record(team, { type: 'RemoveMember', person_id, by }, cause);
      } else if (wanted !== present.role) {
        await teams.record(team, { type: 'ChangeMemberRole', person_id, role: wanted, by }, cause);
      }
    } catch (error) {
      // The last owner stays one: a wrong set of groups must not lock everybody out.
      if (!isAppError(error, 'last_owner')) throw error;
    }
  }

  return {
    name,
    async begin(redirectUri, next, invitation) {
      const { url, checks } = await provider.begin(redirectUri);
      // Browsers keep cookies of up to 4,096 bytes.
      const cookie = underWays.make({ ...checks, next: next.length > 1_000 ? '/' : next, invitation });
      return { url, cookie };
    },

    // The order: the account, the role, the entry that leads to the account, the session. Each step may be repeated: a
    // crash leaves an account that the next sign-in finds by its e-mail.
    async finish(url, cookie, { correlationId }) {
      const { next, invitation, ...checks } = underWays.read(cookie) ?? linkNotValid();
      const identity = await provider.finish(url, checks);
      const proven = provenBy(identity);
      const role = roleByGroups(roles, identity.groups);
      // Makes an account only for a person whom a group lets in: anybody may have an account at the provider.
      const account = (await accountOf(proven)) ?? (role === null ? null : await made(proven));
      if (account !== null) {
        await follow(account, role, correlationId);
        await identities.record(proven.subject, account.person_id);
        if ((await directory.person(account.person_id)) !== null)
          return { next, token: await sessions.begin(account) };
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
      const found = await accountOf(proven);
      const who =
        found === null
          ? { profile: profileOf(proven), identity: identities.nameOf(proven.subject) }
          : { person_id: found.person_id };
      const { team_id, account } = await joining.joinInvitation(invitation, who, context);
      await identities.record(proven.subject, account.person_id);
      return { token: await sessions.begin(account), team_id };
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

function gone(): never {
  return fail('sign_in_failed', 'The account was removed or made meanwhile. Begin again.');
}

function noTeam(): never {
  return fail(
    'sign_in_failed',
    'You are in no team. Ask an admin to invite you, or to put you into a group. To use an invitation, open its link and sign in from there.',
  );
}
