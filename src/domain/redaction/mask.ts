/** What stands where a text was redacted. */
import type { RunDescription } from '../runs/run-description.js';
import { understoodRun } from '../understood.js';

/** In names, labels and metadata, and in the place of a label that is redacted as a whole. */
export const MASK = '[redacted]';

/** The value with the mask in every place of a text, in the names of its fields too. The same value where it is in none. */
export function maskedValue<T>(value: T, text: string): T {
  return masked(value, text) as T;
}

/** The same, where the names of its fields are those of the program. */
export function valuesMasked<T>(value: T, text: string): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return maskedValue(value, text);
  const before = Object.entries(value);
  const after = before.map(([name, each]) => [name, maskedValue(each as unknown, text)] as const);
  return after.every(([, each], n) => each === before[n]![1]) ? value : (Object.fromEntries(after) as T);
}

/** The mask in every place of a text in JSON lines or a table, as it stands in both. */
export function hiddenText(lines: string, text: string): string {
  const forms = new Set([text, JSON.stringify(text).slice(1, -1), text.replaceAll('"', '""')]);
  return [...forms].reduce((now, form) => now.replaceAll(form, () => MASK), lines);
}

function masked(value: unknown, text: string): unknown {
  if (typeof value === 'string') return value.includes(text) ? value.replaceAll(text, () => MASK) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const next = value.map((each) => masked(each, text));
    return next.some((each, n) => each !== value[n]) ? next : value;
  }
  const before = Object.entries(value);
  const after = before.map(([name, each]) => [masked(name, text) as string, masked(each, text)] as const);
  const isSame = after.every(([name, each], n) => name === before[n]![0] && each === before[n]![1]);
  // Not by assignment: a name may be `__proto__`.
  return isSame ? value : Object.fromEntries(after);
}

/** What is left of the description of a redacted run: the fields by which lists are filtered. */
export function redactedDescription({ label, metadata }: RunDescription): RunDescription {
  const { branch, commit, pull_request, build, environment } = understoodRun(metadata);
  const kept = Object.entries({ branch, commit, pull_request, build, environment }).filter(
    ([, value]) => value !== null,
  );
  return {
    label: label === null ? null : MASK,
    metadata: kept.length === 0 ? null : Object.fromEntries(kept),
  };
}
