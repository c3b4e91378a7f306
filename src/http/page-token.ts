/** The opaque cursor of a list: where to go on, and which list it belongs to. */
import type { Cursor } from '../core/ports.js';
import { invalid } from '../errors.js';

/** `list` names the list with its filters: the token of one is refused by another. */
export function writePageToken(list: readonly string[], next: Cursor | null): string | null {
  return next === null
    ? null
    : Buffer.from(JSON.stringify([...list, next.value, next.id])).toString('base64url');
}

/** @throws LedgerError `validation_failed`. */
export function readPageToken(
  list: readonly string[],
  token: string | number | undefined,
): Cursor | undefined {
  if (token === undefined) return undefined;
  const parts = parse(String(token));
  const [value, id] = parts.slice(list.length);
  const own = parts.length === list.length + 2 && list.every((part, index) => parts[index] === part);
  if (!own || typeof value !== 'string' || typeof id !== 'string') {
    invalid('?page_token', 'bad_token', 'is not a token that this list gave');
  }
  return { value, id };
}

function parse(token: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    // Not JSON: no token of ours, which the caller says.
    return [];
  }
}
