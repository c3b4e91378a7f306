/** What an event changed, field by field, found by a comparison of the thing before and after it. */
import { isDeepStrictEqual } from 'node:util';
import { limits } from '../../limits.js';
import type { Metadata } from '../runs/run.js';

/**
 * `shortened`: the name of the field or one of the values is cut. A value that is not text is then the start of its
 * JSON.
 */
export type Change = { field: string; from: unknown; to: unknown; shortened?: true };

/** `left_out`: how many more keys of the metadata changed. */
export type Changes = { changes: Change[]; left_out: number };

/** A thing as histories show it. A field that a thing lacks is null in comparisons. */
export type Shown = {
  /** All but metadata. Each is small, because its event type bounds it. */
  fields: Readonly<Record<string, unknown>>;
  metadata: Metadata | null;
};

export const nothing: Shown = { fields: {}, metadata: null };

/** Metadata are compared by their top-level keys, since an event may hold 64 KiB of them. */
export function changesBetween(before: Shown, after: Shown): Changes {
  const changes = namesOf(before.fields, after.fields).flatMap((field) =>
    changeOf(field, valueOf(before.fields, field), valueOf(after.fields, field)),
  );
  const { changes: ofMetadata, left_out } = metadataChanges(before.metadata, after.metadata);
  return { changes: [...changes, ...ofMetadata], left_out };
}

function metadataChanges(before: Metadata | null, after: Metadata | null): Changes {
  const [former, present] = [before ?? {}, after ?? {}];
  const names = namesOf(former, present).filter(
    (name) =>
      Object.hasOwn(former, name) !== Object.hasOwn(present, name) ||
      !isDeepStrictEqual(former[name], present[name]),
  );
  // From none to an empty object, or back.
  if (names.length === 0) return { changes: changeOf('metadata', before && {}, after && {}), left_out: 0 };
  const listed = names.slice(0, limits.historyMetadataKeys);
  const changes = listed.map((name) => {
    const field = shortened(`metadata.${name}`);
    const [from, to] = [shortened(valueOf(former, name)), shortened(valueOf(present, name))];
    const isCut = field.isCut || from.isCut || to.isCut;
    return {
      field: String(field.value),
      from: from.value,
      to: to.value,
      ...(isCut && ({ shortened: true } as const)),
    };
  });
  return { changes, left_out: names.length - listed.length };
}

function changeOf(field: string, from: unknown, to: unknown): Change[] {
  return isDeepStrictEqual(from, to) ? [] : [{ field, from, to }];
}

/** The names of both, those of the second first. */
function namesOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(after), ...Object.keys(before)])];
}

/** Not by a plain read: a key of metadata may be called `__proto__`. */
function valueOf(thing: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(thing, name) ? (thing[name] ?? null) : null;
}

function shortened(value: unknown): { value: unknown; isCut: boolean } {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const most = limits.historyValueLength;
  // A character outside the first plane takes two places of a string.
  const characters = text.length > most ? Array.from(text.slice(0, 2 * most + 1)) : [];
  if (characters.length <= most) return { value, isCut: false };
  return { value: `${characters.slice(0, most).join('')}…`, isCut: true };
}
