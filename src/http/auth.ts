/** Who calls: the API key of the Authorization header, and what its role allows. */
import type { ApiKeys, KeyEntry } from '../keys/api-keys.js';
import { hashOfKey, isApiKey } from '../domain/api-key.js';
import { OPERATOR_TEAM } from '../commands/teams.js';
import { atLeast } from '../domain/team.js';
import { fail } from '../errors.js';
import type { Route } from './route.js';

/** @throws LedgerError `unauthorized`. A key that is ill-formed is refused before anything waits for it. */
export async function authenticate(directory: ApiKeys, header: string | undefined): Promise<KeyEntry> {
  if (header === undefined) fail('unauthorized', 'Send the API key in the Authorization header.');
  const key = keyIn(header);
  const hash = hashOfKey(key);
  const known = directory.known(hash) ?? (isApiKey(key) ? await directory.find(hash) : null);
  return known ?? fail('unauthorized', 'The API key is not valid.');
}

/** Whether a key that was let in is still what it was: neither revoked nor changed. */
export function holds(directory: ApiKeys, header: string | undefined, entry: KeyEntry): boolean {
  // Whatever changes a key puts another entry in its place.
  return header !== undefined && directory.known(hashOfKey(keyIn(header))) === entry;
}

function keyIn(header: string): string {
  return header.replace(/^Bearer +/i, '');
}

/** @throws LedgerError `forbidden`. */
export function mustBeAllowed(
  key: KeyEntry,
  { role, operator = false }: Pick<Route, 'role' | 'operator'>,
): void {
  if (!atLeast(key.role, role)) {
    fail('forbidden', `This needs a key of role ${role}; this one is a ${key.role}'s.`);
  }
  if (operator && key.team_id !== OPERATOR_TEAM) {
    fail('forbidden', "This needs a key of the operator's team.");
  }
}
