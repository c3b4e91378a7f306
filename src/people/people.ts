/**
 * The people who use the pages: their accounts, their sign-ins and their places in teams. Memberships are events, with
 * the id of the person who caused them as the actor. Everything else is in State, and none of it follows from the log.
 */
import type { Clock } from '../clock.js';
import type { Ledger } from '../commands/ledger.js';
import type { Instant } from '../domain/event.js';
import type { KeyRole } from '../domain/team.js';
import { FORGOTTEN } from '../domain/history/words.js';
import type { SharedPoints } from '../concurrency/shared-points.js';
import { fail, isLedgerError } from '../errors.js';
import type { Membership } from '../keys/api-keys.js';
import type { State } from '../ports/state.js';
import { openAccounts } from './accounts.js';
import { openProve } from './credentials.js';
import { openForgetting } from './forgetting.js';
import { openJoining, type JoinLink } from './joining.js';
import { openLinks } from './links.js';
import {
  openExternalSignIn,
  type ExternalSignIn,
  type ExternalSignInOptions,
} from './oidc/external-sign-in.js';
import { openOpenInvitations } from './open-invitations.js';
import { openOwnAccount } from './own-account.js';
import { openPasswords, type PasswordCost } from './passwords.js';
import { openResets, type ResetLink } from './resets.js';
import { isOfPresent, openSessions } from './sessions.js';
import { openSignInLimits } from './sign-in-limits.js';
import { openTeams, type Directory } from './teams.js';

export type { Membership } from '../keys/api-keys.js';

export type Person = { person_id: string; name: string; email: string; memberships: readonly Membership[] };

/** `csrf`: the token that each form of this session must carry. */
export type SignedIn = Person & { csrf: string };

/** `email`: null for a forgotten person. */
export type Member = {
  person_id: string;
  name: string;
  email: string | null;
  role: KeyRole;
  added_at: Instant;
};

export type OpenInvitation = {
  invitation_id: string;
  role: KeyRole;
  /** The id of the person who made it, or `OPERATOR`. */
  invited_by: string;
  expires_at: Instant;
};

export type NewAccount = { name: string; email: string; password: string };

/** The person who acts, in one of their teams, with their role there. */
export type Acting = { person_id: string; team: string; role: KeyRole; correlationId: string };

export type People = {
  /** The person of a session cookie, with their memberships of now; null where no session has this token. */
  session(token: string): Promise<SignedIn | null>;
  /** @throws LedgerError `sign_in_failed`, `rate_limited` */
  signIn(input: { email: string; password: string; address: string }): Promise<{ token: string }>;
  signOut(token: string): Promise<void>;
  /** Makes the link of a first start: null where the operator's team has an owner already. */
  newFirstStart(): Promise<string | null>;
  firstStartIsOpen(token: string): Promise<boolean>;
  /** @throws LedgerError `link_not_valid`, `validation_failed`, `sign_in_failed` for the e-mail of another account */
  acceptFirstStart(
    token: string,
    who: NewAccount | { person_id: string },
    context: { correlationId: string },
  ): Promise<{ token: string }>;
  /** @throws LedgerError `forbidden` for a role that the person cannot give, `member_limit`, `invitation_limit` */
  invite(by: Acting, role: KeyRole): Promise<{ token: string; expires_at: Instant }>;
  /** Null where the link has expired, or was used or withdrawn. */
  invitation(
    token: string,
  ): Promise<{ team_id: string; team_name: string; role: KeyRole; expires_at: Instant } | null>;
  /** All open invitations of a team, those that were made last first. */
  invitations(team: string): Promise<OpenInvitation[]>;
  /** Its link works no more. @throws LedgerError `not_found`, `forbidden` for a role that the person cannot give */
  withdrawInvitation(by: Acting, invitation_id: string): Promise<void>;
  /**
   * `token`: of the new session; null for a person who was signed in. @throws LedgerError as `acceptFirstStart`, and
   * `member_limit`
   */
  acceptInvitation(
    token: string,
    who: NewAccount | { person_id: string },
    context: { correlationId: string },
  ): Promise<{ token: string | null; team_id: string }>;
  members(team: string): Promise<Member[]>;
  /** The name of a person, for those who see what they did. */
  nameOf(person_id: string): Promise<string>;
  /** @throws LedgerError `forbidden`, `not_found`, `last_owner` */
  changeRole(by: Acting, person_id: string, role: KeyRole): Promise<void>;
  /** Also oneself. @throws LedgerError as `changeRole` */
  removeMember(by: Acting, person_id: string): Promise<void>;
  /** @throws LedgerError `forbidden` unless the person rules the other one in all teams, `not_found` */
  resetLink(by: Acting, person_id: string): Promise<{ token: string; expires_at: Instant }>;
  resetIsOpen(token: string): Promise<boolean>;
  /** Begins a session. @throws LedgerError `link_not_valid`, `validation_failed`, `overloaded` */
  resetPassword(token: string, password: string): Promise<{ token: string }>;
  /** Whether the person can sign in without the identity provider. */
  hasPassword(person_id: string): Promise<boolean>;
  /** `password`: that of now; not looked at where the account has none. @throws LedgerError `validation_failed` */
  changeProfile(person_id: string, profile: { name: string; email: string }, password: string): Promise<void>;
  /** Ends all sessions, and begins the one that it returns. @throws LedgerError `validation_failed` */
  changePassword(person_id: string, passwords: { current: string; next: string }): Promise<{ token: string }>;
  /** Forgets the person who acts. @throws LedgerError `validation_failed` for a wrong password, `last_owner` */
  deleteAccount(by: Acting, password: string): Promise<void>;
  /** An owner of the team, or the person. @throws LedgerError `forbidden`, `not_found`, `last_owner` */
  forget(by: Acting, person_id: string): Promise<void>;
  /** Sign-in by an identity provider; null without one. */
  external: ExternalSignIn | null;
};

export type { ExternalSignIn } from './oidc/external-sign-in.js';

export type PeopleOptions = {
  state: State;
  ledger: Ledger;
  /** Follows the memberships of all teams, on this node as on every other. */
  directory: Directory;
  /** The SECRET_KEY of the server. With another one, nobody can sign in and no name can be read. */
  secretKey: string;
  clock: Clock;
  /** Gets the failures that no caller can receive. */
  report: (error: unknown) => void;
  passwordCost?: PasswordCost;
  /** The identity provider; null without one. */
  external?: ExternalSignInOptions | null;
  /** The points of sign-ins, where other processes take them too. */
  signInPoints?: SharedPoints;
};

/** In the place of the profile of an account of another SECRET_KEY. */
const UNREADABLE = { name: 'unreadable name', email: 'SECRET_KEY has changed' };

export function openPeople(options: PeopleOptions): People {
  const { state, ledger, directory, secretKey, clock, report, passwordCost, external = null } = options;
  const { signInPoints } = options;
  const accounts = openAccounts(state, secretKey, clock);
  const passwords = openPasswords(passwordCost);
  const prove = openProve(accounts, passwords, openSignInLimits(signInPoints));
  const sessions = openSessions(state, directory, clock);
  const teams = openTeams({ ledger, directory, clock });
  const parts = { state, accounts, passwords, prove, sessions, teams, directory, clock };
  const forgetting = openForgetting(parts);
  forgetting.resume().catch(report);
  const { joinInvitation, ...joining } = openJoining({
    ...parts,
    links: openLinks<JoinLink>(state, 'invitation', clock),
    openInvitations: openOpenInvitations(state),
  });
  const { invitation } = joining;

  /** Others must still be managed, and this person removed, where one account cannot be read. */
  const profileOf = (person: string) =>
    accounts.profile(person).catch((error: unknown) => {
      if (!isLedgerError(error, 'internal')) throw error;
      report(error);
      return UNREADABLE;
    });

  return {
    ...joining,
    ...openResets({ ...parts, links: openLinks<ResetLink>(state, 'reset-link', clock) }),
    ...openOwnAccount({ ...parts, forget: forgetting.forget }),
    forget: forgetting.forget,
    external:
      external &&
      openExternalSignIn(external, { ...parts, joining: { invitation, joinInvitation }, secretKey }),

    async session(token) {
      const session = await sessions.find(token);
      if (session === null) return null;
      const { person_id, csrf } = session;
      const account = await accounts.find(person_id);
      if (account?.epoch !== session.epoch) return null;
      const present = await directory.person(person_id);
      // A session of before the person was in no team stays ended, also when they join a team again.
      if (present === null || !isOfPresent(session, present.since)) return null;
      const profile = await profileOf(person_id);
      // They cannot sign in any more either, and every page would fail, that of the sign-in too.
      if (profile === UNREADABLE) return null;
      return profile && { person_id, ...profile, memberships: present.memberships, csrf };
    },

    async signIn(credentials) {
      const account = await prove.account(credentials);
      if ((await directory.person(account.person_id)) === null) {
        fail('sign_in_failed', 'You are in no team any more. Ask an admin to invite you.');
      }
      return { token: await sessions.begin(account) };
    },
    signOut: sessions.end,

    async members(team) {
      const found = await teams.find(team);
      return Promise.all(
        (found?.members ?? []).map(async ({ person_id, role, added_at }) => {
          const { name, email } = (await profileOf(person_id)) ?? { name: FORGOTTEN, email: null };
          return { person_id, name, email, role, added_at };
        }),
      );
    },
    nameOf: async (person_id) => (await profileOf(person_id))?.name ?? FORGOTTEN,

    changeRole: ({ person_id: by, team, correlationId }, person_id, role) =>
      teams.record(team, { type: 'ChangeMemberRole', person_id, role, by }, { actor: by, correlationId }),
    removeMember: ({ person_id: by, team, correlationId }, person_id) =>
      teams.record(team, { type: 'RemoveMember', person_id, by }, { actor: by, correlationId }),
  };
}
