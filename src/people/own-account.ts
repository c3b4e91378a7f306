/** What people change of their own account: their name, their e-mail, their password, and its end. */
import { fail, invalidFields, isAppError } from '../errors.js';
import { checkPassword, checkedProfile, comparable } from './account-fields.js';
import type { Account, Accounts } from './accounts.js';
import type { Prove } from './credentials.js';
import type { Passwords } from './passwords.js';
import type { People, Visit } from './people.js';
import { openPoints } from '../concurrency/points.js';
import type { Sessions } from './sessions.js';
import type { Telling } from './telling.js';

export type OwnAccount = Pick<People, 'changeProfile' | 'changePassword' | 'hasPassword' | 'confirm'>;

type Parts = {
  accounts: Accounts;
  passwords: Passwords;
  prove: Prove;
  sessions: Sessions;
  telling: Telling;
};

export function openOwnAccount({ accounts, passwords, prove, sessions, telling }: Parts): OwnAccount {
  /**
   * The account, once its present password is right. A session alone must not be enough: a browser that was left open
   * would give the account away, or end it for ever. A person who only signs in by an identity provider has no password to prove.
   */
  async function proven(person: string, password: string, visit: Visit | undefined): Promise<Account> {
    const account = await accounts.find(person);
    const profile = await accounts.profile(person);
    if (account === null || profile === null) fail('sign_in_failed', 'This account does not exist any more.');
    if (account.password === null) return account;
    try {
      return await prove.account({ email: profile.email, password, address: null }, visit);
    } catch (error) {
      if (!isAppError(error, 'sign_in_failed')) throw error;
      return invalidFields([
        { pointer: '/current_password', code: 'not_valid', detail: 'must be your password of now' },
      ]);
    }
  }

  // The answer says whether somebody has the e-mail: nobody may ask for many of them.
  const changes = openPoints(10, 24 * 3_600_000);
  function takeChange(person: string): void {
    const wait = changes.waitMs(person);
    const detail = 'You have changed your e-mail too often. Try again tomorrow.';
    if (wait > 0) fail('rate_limited', detail, { retryAfter: Math.ceil(wait / 1_000) });
    changes.take(person, 1);
  }

  return {
    async changeProfile(person_id, typed, password, visit) {
      const profile = checkedProfile(typed);
      const { identity } = await proven(person_id, password, visit);
      const present = (await accounts.profile(person_id))?.email ?? '';
      const isSame = comparable(profile.email) === comparable(present);
      // It would be the e-mail of whoever they like, in the name of the provider.
      if (identity !== undefined && !isSame) wrongEmail('must be the one that the identity provider has');
      if (!isSame) takeChange(person_id);
      if (!(await accounts.replaceProfile(person_id, profile)))
        wrongEmail('must not be the e-mail of another account');
      if (!isSame) await telling.own(person_id, 'email_changed', visit);
    },

    // One write sets the password and raises the epoch, which ends all sessions: also that of somebody else.
    async changePassword(person_id, { current, next }, visit?: Visit) {
      checkPassword(next);
      const { epoch, password } = await proven(person_id, current, visit);
      // A session alone would open a way in that the provider does not know.
      if (password === null) fail('forbidden', 'You sign in by the identity provider, and have no password.');
      const account = await accounts.raiseEpoch(person_id, epoch, await passwords.hash(next, person_id));
      if (account === null) fail('sign_in_failed', 'The password was changed meanwhile. Sign in again.');
      await telling.own(person_id, 'password_changed', visit);
      return {
        token: await sessions.begin(account, { client: visit?.client, by: 'password', isProven: true }),
      };
    },

    async confirm(token, person_id, typed, visit) {
      const { password } = await proven(person_id, typed, visit);
      if (password === null)
        fail('forbidden', 'You have no password. Sign in by the identity provider again.');
      await sessions.prove(token);
    },

    hasPassword: async (person_id) => typeof (await accounts.find(person_id))?.password === 'string',
  };
}

function wrongEmail(detail: string): never {
  return invalidFields([{ pointer: '/email', code: 'not_valid', detail }]);
}
