/**
 * Events of a team and a type are alike, as JSON too. So most are stored as the parts of their JSON that differ from
 * those of a base, an earlier event of the log. The text that comes back is the same to the byte.
 *
 * In the column `data`: the mark, the position of the base, and the parts that differ, each with its place. In the column
 * `meta`: only the parts. Any other text in `data` is whole, and `meta` with it.
 *
 * A part is stored without the characters with which the base's part begins, and in `data` the id of the event's stream
 * is one character: the result ids of a submission have the id of its run in them.
 */
import { parseStreamName, type StreamName } from '../../../domain/event.js';

/** At the beginning of `data`, and before each part. No JSON has these characters unescaped. */
export const MARK = '\x1f';
/** In place of the id of the event's stream. */
const STREAM_ID = '\x1e';
/** Where a text is cut: before each field, nearly always. */
const CUT = ',"';
/** Of a larger event, little would be left out. */
const MOST_CHARACTERS = 4_096;
/**
 * A delta is at most this much smaller than its event, and the ids that are left out. Every reading thread keeps some bases
 * in memory.
 */
const MOST_BASE_CHARACTERS = 2_048;
// The next three are part of the format: with other numbers, the deltas of a file would become other texts.
/** In one event: it is larger than its row by each of them, and the bounds of pages do not count them. */
const MOST_STREAM_IDS = 4;
/** A shorter text could be anywhere in an event, and a longer one would make events much larger than their rows. */
const [SHORTEST_STREAM_ID, LONGEST_STREAM_ID] = [16, 64];
/**
 * Of all bases that one thread keeps in memory. Events that follow each other have few. The thread that writes keeps the
 * parts of another event beside each.
 */
export const BASE_CHARACTERS_KEPT = 1_000_000;

/** Meta and data of an event, as JSON or as they are stored. */
export type Texts = { meta: string; data: string };

/** The parts of an event's JSON, to compare others with. */
export type Parts = { meta: readonly string[]; data: readonly string[] };

export type Base = Parts & { position: number };

/** Null for an event that can be neither a base nor have one. `streamId`: `streamIdIn` of its stream. */
export function partsOf({ meta, data }: Texts, streamId: string): Parts | null {
  if (meta.length + data.length > MOST_CHARACTERS) return null;
  if (hasMarks(data) || hasMarks(meta)) return null;
  return { meta: meta.split(CUT), data: withoutStreamId(data, streamId).split(CUT) };
}

/**
 * Checked, because a caller may hand over JSON that it did not make by `JSON.stringify`. Searches for a character take a
 * sixth of the time of a regular expression.
 */
function hasMarks(text: string): boolean {
  return text.includes(MARK) || text.includes(STREAM_ID);
}

/** Whether an event may be a base. */
export function mayBeBase({ meta, data }: Texts): boolean {
  return meta.length + data.length <= MOST_BASE_CHARACTERS;
}

/**
 * The part of a stream's id that other ids have too: `01m8…` of `items-team_….run_01m8…`. Empty for an id that is too
 * short or too long. Part of the format too.
 */
export function streamIdIn(stream: StreamName): string {
  const { id } = parseStreamName(stream);
  const own = id.slice(id.lastIndexOf('_') + 1);
  return own.length < SHORTEST_STREAM_ID || own.length > LONGEST_STREAM_ID ? '' : own;
}

/** Part of the format: readers do the same with a base. */
function withoutStreamId(data: string, streamId: string): string {
  if (streamId === '') return data;
  let text = '';
  let from = 0;
  for (let n = 0; n < MOST_STREAM_IDS; n += 1) {
    const at = data.indexOf(streamId, from);
    if (at === -1) break;
    text += data.slice(from, at) + STREAM_ID;
    from = at + streamId.length;
  }
  return from === 0 ? data : text + data.slice(from);
}

export type Delta = {
  meta: string;
  data: string;
  /** Characters that the event before it had too. A base with those parts would save them. */
  repeated: number;
};

/** What is stored instead of an event. Null where it is not much shorter, or where the parts do not correspond. */
export function deltaOf(parts: Parts, base: Base, previous: Parts): Delta | null {
  if (parts.data.length !== base.data.length || parts.meta.length !== base.meta.length) return null;
  const meta = changes(parts.meta, base.meta, previous.meta);
  const data = changes(parts.data, base.data, previous.data);
  return {
    meta: meta.text,
    data: `${MARK}${base.position}${data.text}`,
    repeated: meta.repeated + data.repeated,
  };
}

function changes(parts: readonly string[], base: readonly string[], previous: readonly string[]) {
  let text = '';
  let repeated = 0;
  for (let n = 0; n < parts.length; n += 1) {
    const part = parts[n]!;
    if (part === base[n]) continue;
    const same = sameBeginning(part, base[n]!);
    const own = same === 0 ? part : part.slice(same);
    text += same === 0 ? `${MARK}${n}:${own}` : `${MARK}${n}+${same}:${own}`;
    if (part === previous[n]) repeated += own.length;
  }
  return { text, repeated };
}

/** The number of characters. No half of a surrogate pair is left: SQLite would not give it back. */
function sameBeginning(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let n = 0;
  while (n < most && one.charCodeAt(n) === other.charCodeAt(n)) n += 1;
  return n > 0 && isHighSurrogate(one.charCodeAt(n - 1)) ? n - 1 : n;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** The position of the base that the stored data name; null for data that are whole. */
export function basePosition(data: string): number | null {
  if (!data.startsWith(MARK)) return null;
  const end = data.indexOf(MARK, 1);
  return Number(end === -1 ? data.slice(1) : data.slice(1, end));
}

/** A text of a base, as it is needed to restore others. `starts`: where each part begins, and where one more would. */
export type CutText = { text: string; starts: readonly number[] };

/** An event that is whole, but for the id of its stream in `data`. */
export type BaseTexts = { meta: CutText; data: CutText };

/** `streamId`: `streamIdIn` of its stream. */
export function baseTexts({ meta, data }: Texts, streamId: string): BaseTexts {
  return { meta: cutText(meta), data: cutText(withoutStreamId(data, streamId)) };
}

function cutText(text: string): CutText {
  const starts = [0];
  for (const part of text.split(CUT)) starts.push(starts.at(-1)! + part.length + CUT.length);
  return { text, starts };
}

/** The JSON of an event that is stored as a delta. `streamId`: `streamIdIn` of its stream. */
export function restored({ meta, data }: Texts, base: BaseTexts, streamId: string): Texts {
  const from = data.indexOf(MARK, 1);
  const changed = from === -1 ? '' : data.slice(from);
  return {
    meta: withChanges(meta, base.meta),
    // By a function: in a text, `$` would begin a pattern.
    data: withChanges(changed, base.data).replaceAll(STREAM_ID, () => streamId),
  };
}

/** Joining all parts again would take four times as long as copying what is between the changes. */
function withChanges(changed: string, { text, starts }: CutText): string {
  let whole = '';
  let copied = 0;
  for (let at = 0; at < changed.length;) {
    const colon = changed.indexOf(':', at);
    const next = changed.indexOf(MARK, colon);
    const end = next === -1 ? changed.length : next;
    const [part, same] = placeIn(changed.slice(at + MARK.length, colon));
    whole += text.slice(copied, starts[part]! + same) + changed.slice(colon + 1, end);
    copied = starts[part + 1]! - CUT.length;
    at = end;
  }
  return whole + text.slice(copied);
}

/** The number of a part, and of the characters with which it begins as the base's part does: `4` or `4+12`. */
function placeIn(text: string): [part: number, same: number] {
  const plus = text.indexOf('+');
  return plus === -1 ? [Number(text), 0] : [Number(text.slice(0, plus)), Number(text.slice(plus + 1))];
}
