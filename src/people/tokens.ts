/** Tokens of sessions and links: random, shown once, and stored only as their hash. */
import { hash, randomBytes } from 'node:crypto';

const form = /^[\w-]{43}$/;

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in hex; null for a text that cannot be a token. 256 random bits need no slow hash. */
export function hashOfToken(token: string): string | null {
  return form.test(token) ? hashOfText(token) : null;
}

export function hashOfText(text: string): string {
  return hash('sha256', text, 'hex');
}
