/** Who calls: the API key of the Authorization header, and what its role allows. */
import type { Directory, KeyEntry } from '../core/directory.js';
import { hashOfKey, isApiKey } from '../domain/api-key.js';
import { atLeast, type Role } from '../domain/team.js';
import { fail } from '../errors.js';

/** @throws LedgerError `unauthorized`. A key that is ill-formed is refused before any look-up. */
export async function authenticate(directory: Directory, header: string | undefined): Promise<KeyEntry> {
  if (header === undefined) fail('unauthorized', 'Send the API key in the Authorization header.');
  const key = header.startsWith('Bearer ') ? header.slice(7) : header;
  const known = isApiKey(key) ? await directory.find(hashOfKey(key)) : null;
  return known ?? fail('unauthorized', 'The API key is not valid.');
}

/** @throws LedgerError `forbidden`. */
export function mustBe(key: KeyEntry, role: Role): void {
  if (!atLeast(key.role, role)) {
    fail('forbidden', `This needs a key of role ${role}; this one is a ${key.role}'s.`);
  }
}
