/** The hashes under which contents are stored: 128 bits, keyed by the server's secret and the team (docs/decisions/041). */
import { hash } from 'node:crypto';
import type { HashContent } from '../domain/contents.js';
import { derivedKeys, type SecretKeys } from './secret-keys.js';

/** 128 bits in base64url: 21 characters, and two bits in another one. */
const WHOLE_CHARACTERS = 21;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export type ContentHash = (team: string) => HashContent;

/**
 * Always by the current key: contents that were stored under the one before it are read by the hashes that their events
 * name, and nobody computes those again.
 */
export function openContentHash(keys: SecretKeys): ContentHash {
  return contentHashOf(contentKey(keys));
}

/**
 * For a thread that gets the key from another one. The key comes first, as one whole block of SHA-256. An HMAC would do the
 * same for six times the time, in each POST: it keeps a hash from being continued by whoever knows it, and half of a hash cannot
 * be continued.
 */
export function contentHashOf(key: Uint8Array): ContentHash {
  const block = Buffer.from(key).toString('hex');
  return (team) => {
    const before = `${block}${team}\0`;
    return (text) => ofWholeBytes(hash('sha256', before + text, 'base64url'));
  };
}

export function contentKey(keys: SecretKeys): Uint8Array {
  return derivedKeys(keys, 'contents')[0]!;
}

/** The file has hashes as bytes, and gives back a text without the bits beyond them. Any other text would not be the same. */
function ofWholeBytes(text: string): string {
  const bits = ALPHABET.indexOf(text[WHOLE_CHARACTERS]!) & 0b11_0000;
  return text.slice(0, WHOLE_CHARACTERS) + ALPHABET[bits]!;
}
