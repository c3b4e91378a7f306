/**
 * The error message of a submitted item may be longer than that of a result: one long traceback must not cost a whole
 * run. The result has its first characters in `error_message`, and the whole in `metadata.error.message`.
 */
import { limits } from '../../limits.js';
import { jsonFault, type JsonLimits } from '../../validation/json-limits.js';

const METADATA_LIMITS: JsonLimits = {
  maxBytes: limits.metadataBytes,
  maxDepth: limits.metadataLevels,
  maxValues: limits.metadataValues,
};

type Metadata = Record<string, unknown>;

export type Described = { error_message: string | null; metadata: Metadata | null };

/**
 * Splits a message that is longer than `error_message` may be; leaves all others as they are. The metadata that were
 * sent stay, so the whole is kept only where it has a place: not where `error` is no object, or has a `message`
 * already. It stays within the limits of metadata: a message that does not fit is cut, and `error.truncated` says so.
 * No cut divides a character.
 */
export function splitErrorMessage({ error_message, metadata }: Described): Described {
  // A text has at least as many UTF-16 units as characters.
  if (error_message === null || error_message.length <= limits.errorMessageLength) {
    return { error_message, metadata };
  }
  const first = firstCharacters(error_message, limits.errorMessageLength);
  if (first.length === error_message.length) return { error_message, metadata };
  return { error_message: first, metadata: withMessage(metadata, error_message, first) };
}

function withMessage(metadata: Metadata | null, whole: string, first: string): Metadata | null {
  const error = metadata?.['error'] ?? {};
  if (typeof error !== 'object' || Array.isArray(error)) return metadata;
  const { message = null } = error as Metadata;
  if (message !== null) return metadata;
  const withText = (text: string) => {
    const truncated = text.length < whole.length && { truncated: true };
    return { ...metadata, error: { ...error, message: text, ...truncated } };
  };
  const room = limits.metadataBytes - bytesOf(withText(''));
  const text = bytesOf(withText(whole)) <= limits.metadataBytes ? whole : fitting(whole, room);
  // Metadata that have room only for what `error_message` holds anyway stay as they were sent.
  if (text.length <= first.length) return metadata;
  const kept = withText(text);
  // The metadata that were sent may have as many values as they are allowed.
  return jsonFault(kept, METADATA_LIMITS) === null ? kept : metadata;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function firstCharacters(text: string, count: number): string {
  let end = 0;
  for (let n = 0; n < count && end < text.length; n += 1) end += unitsAt(text, end);
  return text.slice(0, end);
}

/** The longest beginning whose JSON has at most `bytes` bytes between its quotes. */
function fitting(text: string, most: number): string {
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    bytes += jsonBytesOf(text.codePointAt(end)!);
    if (bytes > most) break;
    end += unitsAt(text, end);
  }
  return text.slice(0, end);
}

const escapedShort = new Set(Array.from('\b\t\n\f\r"\\', (character) => character.codePointAt(0)));

/**
 * The bytes of a character in compact JSON. It counts them, because a call of JSON.stringify for each character would
 * take seconds for a body of long messages.
 */
function jsonBytesOf(point: number): number {
  if (escapedShort.has(point)) return 2;
  if (point < 0x20) return 6;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}

/** Two for a surrogate pair, which is one character. */
function unitsAt(text: string, index: number): number {
  return text.codePointAt(index)! > 0xffff ? 2 : 1;
}
