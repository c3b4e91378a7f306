/** The opaque cursor of a list: where the next page begins, and which list it belongs to. */
import { isPosition } from '../domain/event.js';
import type { Cursor } from '../ports/views.js';
import { invalid } from '../errors.js';

/** `list` names the list with its filters: other lists refuse the token. Null where nothing follows. */
export function writePageToken(list: readonly string[], next: Cursor | null): string | null {
  return next === null
    ? null
    : Buffer.from(JSON.stringify([...list, next.value, next.id])).toString('base64url');
}

/** @throws AppError `validation_failed`. */
export function readPageToken(
  list: readonly string[],
  token: string | number | undefined,
): Cursor | undefined {
  if (token === undefined) return undefined;
  const parts = parse(String(token));
  const [value, id] = parts.slice(list.length);
  if (typeof value === 'string' && typeof id === 'string' && isPosition(value) && AN_ID.test(id)) {
    const cursor = { value, id };
    // Base64 has several texts for one value: without this check a cut or extended token would end the list silently.
    if (writePageToken(list, cursor) === String(token)) return cursor;
  }
  return invalid('?page_token', 'bad_token', 'is not a token of this list');
}

const AN_ID = /^[a-z]+_[0-9a-z_]+$/;

function parse(token: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    // Not JSON, so not a token: the caller refuses it.
    return [];
  }
}
