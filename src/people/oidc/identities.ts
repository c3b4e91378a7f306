/**
 * From an identity of the provider to the person. State holds the provider's own name of a person only sealed, and finds
 * it by a keyed hash.
 */
import { openKeyedHash, openSealer, type SecretKeys } from '../../secret-key/secret-keys.js';
import type { State } from '../../ports/state.js';

export const IDENTITIES = 'identity';

/** `subject`: issuer and subject, sealed, so that another SECRET_KEY can name the entry anew. */
export type IdentityRecord = { person_id: string; subject: string };

export type Identities = {
  /** The name of an identity in State, also in the account that it leads to. */
  nameOf(subject: string): string;
  /** Whether a name in an account is that of this identity. */
  isOf(subject: string, name: string): boolean;
  /** Whether another identity, by its name in an account, is of the same issuer. True for one that nobody knows. */
  areOfOneIssuer(subject: string, name: string): Promise<boolean>;
  personOf(subject: string): Promise<string | null>;
  record(subject: string, person: string): Promise<void>;
};

export function openIdentities(state: State, secretKeys: SecretKeys): Identities {
  const hashes = openKeyedHash(secretKeys, 'identities');
  const sealer = openSealer(secretKeys, 'identities');
  return {
    nameOf: hashes.of,
    isOf: (subject, name) => hashes.all(subject).includes(name),
    async areOfOneIssuer(subject, name) {
      const entry = await state.get<IdentityRecord>(IDENTITIES, name);
      if (entry === null) return true;
      return issuerOf(sealer.unseal(name, entry.value.subject)) === issuerOf(subject);
    },
    async personOf(subject) {
      for (const name of hashes.all(subject)) {
        const entry = await state.get<IdentityRecord>(IDENTITIES, name);
        if (entry !== null) return entry.value.person_id;
      }
      return null;
    },
    async record(subject, person_id) {
      const name = hashes.of(subject);
      const value: IdentityRecord = { person_id, subject: sealer.seal(name, subject) };
      await state.put(IDENTITIES, name, value, { expected: 'any' });
    },
  };
}

function issuerOf(subject: string): string {
  return subject.split('\n')[0]!;
}
