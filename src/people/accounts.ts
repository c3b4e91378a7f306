/**
 * The accounts of people, in State. Each person has a key of their own, with which their name and e-mail are encrypted
 * here and in the event log. Without the account, that is without the key, nobody can read them any more.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { addMilliseconds, instant, type Clock } from '../clock.js';
import { newIds } from '../commands/ids.js';
import { fail } from '../errors.js';
import type { State, StateEntry } from '../ports/state.js';
import { seal, unseal } from '../secret-key/seal.js';
import { openKeyedHash, openSealer, type SecretKeys } from '../secret-key/secret-keys.js';
import { comparable, type Profile } from './account-fields.js';

/**
 * `key`: the key of the person, encrypted. `profile`: name and e-mail, encrypted with that key. `email`: the entry in
 * the index of e-mails. `epoch`: sessions and links to a new password carry it, and are void when it has risen.
 * `provisional`: the account expires unless its e-mail leads to it.
 */
export type AccountRecord = {
  key: string;
  profile: string;
  email: string;
  /** Null where the person has only ever signed in by an identity provider. */
  password: string | null;
  epoch: number;
  /** The one identity of the provider that leads to the account; absent where there is none yet. */
  identity?: string;
  provisional?: true;
};

export type Account = Omit<AccountRecord, 'key' | 'provisional'> & { person_id: string };

/** All throw AppError `state_unavailable`. */
export type Accounts = {
  find(person: string): Promise<Account | null>;
  byEmail(email: string): Promise<Account | null>;
  /** The name of an e-mail in State: not the e-mail itself. */
  hashOfEmail(email: string): string;
  /** Whether it is the name of the e-mail, or was that under the former SECRET_KEY. */
  isHashOf(hash: string, email: string): boolean;
  /** Null where the e-mail has an account. `password`: its hash. */
  create(profile: Profile, password: string | null, identity?: string): Promise<Account | null>;
  /**
   * Raises the epoch, and sets another password. Null where the account is gone, or where the epoch is not `epoch` any
   * more: of several changes of one epoch, one succeeds.
   */
  raiseEpoch(person: string, epoch: number, password: string): Promise<Account | null>;
  /**
   * Gives the account to an identity of the provider, and to no other one: raises the epoch and takes the password away,
   * unless it was theirs before. Null where the account is gone.
   */
  giveTo(person: string, identity: string): Promise<Account | null>;
  /** Changes name and e-mail. False, with nothing changed, where the e-mail has another account. */
  replaceProfile(person: string, profile: Profile): Promise<boolean>;
  /** Makes the e-mail free for another account. The person is found by their identity alone from then on. */
  releaseEmail(account: Account): Promise<void>;
  /** The name and e-mail of a person, null for a forgotten one. */
  profile(person: string): Promise<Profile | null>;
  /** Encrypts a text with the key of the person, to be forgotten with them; null for a forgotten person. */
  sealFor(person: string, text: string): Promise<string | null>;
  /** Null for a forgotten person, and for a text that was sealed with another key. */
  unsealFor(person: string, sealed: string): Promise<string | null>;
  /** A name that nobody can make of the text without the key of the person; null for a forgotten person. */
  nameFor(person: string, text: string): Promise<string | null>;
  /** Deletes the account, with the key. It completes when it is repeated. */
  remove(person: string): Promise<void>;
};

const UNREADABLE = 'SECRET_KEY is not the one that it was encrypted with, or State was changed';
export const PEOPLE = 'person';
export const EMAILS = 'email';
/** An account is stored before its e-mail leads to it. If that never follows, the account expires after this. */
export const PROVISIONAL_MS = 86_400_000;

/** Long because all functions share the keys: each is short. */
export function openAccounts(state: State, secretKeys: SecretKeys, clock: Clock): Accounts {
  const sealer = openSealer(secretKeys, 'people');
  const hashes = openKeyedHash(secretKeys, 'emails');
  const read = (person: string) => state.get<AccountRecord>(PEOPLE, person);
  const hashOfEmail = (email: string) => hashes.of(comparable(email));

  const keyOf = (person: string, { key }: AccountRecord) => Buffer.from(sealer.unseal(person, key), 'base64');

  const accountOf = (person_id: string, { value }: StateEntry<AccountRecord>): Account => {
    const { key: _, provisional: __, ...account } = value;
    return { person_id, ...account };
  };

  async function find(person: string): Promise<Account | null> {
    const entry = await read(person);
    return entry && accountOf(person, entry);
  }

  /** The account that an entry of the index leads to. It is kept from then on. */
  async function led(person: string): Promise<Account | null> {
    const entry = await read(person);
    if (entry === null) return null;
    if (entry.value.provisional === true) {
      const { provisional: _, ...kept } = entry.value;
      // If another process has changed the account first, it has kept it.
      await state.put(PEOPLE, person, kept satisfies AccountRecord, { expected: entry.version });
    }
    return accountOf(person, entry);
  }

  async function byEmail(email: string): Promise<Account | null> {
    const names = hashes.all(comparable(email));
    let found: Account | null = null;
    for (const name of names) {
      const index = await state.get<string>(EMAILS, name);
      // A read for nobody too, so that an unknown e-mail takes as long.
      const account = await led(index?.value ?? 'nobody');
      // A change of the e-mail that is under way, or that a crash has ended, has two entries: the account names one.
      // Sealing anew renames the entry between two reads.
      if (account !== null && names.includes(account.email)) found ??= account;
    }
    return found;
  }

  /** Makes an e-mail lead to the person. False where it leads to another account. */
  async function reserve(email: string, person: string): Promise<boolean> {
    const [own = '', ...former] = hashes.all(comparable(email));
    const index = await state.get<string>(EMAILS, own);
    if (index?.value !== person) {
      // An entry without an account is what a crash has left: it may be taken over.
      if (index !== null && (await read(index.value)) !== null) return false;
      const expected = index?.version ?? 'absent';
      if ((await state.put(EMAILS, own, person, { expected })) === null) return false;
    }
    // After the write: of two processes that make their entries by different keys, one sees that of the other.
    for (const name of former) {
      const other = (await state.get<string>(EMAILS, name))?.value ?? person;
      if (other === person || (await read(other)) === null) continue;
      await release(own, person);
      return false;
    }
    return true;
  }

  async function release(email: string, person: string): Promise<void> {
    const index = await state.get<string>(EMAILS, email);
    if (index?.value === person) await state.remove(EMAILS, email, index.version);
  }

  return {
    find,
    byEmail,
    hashOfEmail,
    isHashOf: (hash, email) => hashes.all(comparable(email)).includes(hash),

    // The account comes before the entry that leads to it: a crash in between leaves an account that nothing leads to
    // and that expires. The entry decides who has the e-mail; a loser removes their account.
    async create(profile, password, identity) {
      const person_id = newIds.created('person');
      const email = hashOfEmail(profile.email);
      const key = randomBytes(32);
      const record: AccountRecord = {
        key: sealer.seal(person_id, key.toString('base64')),
        profile: seal(key, person_id, JSON.stringify(profile)),
        email,
        password,
        epoch: 0,
        ...(identity !== undefined && { identity }),
        provisional: true,
      };
      const expiresAt = addMilliseconds(instant(clock), PROVISIONAL_MS);
      await state.put(PEOPLE, person_id, record, { expected: 'absent', expiresAt });
      if (!(await reserve(profile.email, person_id))) {
        await state.remove(PEOPLE, person_id, 'any');
        return null;
      }
      return led(person_id);
    },

    async raiseEpoch(person, epoch, password) {
      for (;;) {
        const entry = await read(person);
        if (entry === null || entry.value.epoch !== epoch) return null;
        const value = { ...entry.value, epoch: epoch + 1, password };
        const version = await state.put(PEOPLE, person, value, { expected: entry.version });
        if (version !== null) return accountOf(person, { ...entry, value });
      }
    },

    async giveTo(person, identity) {
      for (;;) {
        const entry = await read(person);
        if (entry === null) return null;
        if (entry.value.identity === identity) return accountOf(person, entry);
        const value = { ...entry.value, epoch: entry.value.epoch + 1, password: null, identity };
        const version = await state.put(PEOPLE, person, value, { expected: entry.version });
        if (version !== null) return accountOf(person, { ...entry, value });
      }
    },

    // The order: the new e-mail is reserved, the account names it, the former e-mail is released. A crash leaves an entry
    // too many, which signs nobody in: the person may repeat the change, and `remove` of the account voids it.
    async replaceProfile(person, profile) {
      const email = hashOfEmail(profile.email);
      for (;;) {
        const entry = await read(person);
        if (entry === null) return false;
        const { value } = entry;
        if (value.email !== email && !(await reserve(profile.email, person))) return false;
        const text = JSON.stringify(profile);
        const changed = { ...value, email, profile: seal(keyOf(person, value), person, text) };
        if ((await state.put(PEOPLE, person, changed, { expected: entry.version })) === null) continue;
        if (value.email !== email) await release(value.email, person);
        return true;
      }
    },

    releaseEmail: ({ email, person_id }) => release(email, person_id),

    async profile(person) {
      const entry = await read(person);
      if (entry === null) return null;
      const { value } = entry;
      try {
        return JSON.parse(unseal(keyOf(person, value), person, value.profile)) as Profile;
      } catch (cause) {
        return fail('internal', `the account of ${person} cannot be read: ${UNREADABLE}`, { cause });
      }
    },

    async sealFor(person, text) {
      const entry = await read(person);
      return entry && seal(keyOf(person, entry.value), person, text);
    },
    async unsealFor(person, sealed) {
      const entry = await read(person);
      try {
        return entry && unseal(keyOf(person, entry.value), person, sealed);
      } catch {
        return null;
      }
    },
    async nameFor(person, text) {
      const entry = await read(person);
      return entry && createHmac('sha256', keyOf(person, entry.value)).update(text).digest('hex');
    },

    // The account goes last: a repeat finds the entry of the e-mail by it.
    async remove(person) {
      const entry = await read(person);
      if (entry === null) return;
      await release(entry.value.email, person);
      await state.remove(PEOPLE, person, 'any');
    },
  };
}
