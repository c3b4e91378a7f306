/**
 * Whether a person is the one whom an invitation was made for. Without an identity provider nothing proves an e-mail, because no
 * mail is sent: a person who has the link and knows the e-mail may join. They must not find the e-mail out by the link: it ends after a few wrong tries, and
 * a wrong e-mail answers as a wrong password does.
 */
import type { Instant } from '../domain/event.js';
import type { MemberRole } from '../domain/teams/roles.js';
import { fail, isAppError } from '../errors.js';
import { limits } from '../limits.js';
import type { Profile } from './account-fields.js';
import type { Accounts } from './accounts.js';
import { WRONG } from './credentials.js';
import { linkNotValid, type Links } from './links.js';
import type { NewAccount } from './people.js';

/**
 * `invited_by`: null for the first start, `OPERATOR` for the command line. `claimed_by`: the hash of the e-mail that is
 * using the link.
 */
export type JoinLink = {
  team: string;
  role: MemberRole;
  invited_by: string | null;
  /** When the inviter had joined the team; null where none of its members invited. */
  inviter_since: Instant | null;
  expires_at: Instant;
  claimed_by?: string;
  /** The hash of the e-mail of the only person whom it lets in. */
  email?: string;
  /** How often such a person was to be another one. */
  tries?: number;
};

/** `identity`: that of a person whom the identity provider has proven, and who has no account yet. */
export type Joiner = NewAccount | { person_id: string } | { profile: Profile; identity: string };

type Parts = { links: Links<JoinLink>; accounts: Accounts };

/** Each try of a link for one e-mail counts before it is made, so that many at once are no more. */
export async function countingTries<T>(
  { links, token }: Pick<Parts, 'links'> & { token: string },
  { work, end }: { work: () => Promise<T>; end: (link: JoinLink & { key: string }) => Promise<void> },
): Promise<T> {
  const tries = await count(links, token, 1);
  if (tries > limits.invitationTries) linkNotValid();
  try {
    const done = await work();
    await count(links, token, -1);
    return done;
  } catch (error) {
    const link = await links.find(token);
    if (!isAppError(error, 'sign_in_failed')) await count(links, token, -1);
    else if (link?.value.email !== undefined && tries >= limits.invitationTries)
      await end({ ...link.value, key: link.key });
    throw error;
  }
}

/** The number of tries that were wrong or are under way; 0 for a link that is not for one person alone. */
async function count(links: Links<JoinLink>, token: string, more: 1 | -1): Promise<number> {
  for (;;) {
    const link = await links.find(token);
    // Another try may have ended it meanwhile.
    if (link === null && more === 1) linkNotValid();
    if (link?.value.email === undefined) return 0;
    const tries = (link.value.tries ?? 0) + more;
    if (await links.replace(link, { ...link.value, tries })) return tries;
  }
}

/**
 * Where a provider proves e-mails, one that somebody types proves nothing. The answer says nothing about the e-mail, and is no try.
 * @throws AppError `sign_in_failed` for a person whom the provider has not proven
 */
export async function mustBeProven(accounts: Accounts, who: Joiner): Promise<void> {
  if ('identity' in who) return;
  const account = 'person_id' in who ? await accounts.find(who.person_id) : null;
  if (account?.identity === undefined)
    fail(
      'sign_in_failed',
      'The invitation is for one e-mail address. Sign in by the identity provider, which proves it.',
    );
}

/** @throws AppError `sign_in_failed` for a person with another e-mail than that for which the link was made */
export async function mustBeFor(accounts: Accounts, { email }: JoinLink, who: Joiner): Promise<void> {
  if (email === undefined) return;
  if ('password' in who) {
    if (!accounts.isHashOf(email, who.email)) fail('sign_in_failed', WRONG);
    return;
  }
  const own = 'identity' in who ? who.profile.email : (await accounts.profile(who.person_id))?.email;
  if (!accounts.isHashOf(email, own ?? ''))
    fail('sign_in_failed', 'The invitation was made for another e-mail address.');
}
