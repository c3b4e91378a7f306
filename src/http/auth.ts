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
  const found = isApiKey(keyIn(authorization)) ? await keys.find(hashOn(socket, authorization)) : null;
  return found ?? fail('unauthorized', 'The API key is not valid.');
}

/** True while a key that was accepted is neither revoked nor changed. */
export function holds(
  keys: ApiKeys,
  { headers: { authorization }, socket }: IncomingMessage,
  entry: KeyEntry,
): boolean {
  // Every change of a key replaces its entry.
  return authorization !== undefined && keys.known(hashOn(socket, authorization)) === entry;
}

/** The last header of each connection, with the hash of its key: nearly always the next one is the same. */
const lastHashes = new WeakMap<Socket, { header: string; hash: string }>();

function hashOn(socket: Socket, header: string): string {
  const last = lastHashes.get(socket);
  if (last?.header === header) return last.hash;
  const hash = hashOfKey(keyIn(header));
  lastHashes.set(socket, { header, hash });
  return hash;
}

function keyIn(header: string): string {
  return header.replace(/^Bearer +/i, '');
}

/** Checks the role of the key, and its team where the route belongs to the operator. @throws AppError `forbidden`. */
export function mustBeAllowed(
  key: KeyEntry,
  {
    operator = false,
    wholeTeam = false,
    ...demand
  }: Pick<Route, 'role' | 'reporter' | 'wholeTeam' | 'operator'>,
): void {
  if (!mayUse(key, demand)) {
    const { role } = demand;
    fail('forbidden', `The request needs a key with the role ${role}; this key has the role ${key.role}.`);
  }
  if (wholeTeam && key.project_ids !== null) {
    fail('forbidden', 'The request needs a key of all projects; this key sees some projects only.');
  }
  if (operator && key.team_id !== OPERATOR_TEAM) {
    fail('forbidden', 'The request needs a key of the team of the operator.');
  }
}
