/** The hashes under which contents are stored: 128 bits, keyed by the server's secret and the team (docs/decisions/041). */
import { createHmac } from 'node:crypto';
import type { HashContent } from '../domain/contents.js';
import { derivedKeys, type SecretKeys } from './secret-keys.js';

const BYTES = 16;

export type ContentHash = (team: string) => HashContent;

/**
 * Always by the current key: contents that were stored under the one before it are read by the hashes that their events
 * name, and nobody computes those again.
 */
export function openContentHash(keys: SecretKeys): ContentHash {
  return contentHashOf(contentKey(keys));
}

/** For a thread that gets the key from another one. */
export function contentHashOf(key: Uint8Array): ContentHash {
  return (team) => (text) =>
    createHmac('sha256', key).update(`${team}\0${text}`).digest().subarray(0, BYTES).toString('base64url');
}

export function contentKey(keys: SecretKeys): Uint8Array {
  return derivedKeys(keys, 'contents')[0]!;
}
