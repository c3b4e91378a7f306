/**
 * Sign-in by an identity provider, from the button to the session. A person is found by the provider's id of them; at
 * the first sign-in, by an e-mail that the provider has verified; otherwise an account is made. The groups of the
 * person give them a role in one team, at every sign-in anew: a role that the provider has given goes with the group.
 */
import { createHmac } from 'node:crypto';
import { addMilliseconds, instant, type Clock } from '../../clock.js';
import { deriveKey } from '../../derive-key.js';
import type { Instant } from '../../domain/event.js';
import { IDENTITY_PROVIDER, roleOf } from '../../domain/members.js';
import type { KeyRole } from '../../domain/roles.js';
import { fail, isLedgerError } from '../../errors.js';
import type { State } from '../../ports/state.js';
import { seal, unseal } from '../../seal.js';
import type { Account, Accounts } from '../accounts.js';
import { linkNotValid } from '../links.js';
import type { Sessions } from '../sessions.js';
import type { Directory, Teams } from '../teams.js';
import type { Checks, Identity, IdentityProvider } from './identity-provider.js';
import { roleByGroups, type GroupRole } from './roles-by-group.js';

export type ExternalSignIn = {
  /** What the button says. */
  name: string;
  /**
   * `cookie`: what must come back, encrypted, so that nothing is stored for a sign-in that nobody ends. It binds the
   * sign-in to this browser: a person cannot be signed in as somebody else by a link.
   */
  begin(redirectUri: string, next: string): Promise<{ url: string; cookie: string }>;
  /**
   * `url`: with which the browser came back. Returns the token of the session and the path to go on to.
   * @throws LedgerError `sign_in_failed`, `link_not_valid`, `identity_provider_unavailable`
   */
  finish(
    url: URL,
    cookie: string,
    context: { correlationId: string },
  ): Promise<{ token: string; next: string }>;
};

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
  clock: Clock;
  secretKey: string;
};

/** A sign-in that is under way. */
type UnderWay = Checks & { next: string; expires_at: Instant };

/** `given`: the provider has given the role in the team, and takes it away again. */
type IdentityRecord = { person_id: string; given: boolean };

const KIND = 'identity';
const OWNER = 'external-sign-in';
const UNDER_WAY_MS = 10 * 60_000;

export function openExternalSignIn(options: ExternalSignInOptions, parts: Parts): ExternalSignIn {
  const { provider, name, team, roles } = options;
  const { state, accounts, sessions, teams, directory, clock } = parts;
  const key = deriveKey(parts.secretKey, 'identities');
  const cookieKey = deriveKey(parts.secretKey, 'external-sign-ins');
  const keyOf = ({ issuer, subject }: Identity) =>
    createHmac('sha256', key).update(`${issuer}\n${subject}`).digest('hex');

  /** Makes an account only for a person whom a group lets in: anybody may have an account at the provider. */
  async function accountOf(
    identity: Identity,
    role: KeyRole | null,
  ): Promise<{ account: Account; given: boolean }> {
    const own = keyOf(identity);
    const entry = await state.get<IdentityRecord>(KIND, own);
    const known = entry === null ? null : await accounts.find(entry.value.person_id);
    // An account that has another identity by now was found by its e-mail, which was never that of this person.
    if (entry !== null && known !== null && (known.identity ?? own) === own) {
      return { account: known, given: entry.value.given };
    }
    const { email, name } = identity;
    if (email === null) {
      fail(
        'sign_in_failed',
        'The identity provider gave no verified e-mail address, which the first sign-in needs.',
      );
    }
    const present = await accounts.byEmail(email);
    if (present !== null) return { account: await taken(present, own), given: false };
    if (role === null) noTeam();
    const profile = { name: Array.from(name).slice(0, 100).join(''), email };
    // Without one, another sign-in of the same person was first.
    const made = await accounts.create(profile, null, own);
    const account = made ?? (await taken((await accounts.byEmail(email)) ?? gone(), own));
    return { account, given: false };
  }

  /**
   * The account that a person finds by their e-mail. Nobody has verified the e-mail that it has: somebody else may have
   * typed it, who would then act with the role of this person. So its password, its sessions and any other identity end.
   */
  async function taken({ person_id }: Account, own: string): Promise<Account> {
    return (await accounts.giveTo(person_id, own)) ?? gone();
  }

  /** Returns whether the role of the person in the team is the provider's. */
  async function follow(
    { person_id, profile }: Account,
    given: boolean,
    role: KeyRole | null,
    correlationId: string,
  ): Promise<boolean> {
    const present = roleOf((await teams.find(team))?.members ?? [], person_id);
    const by = IDENTITY_PROVIDER;
    const cause = { actor: 'system', correlationId };
    try {
      if (role === null) {
        if (given && present !== null)
          await teams.record(team, { type: 'RemoveMember', person_id, by }, cause);
        return false;
      }
      if (present === null) {
        await teams.record(team, { type: 'AddMember', person_id, role, sealed: profile, by }, cause);
      } else if (present !== role) {
        await teams.record(team, { type: 'ChangeMemberRole', person_id, role, by }, cause);
      }
      return true;
    } catch (error) {
      // The last owner stays one: a wrong set of groups must not lock everybody out.
      if (isLedgerError(error, 'last_owner')) return given;
      throw error;
    }
  }

  /** Null for a cookie that has expired, or that this server has not made. */
  function underWayIn(cookie: string): UnderWay | null {
    let text: string;
    try {
      text = unseal(cookieKey, OWNER, cookie);
    } catch {
      return null;
    }
    const underWay = JSON.parse(text) as UnderWay;
    return underWay.expires_at > instant(clock) ? underWay : null;
  }

  return {
    name,
    async begin(redirectUri, next) {
      const { url, checks } = await provider.begin(redirectUri);
      const expires_at = addMilliseconds(instant(clock), UNDER_WAY_MS);
      // Browsers keep cookies of up to 4,096 bytes.
      const underWay: UnderWay = { ...checks, next: next.length > 1_000 ? '/' : next, expires_at };
      const sealed = seal(cookieKey, OWNER, JSON.stringify(underWay));
      // A cookie takes no plus, slash or equals sign.
      return { url, cookie: Buffer.from(sealed, 'base64').toString('base64url') };
    },

    // The order: the account, the role, the entry that leads to the account, the session. Each step may be repeated: a
    // crash leaves an account that the next sign-in finds by its e-mail.
    async finish(url, cookie, { correlationId }) {
      const underWay = underWayIn(cookie) ?? linkNotValid();
      const identity = await provider.finish(url, underWay);
      const role = roleByGroups(roles, identity.groups);
      const { account, given } = await accountOf(identity, role);
      const isGiven = await follow(account, given, role, correlationId);
      const record: IdentityRecord = { person_id: account.person_id, given: isGiven };
      await state.put(KIND, keyOf(identity), record, { expected: 'any' });
      if ((await directory.person(account.person_id)) === null) noTeam();
      return { token: await sessions.begin(account), next: underWay.next };
    },
  };
}

function gone(): never {
  return fail('sign_in_failed', 'The account was removed or made meanwhile. Begin again.');
}

function noTeam(): never {
  return fail(
    'sign_in_failed',
    'You are in no team. Ask an admin to invite you, or to put you into a group.',
  );
}
