import { Buffer } from 'node:buffer';
import { limits } from '../limits.js';
import { cutTestName } from '../test-name.js';
import { clean, cleanFields, isTooLate } from './api-text.js';
import { cutText } from './values/bounded-text.js';
import type { ImportOptions, ReportAttachment, ReportItem, TextMasker } from './entry.js';
import { bounds, type Reported } from './reported.js';
import { sourceFile, withoutCheckout } from './source-paths.js';

/**
 * An item as the API takes it. `cut` says that its metadata were too large, and that some of them are left out; `isLate`
 * that its start lies in the future, and is left out.
 */
export function itemOf(
  result: Reported,
  attempt: number | null,
  { checkout, pathPrefix, ownerOf, masker = unmasked }: ImportOptions,
): { item: ReportItem; cut: boolean; isLate: boolean } {
  const whole = masker.name(clean(result.name));
  const name = cutTestName(whole);
  const file =
    result.file === null ? null : masker.name(sourceFile(clean(result.file), { checkout, pathPrefix }));
  const error = result.error;
  const extra = cleanFields(result.extra);
  const isLate = result.startedAt !== null && isTooLate(result.startedAt);
  const facts = present({
    file: file === '' ? null : file,
    line: result.line,
    suite: short(result.suite === null ? null : withoutCheckout(result.suite, checkout), masker.name),
    owner:
      short(result.owner, masker.name) ??
      (file === null || file === '' ? null : short(ownerOf?.(file) ?? null, masker.name)),
    full_name: name === whole ? null : cutText(whole, 4 * bounds.short),
    reason: short(result.reason, masker.text),
    ...masker.metadata(extra.fields),
  });
  const message = error === null ? null : (error.message ?? error.type);
  const { metadata, cut } = fitMetadata(facts, error === null ? null : errorOf(error, masker.text));
  return {
    cut: cut || extra.cut,
    isLate,
    item: {
      name,
      status: result.status,
      ...present({
        duration_ms: result.durationMs,
        started_at: isLate ? null : result.startedAt,
        attempt,
        error_message: message === null ? null : cutText(masker.text(clean(message)), bounds.message),
      }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    },
  };
}

/** What the metadata hold besides the message, which the server adds to them itself. */
function errorOf(
  { type, stack, hook, expected = null, actual = null }: NonNullable<Reported['error']>,
  mask: TextMasker['text'],
): Record<string, unknown> {
  return present({
    type: short(type, mask),
    hook: short(hook, mask),
    expected: short(expected, mask),
    actual: short(actual, mask),
    stack: stack === null ? null : mask(clean(stack)),
  });
}

/** Leaves out what does not fit: first the middle of the stack, then the fields of the report itself. */
function fitMetadata(
  facts: Record<string, unknown>,
  error: Record<string, unknown> | null,
): { metadata: Record<string, unknown>; cut: boolean } {
  const withError = error === null || Object.keys(error).length === 0 ? {} : { error };
  const whole = { ...facts, ...withError };
  // Most metadata are too small to be counted: a number or a short text each.
  if (error === null) {
    if (charactersIn(facts) < SMALL) return { metadata: whole, cut: false };
  }
  if (jsonBytes(whole) <= limits.metadataBytes) return { metadata: whole, cut: false };
  const stack = typeof error?.stack === 'string' ? error.stack : '';
  for (let most = stack.length; most > 256; most = Math.floor(most * 0.7)) {
    const metadata = { ...facts, error: { ...error, stack: cutText(stack, most) } };
    if (jsonBytes(metadata) <= limits.metadataBytes) return { metadata, cut: true };
  }
  const { file, line, suite, owner } = facts;
  const least = {
    ...present({ file, line, suite, owner }),
    error: { ...error, stack: cutText(stack, 4_096) },
  };
  return { metadata: jsonBytes(least) <= limits.metadataBytes ? least : {}, cut: true };
}

/** Characters whose JSON surely fits into metadata. */
const SMALL = 8_000;
/** What a number, or the marks around a value and its name, take at most. */
const EACH = 20;

/** At least those that the JSON of the value has, before characters are escaped. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length + EACH;
  if (typeof value !== 'object' || value === null) return EACH;
  let sum = EACH;
  for (const [name, each] of Object.entries(value)) sum += name.length + charactersIn(each);
  return sum;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The output of a result as files, for the artifacts of the result. */
export function outputFiles({ stdout, stderr }: Reported['output']): ReportAttachment[] {
  const files = [
    { name: 'system-out.txt', text: stdout },
    { name: 'system-err.txt', text: stderr },
  ];
  return files.flatMap(({ name, text }) =>
    text.trim() === ''
      ? []
      : [
          {
            source: 'body',
            body: Buffer.from(text.toWellFormed()),
            name,
            content_type: 'text/plain; charset=utf-8',
          },
        ],
  );
}

function short(text: string | null, mask: TextMasker['text']): string | null {
  return text === null || text === '' ? null : cutText(mask(clean(text)), bounds.short);
}

const unmasked: TextMasker = {
  text: (text) => text,
  name: (text) => text,
  metadata: (metadata) => ({ ...metadata }),
};

/** The fields that are not null. */
function present<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: Exclude<T[K], null> } {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    if (fields[name] !== null && fields[name] !== undefined) result[name] = fields[name];
  }
  return result as { [K in keyof T]?: Exclude<T[K], null> };
}
