/** Authentication by the API key of the Authorization header, and authorisation by its role. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiKeys, KeyEntry } from '../keys/api-keys.js';
import { hashOfKey, isApiKey } from '../domain/teams/api-key.js';
import { OPERATOR_TEAM } from '../commands/teams.js';
import { mayUse } from '../domain/teams/access.js';
import { fail } from '../errors.js';
import type { Route } from './route.js';

/** Finds the key of a request. An ill-formed key is refused without a read of the log. @throws AppError `unauthorized`. */
export async function authenticate(
  keys: ApiKeys,
  { headers: { authorization }, socket }: IncomingMessage,
): Promise<KeyEntry> {
  if (authorization === undefined) fail('unauthorized', 'Send the API key in the Authorization header.');
  const hash = hashOn(socket, authorization);
  return (hash === null ? null : await keys.find(hash)) ?? fail('unauthorized', 'The API key is not valid.');
}

/** True while a key that was accepted is neither revoked nor changed. */
export function holds(
  keys: ApiKeys,
  { headers: { authorization }, socket }: IncomingMessage,
  entry: KeyEntry,
): boolean {
  const hash = authorization === undefined ? null : hashOn(socket, authorization);
  // Every change of a key replaces its entry.
  return hash !== null && keys.known(hash) === entry;
}

/** The last header of each connection, with the hash of its key: nearly always the next one is the same. */
const lastHashes = new WeakMap<Socket, { header: string; hash: string }>();

/** Null for an ill-formed key. */
function hashOn(socket: Socket, header: string): string | null {
  const last = lastHashes.get(socket);
  if (last?.header === header) return last.hash;
  const key = header.replace(/^Bearer +/i, '');
  const hash = isApiKey(key) ? hashOfKey(key) : null;
  if (hash !== null) lastHashes.set(socket, { header, hash });
  return hash;
}

/** Checks the role of the key, and its team where the route belongs to the operator. @throws AppError `forbidden`. */
export function mustBeAllowed(
  key: KeyEntry,
  demand: Pick<Route, 'role' | 'reporter' | 'wholeTeam' | 'operator'>,
): void {
  const { role, operator = false, wholeTeam = false } = demand;
  if (!mayUse(key, demand)) {
    fail('forbidden', `The request needs a key with the role ${role}; this key has the role ${key.role}.`);
  }
  if (wholeTeam && key.project_ids !== null) {
    fail('forbidden', 'The request needs a key of all projects; this key sees some projects only.');
  }
  if (operator && key.team_id !== OPERATOR_TEAM) {
    fail('forbidden', 'The request needs a key of the team of the operator.');
  }
}
