/** Accounts and identities under another SECRET_KEY: the keys of people are sealed anew, and entries named anew. */
import { addMilliseconds, instant } from '../clock.js';
import type { StateEntry } from '../ports/state.js';
import type { Resealed, Resealing } from '../secret-key/sealed-with.js';
import { unseal } from '../secret-key/seal.js';
import { openKeyedHash, openSealer } from '../secret-key/secret-keys.js';
import { comparable, type Profile } from './account-fields.js';
import { EMAILS, PEOPLE, PROVISIONAL_MS, type AccountRecord } from './accounts.js';
import { IDENTITIES, type IdentityRecord } from './oidc/identities.js';

/**
 * The order is that of a change of the e-mail: the new entry of the e-mail, the account, the former entry. The profile
 * is sealed with the key of the person, which stays, as does the copy in the log.
 */
export async function resealAccount(
  { state, secretKeys, clock }: Resealing,
  { key: person, value, version }: StateEntry<AccountRecord>,
): Promise<Resealed> {
  const sealer = openSealer(secretKeys, 'people');
  if (sealer.isCurrent(value.key)) return 'current';
  let key: string;
  let profile: Profile;
  try {
    key = sealer.unseal(person, value.key);
    profile = JSON.parse(unseal(Buffer.from(key, 'base64'), person, value.profile)) as Profile;
  } catch {
    return 'unreadable';
  }
  const email = openKeyedHash(secretKeys, 'emails').of(comparable(profile.email));
  // A change of the e-mail that is under way, or a sign-up that has lost to another one, ends by itself.
  const isLed = (await state.get<string>(EMAILS, value.email))?.value === person;
  if (isLed) {
    const index = await state.get<string>(EMAILS, email);
    if (index?.value !== person) {
      await state.put(EMAILS, email, person, { expected: index?.version ?? 'absent' });
    }
  }
  const anew: AccountRecord = { ...value, key: sealer.seal(person, key), email };
  const put = await state.put(PEOPLE, person, anew, {
    expected: version,
    ...(value.provisional === true && { expiresAt: addMilliseconds(instant(clock), PROVISIONAL_MS) }),
  });
  if (put === null) return 'changed';
  if (isLed && value.email !== email) await state.remove(EMAILS, value.email, 'any');
  return 'sealed anew';
}

/** The new entry, the name in the account, the former entry: a sign-in finds the account at each moment. */
export async function resealIdentity(
  { state, secretKeys }: Resealing,
  { key: name, value, version }: StateEntry<IdentityRecord>,
): Promise<Resealed> {
  const sealer = openSealer(secretKeys, 'identities');
  if (sealer.isCurrent(value.subject)) return 'current';
  let subject: string;
  try {
    subject = sealer.unseal(name, value.subject);
  } catch {
    return 'unreadable';
  }
  const newName = openKeyedHash(secretKeys, 'identities').of(subject);
  const anew: IdentityRecord = { ...value, subject: sealer.seal(newName, subject) };
  await state.put(IDENTITIES, newName, anew, { expected: 'absent' });
  const account = await state.get<AccountRecord>(PEOPLE, value.person_id);
  if (account?.value.identity === name) {
    const renamed: AccountRecord = { ...account.value, identity: newName };
    const put = await state.put(PEOPLE, account.key, renamed, { expected: account.version });
    if (put === null) return 'changed';
  }
  return (await state.remove(IDENTITIES, name, version)) ? 'sealed anew' : 'changed';
}
