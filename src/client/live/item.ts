/** A result as a reporter hands it over, and as the API takes it. */
import { inspect, stripVTControlCharacters } from 'node:util';
import { cutTestName } from '../../test-name.js';
import type { Masker } from '../masking/masker.js';

/** An item of `POST /v1/test-runs` (`schemas/requests/SubmitItem.json`), with its files. */
export type LiveItem = SubmittableItem & { attachments?: readonly LiveAttachment[] };

type SubmittableItem = {
  name: string;
  status: 'passed' | 'failed' | 'skipped' | 'known_fail';
  duration_ms?: number | undefined;
  started_at?: string | undefined;
  attempt?: number | undefined;
  error_message?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
};

/** A file by its path, or its content. A path is read when the result has been accepted. */
export type LiveAttachment = { name: string; content_type: string } & (
  { path: string } | { body: Uint8Array }
);

/** Why a result failed. Everything may be missing: tests throw texts, numbers and undefined. */
export type ReportedError = {
  type?: string | undefined;
  message?: string | undefined;
  stack?: string | undefined;
  expected?: unknown;
  actual?: unknown;
  /** The name of the set-up or tear-down that failed. */
  hook?: string | undefined;
};

/** Results are held in memory until they are sent. The server keeps 256 KiB of a message. */
const MESSAGE_CHARACTERS = 64_000;
const STACK_CHARACTERS = 8_000;
const VALUE_CHARACTERS = 4_000;
/** Under the 64 KiB of the API, since the name and `error` may be added. */
const METADATA_BYTES = 60_000;

/** The fields of a failed item. The first error is the message; the stacks of the others follow its own. */
export function errorFields(errors: readonly ReportedError[]): {
  error_message: string;
  error: Record<string, string>;
} {
  const [first = {}, ...others] = errors;
  const message = cleanText(first.message || first.stack || 'The test failed without a message.');
  const stacks = [first, ...others].map((error) =>
    cleanText(error.stack || (error === first ? '' : error.message) || ''),
  );
  const fields = {
    type: first.type,
    stack: stacks.filter((stack) => stack !== '').join('\n\n'),
    expected: shown(first.expected),
    actual: shown(first.actual),
    hook: first.hook,
  };
  const error: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value) error[name] = cut(cleanText(value), name === 'stack' ? STACK_CHARACTERS : VALUE_CHARACTERS);
  }
  return { error_message: cut(message, MESSAGE_CHARACTERS), error };
}

/** The item as JSON, in the bounds of the API: one item that is not would refuse the whole call. */
export function writtenItem(item: LiveItem, masker: Masker): string {
  const clean = cleanItem(item, masker);
  const json = JSON.stringify(clean);
  // A character has up to three bytes for each of its units, so the metadata of most items need no count.
  if (json.length * 3 <= METADATA_BYTES) return json;
  return JSON.stringify({ ...clean, metadata: clean.metadata && boundedMetadata(clean.metadata) });
}

/** JSON leaves out what is undefined. That is quicker than an object without it, and tests wait meanwhile. */
function cleanItem(
  { name: given, duration_ms, attempt, error_message, ...item }: LiveItem,
  masker: Masker,
): SubmittableItem {
  const named = maskedName(given, masker);
  const name = cutTestName(named);
  const isCut = named.length > name.length;
  const metadata = cleanMetadata(
    masker,
    isCut ? { ...item.metadata, full_name: cut(named, VALUE_CHARACTERS) } : (item.metadata ?? {}),
  );
  return {
    name,
    status: item.status,
    duration_ms:
      duration_ms !== undefined && duration_ms >= 0
        ? Math.min(Math.round(duration_ms), 2 ** 31 - 1)
        : undefined,
    started_at: item.started_at,
    attempt: attempt === undefined ? undefined : Math.min(attempt, 1_000),
    error_message:
      error_message === undefined
        ? undefined
        : cut(masker.text(cleanText(error_message)), MESSAGE_CHARACTERS),
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
  };
}

/** Colours may stand within a secret, so they go first; and a bound may cut one, so it comes last. */
function cleanMetadata(masker: Masker, metadata: Record<string, unknown>): Record<string, unknown> {
  return masker.metadata(
    isClean(metadata, 0) ? metadata : (cleanValue(metadata, 0) as Record<string, unknown>),
  );
}

/** By which results of one test are known as such. */
export function maskedName(name: string, masker: Masker): string {
  return masker.name(cleanText(name));
}

function boundedMetadata(clean: Record<string, unknown>): Record<string, unknown> {
  if (jsonBytes(clean) <= METADATA_BYTES) return clean;
  // Most of it is text of many bytes a character. The understood keys are worth more than the others.
  const understood = ['file', 'line', 'suite', 'owner', 'environment'].filter((key) => key in clean);
  const kept: Record<string, unknown> = Object.fromEntries(understood.map((key) => [key, clean[key]]));
  const error = clean['error'];
  if (typeof error === 'object' && error !== null) {
    const texts = Object.entries(error).map(([key, value]) => [
      key,
      typeof value === 'string' ? cut(value, 1_000) : null,
    ]);
    kept['error'] = Object.fromEntries(texts);
  }
  return jsonBytes(kept) <= METADATA_BYTES ? kept : {};
}

/** Without colours, NULs and halves of characters, which the API refuses. */
export function cleanText(text: string): string {
  if (isCleanText(text)) return text;
  return stripVTControlCharacters(text).replaceAll('\0', '�').toWellFormed();
}

// oxlint-disable-next-line no-control-regex -- these are what is taken out: colours begin with an ESC or its one-byte form
const unclean = /[\0\u001b\u009b]/;

function isCleanText(text: string): boolean {
  return !unclean.test(text) && text.isWellFormed();
}

/** Below the 32 levels of the API. */
const DEEPEST = 16;

/** Whether `cleanValue` would copy the value as it is. Most need no copy. */
function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'boolean' || value === null) return true;
  if (typeof value !== 'object' || depth > DEEPEST) return false;
  if (Array.isArray(value)) return value.every((one) => isClean(one, depth + 1));
  // Others may have a way of their own to become JSON.
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.entries(value).every(([key, one]) => isCleanText(key) && isClean(one, depth + 1));
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? value : null;
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, depth + 1));
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([key, one]) => [cleanText(key), cleanValue(one, depth + 1)]));
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  // With bounds: a test may compare things of any size, and it waits while they are written out.
  return inspect(value, {
    depth: 6,
    maxArrayLength: 100,
    maxStringLength: VALUE_CHARACTERS,
    breakLength: 100,
  });
}

/** The beginning and the end: the first says what was called, the last what failed. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
