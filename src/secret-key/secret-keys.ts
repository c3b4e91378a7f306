/**
 * SECRET_KEY and the one before it. What is made is made with the current one; what was made with the previous one is
 * still read, until it is sealed anew (`testledger reseal`). So a key that has leaked can go.
 */
import { createHmac } from 'node:crypto';
import { deriveKey, type Purpose } from './derive-key.js';
import { seal, unseal } from './seal.js';

export type SecretKeys = { current: string; previous: string | null };

const ID_CHARACTERS = 8;

/** Texts that only a server with the key can read. Each begins with the id of its key, which is no secret. */
export type Sealer = {
  /** `owner`: what was copied to another owner cannot be opened there. */
  seal(owner: string, text: string): string;
  /** @throws Error for a text of a key that is neither of the two, of another owner, or that was changed */
  unseal(owner: string, sealed: string): string;
  /** False for a text of another key, which is to be sealed anew. */
  isCurrent(sealed: string): boolean;
};

/** Names in State for what must not stand there, such as an e-mail. */
export type KeyedHash = {
  of(text: string): string;
  /** The names that a text may have: that of the current key first. */
  all(text: string): string[];
};

/** The keys of a purpose, the current one first. */
export function derivedKeys({ current, previous }: SecretKeys, purpose: Purpose): Buffer[] {
  return [current, ...(previous === null ? [] : [previous])].map((secret) => deriveKey(secret, purpose));
}

/** The ids of the keys, the current one first. */
export function keyIds(keys: SecretKeys): string[] {
  return derivedKeys(keys, 'key-id').map((id) => id.toString('hex').slice(0, ID_CHARACTERS));
}

export function openSealer(keys: SecretKeys, purpose: Purpose): Sealer {
  const ids = keyIds(keys);
  const derived = derivedKeys(keys, purpose);
  return {
    // A cookie takes it as it is.
    seal: (owner, text) => `${ids[0]}-${seal(derived[0]!, owner, text)}`,
    unseal(owner, sealed) {
      const [id, text] = [sealed.slice(0, ID_CHARACTERS), sealed.slice(ID_CHARACTERS + 1)];
      const key = derived[ids.indexOf(id)];
      if (key === undefined) throw new Error(`it was sealed by the key ${id}, which is not given`);
      return unseal(key, owner, text);
    },
    isCurrent: (sealed) => sealed.startsWith(`${ids[0]}-`),
  };
}

export function openKeyedHash(keys: SecretKeys, purpose: Purpose): KeyedHash {
  const derived = derivedKeys(keys, purpose);
  const named = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex');
  return {
    of: (text) => named(derived[0]!, text),
    all: (text) => derived.map((key) => named(key, text)),
  };
}
