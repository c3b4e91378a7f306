/** Authentication by the API key of the Authorization header, and authorisation by its role. */
import type { ApiKeys, KeyEntry } from '../keys/api-keys.js';
import { hashOfKey, isApiKey } from '../domain/api-key.js';
import { OPERATOR_TEAM } from '../commands/teams.js';
import { atLeast } from '../domain/team.js';
import { fail } from '../errors.js';
import type { Route } from './route.js';

/** Finds the key of a request. An ill-formed key is refused without a read of the log. @throws LedgerError `unauthorized`. */
export async function authenticate(keys: ApiKeys, header: string | undefined): Promise<KeyEntry> {
  if (header === undefined) fail('unauthorized', 'Send the API key in the Authorization header.');
  const key = keyIn(header);
  const hash = hashOfKey(key);
  const known = keys.known(hash) ?? (isApiKey(key) ? await keys.find(hash) : null);
  return known ?? fail('unauthorized', 'The API key is not valid.');
}

/** True while a key that was accepted is neither revoked nor changed. */
export function holds(keys: ApiKeys, header: string | undefined, entry: KeyEntry): boolean {
  // Every change of a key replaces its entry.
  return header !== undefined && keys.known(hashOfKey(keyIn(header))) === entry;
}

function keyIn(header: string): string {
  return header.replace(/^Bearer +/i, '');
}

/** Checks the role of the key, and its team where the route belongs to the operator. @throws LedgerError `forbidden`. */
export function mustBeAllowed(
  key: KeyEntry,
  { role, operator = false }: Pick<Route, 'role' | 'operator'>,
): void {
  if (!atLeast(key.role, role)) {
    fail('forbidden', `The request needs a key with the role ${role}; this key has the role ${key.role}.`);
  }
  if (operator && key.team_id !== OPERATOR_TEAM) {
    fail('forbidden', 'The request needs a key of the team of the operator.');
  }
}
