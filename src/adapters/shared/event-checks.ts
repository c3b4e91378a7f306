/**
 * The checks of every log for mistakes in the program, before anything is stored: every log accepts the same events.
 * Each check throws a plain Error.
 */
import type { NewEvent } from '../../domain/event.js';

// SQLite would cut a text at a NUL and replace half a surrogate pair.
const PRINTABLE = /^[\x21-\x7e]+$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const PREFIX = /^([^-]+)-(?:([^.]+)\.)?$/;

export function checkEvent({ id, type, version }: NewEvent): void {
  if (!UUID.test(id)) throw new Error(`the id of an event must be a lower-case UUID: ${id}`);
  checkPrintable(type, 'the type of an event');
  if (!Number.isSafeInteger(version))
    throw new Error(`the version of an event must be an integer: ${version}`);
}

export function checkPrintable(text: string, what: string): void {
  if (!PRINTABLE.test(text)) throw new Error(`${what} must be printable ASCII: ${JSON.stringify(text)}`);
}

/** The number of events of a page or a batch. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return;
  throw new Error(`not a number of events: ${limit}`);
}

/** Takes a prefix of a filter apart: `<category>-` or `<category>-<team>.` */
export function parsePrefix(prefix: string): { category: string; team: string | null } {
  const [, category, team] = PREFIX.exec(prefix) ?? [];
  if (category === undefined) throw new Error(`not a prefix of streams: ${prefix}`);
  return { category, team: team ?? null };
}

/** The JSON of a part of an event. */
export function toJson(value: unknown, what: 'data' | 'meta'): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new Error(`the ${what} of an event is not JSON`);
  return text;
}
