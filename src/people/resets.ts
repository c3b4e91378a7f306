/** Links with which a person sets a new password. An admin makes them: the server sends no e-mail. */
import { addMilliseconds, instant, type Clock } from '../clock.js';
import type { Instant } from '../domain/event.js';
import { notFound } from '../domain/life.js';
import { OPERATOR } from '../domain/teams/members.js';
import { fail, isAppError, isUnavailable } from '../errors.js';
import { limits } from '../limits.js';
import type { StateEntry } from '../ports/state.js';
import { checkPassword } from './account-fields.js';
import type { Account, Accounts } from './accounts.js';
import { linkNotValid, type Links } from './links.js';
import type { Passwords } from './passwords.js';
import type { People } from './people.js';
import type { Sessions } from './sessions.js';
import type { Teams } from './teams.js';
import type { Telling } from './telling.js';

/**
 * `epoch`: that of the account. A link of an earlier epoch is void: another link was used after it was made. `made_by`:
 * the admin, in the team in which they made it, or `OPERATOR`. `since`: when that admin had joined it.
 */
export type ResetLink = {
  person_id: string;
  epoch: number;
  made_by: { person_id: string; team: string; since: Instant | null };
  expires_at: Instant;
};

/** The holder of the link acts as that person, so an equal would act as another one. */
const BELOW = { least: 'admin', isAbove: true } as const;

export type Resets = Pick<People, 'resetLink' | 'resetIsOpen' | 'resetPassword'>;

type Parts = {
  links: Links<ResetLink>;
  accounts: Accounts;
  passwords: Passwords;
  sessions: Sessions;
  teams: Teams;
  clock: Clock;
  telling: Telling;
};

export function openResets(parts: Parts): Resets {
  const { links, accounts, passwords, sessions, teams, clock, telling } = parts;
  async function openLink(token: string): Promise<StateEntry<ResetLink> | null> {
    const link = await links.find(token);
    if (link === null) return null;
    const { person_id, epoch, made_by } = link.value;
    const account = await accounts.find(person_id);
    if (account?.epoch !== epoch) return null;
    if (made_by.person_id !== OPERATOR && account.identity !== undefined) return null;
    return (await stillRules(made_by, person_id)) ? link : null;
  }

  /** The link gives its holder the account, so its maker must still be somebody who may have that. */
  async function stillRules(by: ResetLink['made_by'], person: string): Promise<boolean> {
    if (by.person_id === OPERATOR) return true;
    try {
      await teams.mustRule(by, person, BELOW);
      return (await teams.since(by.team, by.person_id)) === by.since;
    } catch (error) {
      if (isAppError(error) && !isUnavailable(error)) return false;
      throw error;
    }
  }

  return {
    async resetLink(by, person_id) {
      await teams.mustRule(by, person_id, BELOW);
      const account = (await accounts.find(person_id)) ?? notFound('person');
      mustHaveNoIdentity(account);
      const since = await teams.since(by.team, by.person_id);
      const made_by = { person_id: by.person_id, team: by.team, since };
      const made = await makeResetLink({ links, clock }, account, made_by);
      // Before anybody has the link.
      await telling.about(person_id, 'reset_link_made', by);
      return made;
    },
    resetIsOpen: async (token) => (await openLink(token)) !== null,

    // The order: the account gets the password and a higher epoch in one write, which uses the link and ends all
    // sessions; then the link is removed, and the session begins. After a crash the password is set or it is not.
    async resetPassword(token, password, visit) {
      checkPassword(password);
      const link = (await openLink(token)) ?? linkNotValid();
      const { person_id, epoch } = link.value;
      const hash = await passwords.hash(password, person_id);
      const account = (await accounts.raiseEpoch(person_id, epoch, hash)) ?? linkNotValid();
      await links.remove(link);
      await telling.own(person_id, 'reset_link_used', visit);
      return {
        token: await sessions.begin(account, { client: visit?.client, by: 'password', isProven: true }),
      };
    },
  };
}

/** A password would be a way in beside the provider, which may have locked the person out. */
function mustHaveNoIdentity({ identity }: Account): void {
  if (identity !== undefined)
    fail('forbidden', 'This person signs in by the identity provider, and gets no password from here.');
}

/** Makes a link with which the person of an account sets a new password. The caller checks who may make one. */
export async function makeResetLink(
  { links, clock }: Pick<Parts, 'links' | 'clock'>,
  { person_id, epoch }: Pick<Account, 'person_id' | 'epoch'>,
  made_by: ResetLink['made_by'],
): Promise<{ token: string; expires_at: Instant }> {
  const expires_at = addMilliseconds(instant(clock), limits.resetMs);
  const { token } = await links.make({ person_id, epoch, made_by, expires_at });
  return { token, expires_at };
}
