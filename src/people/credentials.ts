/** Who a person is: by e-mail and password. `oidc/external-sign-in.ts` finds them by an identity provider. */
import { fail } from '../errors.js';
import type { Account, Accounts } from './accounts.js';
import type { Passwords } from './passwords.js';
import type { Visit } from './people.js';
import type { SignInLimits } from './sign-in-limits.js';

export type Credentials = { email: string; password: string; address: string | null };

/** Gets the account of an e-mail with which a wrong password was typed. */
export type Failed = (person: string, visit: Visit | undefined) => void;

/** Says not which of the two. */
export const WRONG = 'The e-mail or the password is wrong.';

export type Prove = {
  /**
   * The account with this e-mail and password. An unknown e-mail and a wrong password give the same answer after the
   * same time. @throws AppError `sign_in_failed`, `rate_limited`, `overloaded`
   */
  account(credentials: Credentials, visit?: Visit): Promise<Account>;
};

export function openProve(
  accounts: Accounts,
  passwords: Passwords,
  guesses: SignInLimits,
  failed: Failed,
): Prove {
  return {
    async account({ email, password, address }, visit) {
      const own = accounts.hashOfEmail(email);
      const attempt = guesses.attempt({ address, email: own });
      let proven: Account | null;
      try {
        const account = await accounts.byEmail(email);
        const isRight = await passwords.verify(password, account?.password ?? null, own);
        proven = isRight ? account : null;
        if (account !== null && !isRight) failed(account.person_id, visit);
      } catch (error) {
        attempt.undone();
        throw error;
      }
      if (proven === null) fail('sign_in_failed', WRONG);
      attempt.right();
      return proven;
    },
  };
}
