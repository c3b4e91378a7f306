/** The accounts, sign-ins and places in teams of all people, over the state and the log. */
import type { Admission } from '../admission/admission.js';
import { ageMs, type Clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { keysOf } from '../domain/teams/team.js';
import { FORGOTTEN } from '../domain/history/words.js';
import type { SharedPoints } from '../concurrency/shared-points.js';
import { fail, isAppError } from '../errors.js';
import { limits } from '../limits.js';
import type { State } from '../ports/state.js';
import type { SecretKeys } from '../secret-key/secret-keys.js';
import { openAccounts } from './accounts.js';
import { openProve } from './credentials.js';
import { openForgetting } from './forgetting.js';
import type { JoinLink } from './invited-person.js';
import { openJoining } from './joining.js';
import { openLinks } from './links.js';
import { openExternalSignIn, type ExternalSignInOptions } from './oidc/external-sign-in.js';
import { openOpenInvitations } from './open-invitations.js';
import { openOwnAccount } from './own-account.js';
import { openPasswords, type PasswordCost } from './passwords.js';
import type { Acting, People, Visit } from './people.js';
import { openRemove, type Remove } from './removing.js';
import { openResets, type ResetLink } from './resets.js';
import type { SealClient } from './sealed-clients.js';
import { isOfPresent, openSessions, type SessionMax, type Sessions } from './sessions.js';
import { openSignInLimits } from './sign-in-limits.js';
import { openTeams, type Directory, type Teams } from './teams.js';
import { openTelling, type AuditOfPeople, type Telling } from './telling.js';

export type PeopleOptions = {
  state: State;
  commands: CommandHandler;
  /** Follows the memberships of all teams, on this node as on every other. */
  directory: Directory;
  /** Those of the server. With others, nobody can sign in and no name can be read. */
  secretKeys: SecretKeys;
  clock: Clock;
  /** Gets the failures that no caller can receive. */
  report: (error: unknown) => void;
  admission: Admission;
  audit: AuditOfPeople;
  sealClient: SealClient;
  passwordCost?: PasswordCost;
  sessionMax?: SessionMax;
  /** The identity provider; null without one. */
  external?: ExternalSignInOptions | null;
  /** The points of sign-ins, where other processes take them too. */
  signInPoints?: SharedPoints;
};

const SESSION_MAX: SessionMax = { password: 30 * 86_400_000, provider: 12 * 3_600_000 };

/** In the place of the profile of an account of another SECRET_KEY. */
const UNREADABLE = { name: 'unreadable name', email: 'SECRET_KEY has changed' };

export function openPeople(options: PeopleOptions): People {
  const { state, commands, directory, secretKeys, clock, report, passwordCost, external = null } = options;
  const { admission, audit, sealClient, signInPoints, sessionMax = SESSION_MAX } = options;
  const telling = openTelling({ audit, directory, sealClient, report });
  const accounts = openAccounts(state, secretKeys, clock);
  const passwords = openPasswords(admission, passwordCost);
  const guesses = openSignInLimits(signInPoints);
  const prove = openProve(accounts, passwords, guesses, telling.failed);
  const sessions = openSessions({ state, directory, clock, max: sessionMax });
  const teams = openTeams({ commands, directory, clock, sealClient });
  const remove = openRemove({ teams, sessions });
  const parts = { state, accounts, passwords, prove, sessions, teams, remove, directory, clock, telling };
  const forgetting = openForgetting(parts);
  forgetting.resume().catch(report);
  const { joinInvitation, ...joining } = openJoining({
    ...parts,
    links: openLinks<JoinLink>(state, 'invitation', clock),
    openInvitations: openOpenInvitations(state),
    provesEmails: external !== null,
  });
  const { invitation } = joining;

  /** Others must still be managed, and this person removed, where one account cannot be read. */
  const profileOf = (person: string) =>
    accounts.profile(person).catch((error: unknown) => {
      if (!isAppError(error, 'internal')) throw error;
      report(error);
      return UNREADABLE;
    });

  return {
    ...joining,
    ...openResets({ ...parts, links: openLinks<ResetLink>(state, 'reset-link', clock) }),
    ...openOwnAccount(parts),
    forget: forgetting.forget,
    external:
      external &&
      openExternalSignIn(external, {
        ...parts,
        guesses,
        joining: { invitation, joinInvitation },
        secretKeys,
      }),

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
      const { proven_at } = session;
      const isProven = proven_at !== null && ageMs(clock, proven_at) < limits.proofMs;
      return profile && { person_id, ...profile, memberships: present.memberships, csrf, isProven };
    },

    async signIn(credentials, visit) {
      const account = await prove.account(credentials, visit);
      if ((await directory.person(account.person_id)) === null) {
        fail('sign_in_failed', 'You are in no team any more. Ask an admin to invite you.');
      }
      const how = { client: visit?.client, by: 'password', isProven: true } as const;
      const token = await sessions.begin(account, how);
      await telling.own(account.person_id, 'sign_in', visit);
      return { token };
    },
    ...ofSessions(sessions, telling),

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
    ...ofMembers(teams, remove),
    ...ofKeys(teams),
  };
}

const causeOf = ({ person_id: actor, correlationId, client }: Acting) => ({ actor, correlationId, client });

function ofMembers(teams: Teams, remove: Remove): Pick<People, 'changeRole' | 'removeMember'> {
  return {
    changeRole: (acting, person_id, role) =>
      teams.record(
        acting.team,
        { type: 'ChangeMemberRole', person_id, role, by: acting.person_id },
        causeOf(acting),
      ),
    removeMember: (acting, person_id) =>
      remove(acting.team, { person_id, by: acting.person_id }, causeOf(acting)),
  };
}

function ofSessions(
  sessions: Sessions,
  telling: Telling,
): Pick<People, 'signOut' | 'sessions' | 'endSession' | 'endOtherSessions'> {
  const ended = async (person: string, count: number, visit: Visit | undefined) => {
    if (count > 0) await telling.own(person, 'session_ended', visit, { count });
  };
  return {
    async signOut(token, visit) {
      const person = await sessions.end(token);
      if (person !== null) await telling.own(person, 'sign_out', visit);
    },
    sessions: sessions.of,
    endSession: async (person, id, visit) => ended(person, await sessions.endOne(person, id), visit),
    endOtherSessions: async (person, token, visit) =>
      ended(person, await sessions.endAllOf(person, token), visit),
  };
}

function ofKeys(teams: Teams): Pick<People, 'keysOf' | 'takeKeyOver'> {
  return {
    keysOf: async (team, person_id) => keysOf((await teams.find(team))?.keys ?? [], person_id),
    takeKeyOver: (acting, from, key_id) =>
      teams.record(acting.team, { type: 'TakeKeyOver', key_id, from, by: acting.person_id }, causeOf(acting)),
  };
}
