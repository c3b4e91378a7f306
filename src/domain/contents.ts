/**
 * What a result says, in two parts (docs/decisions/041). The verdict is history, and stays in its event. The contents are
 * evidence with a lifetime: the error message, the error, and the metadata that the program does not understand. They are
 * stored apart, and the event names them by their hashes, where no reader of the replay sees them.
 */
import { environmentIn } from './environment.js';
import type { Content, EventMeta } from './event.js';
import { lineIn, tagsIn, textIn } from './understood.js';

type Metadata = Readonly<Record<string, unknown>>;

/** The fields of a result, or of an event of one, that have contents. One that is absent is not set. */
export type Texts = { error_message?: string | null; metadata?: Record<string, unknown> | null };

/** The hashes of the contents of a result, by field. Absent where the field has none. */
export type ContentRefs = {
  readonly error_message?: string;
  /** Of `metadata.error`. It is in one content with the message that came with it: equal failures cost one content. */
  readonly error?: string;
  /** Of the rest of the metadata. */
  readonly more?: string;
  /** The part of each key of the metadata, in their order, unless that is the usual one. */
  readonly order?: string;
};

/** Why contents are not there any more. */
const goneReasons = ['expired', 'redacted', 'deleted'] as const;
export type Gone = (typeof goneReasons)[number];

/** Keyed by the team, so that nobody can guess a short secret from its hash. */
export type HashContent = (text: string) => string;

/** Where a title is gone: a group is shown by something. */
export const NO_TITLE = '(no longer kept)';

/** The titles of groups of failures that are there, by what stands for them in the facts of events. */
export type Titles = (stored: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export type Split<T extends Texts> = {
  /** The verdict. The same object where there are no contents. */
  kept: T;
  /** Null without contents. */
  refs: ContentRefs | null;
  contents: readonly Content[];
};

/** Takes the contents out of what a result says. */
export function splitContents<T extends Texts>(texts: T, hash: HashContent): Split<T> {
  const { error_message, metadata } = texts;
  const parts = metadata == null ? null : partsOf(metadata);
  if (error_message == null && parts === null) return { kept: texts, refs: null, contents: [] };
  const kept = { ...texts };
  const refs: { -readonly [Field in keyof ContentRefs]: ContentRefs[Field] } = {};
  const contents: Content[] = [];
  const store = (value: unknown): string => {
    const text = JSON.stringify(value);
    const content = { hash: hash(text), text };
    contents.push(content);
    return content.hash;
  };
  const hasError = parts?.order.includes(ERROR) === true;
  if (error_message != null || hasError) {
    const text = store({
      ...(error_message != null && { error_message }),
      ...(hasError && { error: metadata!['error'] }),
    });
    if (error_message != null) refs.error_message = text;
    if (hasError) refs.error = text;
  }
  if (error_message != null) kept.error_message = null;
  if (parts !== null) {
    kept.metadata = parts.verdict;
    if (parts.more !== null) refs.more = store(parts.more);
    if (!USUAL_ORDER.test(parts.order)) refs.order = parts.order;
  }
  return { kept, refs, contents };
}

/** The verdict alone, as it is shown where all contents are gone. */
export function withoutContents<T extends Texts>(texts: T): T {
  const { kept, refs } = splitContents(texts, () => '');
  return refs === null ? texts : joinContents(kept, refs, () => undefined);
}

/** Whether a result says anything beside its verdict. */
export function hasContents({ error_message, metadata }: Texts): boolean {
  if (error_message != null) return true;
  return metadata != null && Object.keys(metadata).some((name) => partOf(metadata, name) !== VERDICT);
}

/** What a content says; undefined for one that is gone. */
export type ContentOf = (hash: string) => unknown;

/** The opposite of `splitContents`, to the byte, except for what is gone. */
export function joinContents<T extends Texts>(kept: T, refs: ContentRefs, valueOf: ContentOf): T {
  const joined = { ...kept };
  const valueIn = (hash: string | undefined, field: 'error_message' | 'error') =>
    hash === undefined ? undefined : (valueOf(hash) as Record<string, unknown> | undefined)?.[field];
  if (refs.error_message !== undefined)
    joined.error_message = (valueIn(refs.error_message, 'error_message') as string | undefined) ?? null;
  if (refs.error === undefined && refs.more === undefined) return joined;
  const error = valueIn(refs.error, 'error');
  const more = refs.more === undefined ? undefined : (valueOf(refs.more) as Metadata | undefined);
  const verdict = kept.metadata ?? {};
  // Where all is gone, nothing was said either.
  if (error === undefined && more === undefined && Object.keys(verdict).length === 0) joined.metadata = null;
  else if (refs.order !== undefined) joined.metadata = inOrder(refs.order, { verdict, error, more });
  else joined.metadata = inUsualOrder({ verdict, error, more });
  return joined;
}

type Joining = { verdict: Metadata; error: unknown; more: Metadata | undefined };

/** Field by field: objects of V8 that get new fields after they were copied take ten times as long. */
function inUsualOrder({ verdict, error, more = {} }: Joining): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  for (const name of Object.keys(verdict)) set(metadata, name, verdict[name]);
  if (error !== undefined) metadata['error'] = error;
  for (const name of Object.keys(more)) set(metadata, name, more[name]);
  return metadata;
}

function inOrder(order: string, { verdict, error, more }: Joining): Record<string, unknown> {
  const parts: Record<string, [string, unknown][]> = {
    [VERDICT]: Object.entries(verdict),
    [ERROR]: error === undefined ? [] : [['error', error]],
    [MORE]: Object.entries(more ?? {}),
  };
  // Not by assignment: a name may be `__proto__`.
  return Object.fromEntries(Array.from(order).flatMap((part) => parts[part]?.splice(0, 1) ?? []));
}

/** The hashes of a result after an event, which replaces those of the fields that it sets. */
export function refsAfter(
  before: ContentRefs | undefined,
  set: Texts,
  refs: ContentRefs | undefined,
): ContentRefs | undefined {
  const ofMessage = set.error_message === undefined ? before : refs;
  const ofMetadata = set.metadata === undefined ? before : refs;
  const after: ContentRefs = {
    ...(ofMessage?.error_message !== undefined && { error_message: ofMessage.error_message }),
    ...(ofMetadata?.error !== undefined && { error: ofMetadata.error }),
    ...(ofMetadata?.more !== undefined && { more: ofMetadata.more }),
    ...(ofMetadata?.order !== undefined && { order: ofMetadata.order }),
  };
  return Object.keys(after).length === 0 ? undefined : after;
}

/** The hashes that an event names. */
export function refsIn({ facts }: { facts?: EventMeta['facts'] | undefined }): ContentRefs | undefined {
  return facts?.['contents'] as ContentRefs | undefined;
}

/**
 * What a result names. `held`: hashes of contents that are not shown as its own, but that its earlier events or the group of its
 * failure name. Absent if there are none.
 */
export type Named = { contents?: ContentRefs; held?: readonly string[] };

/** What a result names from the event that begins it. */
export function beginningRefs(meta: { facts?: EventMeta['facts'] | undefined }): Named {
  const contents = refsIn(meta);
  const title = titleIn(meta);
  if (contents === undefined && title === undefined) return {};
  return { ...(contents && { contents }), ...(title !== undefined && { held: [title] }) };
}

/** What a result holds beside its contents after an event that has replaced those of some fields. */
export function heldAfter(
  before: Named,
  contents: ContentRefs | undefined,
  meta: { facts?: EventMeta['facts'] | undefined },
): readonly string[] | undefined {
  const title = titleIn(meta);
  if (title === undefined && before.contents === contents) return before.held;
  const shown = new Set(contents && hashesOf(contents));
  const replaced = (before.contents ? hashesOf(before.contents) : []).filter((hash) => !shown.has(hash));
  const held = [...new Set([...(before.held ?? []), ...replaced, ...(title === undefined ? [] : [title])])];
  return held.length === 0 ? undefined : held;
}

/** Each content that these name. */
export function hashesOf({ error_message, error, more }: ContentRefs): string[] {
  return [error_message, error, more].filter((hash) => hash !== undefined);
}

/** Each content that a result holds. */
export function namedBy({ contents, held = [] }: Named): readonly string[] {
  return contents === undefined ? held : [...hashesOf(contents), ...held];
}

/** A title that was never split is a text, and no content. */
function titleIn({ facts }: { facts?: EventMeta['facts'] | undefined }): string | undefined {
  const title = (facts?.['group'] as { title?: string } | undefined)?.title;
  return title !== undefined && HASH.test(title) ? title : undefined;
}

const HASH = /^[\w-]{22}$/;

const [VERDICT, ERROR, MORE] = ['v', 'e', 'm'] as const;
const USUAL_ORDER = /^v*e?m*$/;

type Parts = { verdict: Record<string, unknown>; more: Record<string, unknown> | null; order: string };

/** Null where all of it is verdict. */
function partsOf(metadata: Metadata): Parts | null {
  const verdict: Record<string, unknown> = {};
  let more: Record<string, unknown> | null = null;
  let order = '';
  for (const name of Object.keys(metadata)) {
    const part = partOf(metadata, name);
    order += part;
    if (part === VERDICT) verdict[name] = metadata[name];
    if (part === MORE) set((more ??= {}), name, metadata[name]);
  }
  return more === null && !order.includes(ERROR) ? null : { verdict, more, order };
}

/** As by JSON: assigned, `__proto__` would be no field. */
function set(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
}

function partOf(metadata: Metadata, name: string): typeof VERDICT | typeof ERROR | typeof MORE {
  if (name === 'error') return ERROR;
  return isVerdict(metadata, name) ? VERDICT : MORE;
}

/** The keys of the verdict, where their values are understood. */
function isVerdict(metadata: Metadata, name: string): boolean {
  switch (name) {
    case 'file':
    case 'suite':
    case 'owner':
    case 'branch':
    case 'commit':
      return textIn(metadata, name) !== null;
    case 'line':
      return lineIn(metadata) !== null;
    case 'environment':
      return environmentIn(metadata) !== null;
    case 'tags':
      return tagsIn(metadata) !== null;
    default:
      return false;
  }
}
