/**
 * Events of a team and a type are alike, as JSON too. So most are stored as the parts of their JSON that differ from
 * those of a base, an earlier event of the log. The text that comes back is the same to the byte.
 *
 * In the column `data`: the mark, the position of the base, and the parts that differ, each with its place. In the column
 * `meta`: only the parts. Any other text in `data` is whole, and `meta` with it.
 */

/** No JSON has this character: in a text it is escaped, and between values it is not allowed. */
export const MARK = '\x1f';
/** Where a text is cut: before each field, nearly always. */
const CUT = ',"';
/** Of a larger event, little would be left out. */
const MOST_CHARACTERS = 4_096;
/** A delta is at most this much smaller than its event. Every reading thread keeps some bases in memory. */
const MOST_BASE_CHARACTERS = 2_048;
/**
 * Of all bases that one thread keeps in memory. Events that follow each other have few. The thread that writes keeps the
 * parts of another event beside each.
 */
export const BASE_CHARACTERS_KEPT = 1_000_000;

/** The parts of an event's JSON, to compare others with. */
export type Parts = { meta: readonly string[]; data: readonly string[] };

export type Base = Parts & { position: number };

/** Null for an event that can be neither a base nor have one. */
export function partsOf(meta: string, data: string): Parts | null {
  if (meta.length + data.length > MOST_CHARACTERS) return null;
  if (data.includes(MARK) || meta.includes(MARK)) return null;
  return { meta: meta.split(CUT), data: data.split(CUT) };
}

/** Whether an event may be a base. */
export function mayBeBase(meta: string, data: string): boolean {
  return meta.length + data.length <= MOST_BASE_CHARACTERS;
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
    text += `${MARK}${n}:${part}`;
    if (part === previous[n]) repeated += part.length;
  }
  return { text, repeated };
}

/** The position of the base that the stored data name; null for data that are whole. */
export function basePosition(data: string): number | null {
  if (!data.startsWith(MARK)) return null;
  const end = data.indexOf(MARK, 1);
  return Number(end === -1 ? data.slice(1) : data.slice(1, end));
}

/** A text of a base, as it is needed to restore others. `starts`: where each part begins, and where one more would. */
export type CutText = { text: string; starts: readonly number[] };

export function cutText(text: string): CutText {
  const starts = [0];
  for (const part of text.split(CUT)) starts.push(starts.at(-1)! + part.length + CUT.length);
  return { text, starts };
}

/** The JSON of an event that is stored as a delta. */
export function restored(
  meta: string,
  data: string,
  base: { meta: CutText; data: CutText },
): { meta: string; data: string } {
  const from = data.indexOf(MARK, 1);
  return {
    meta: withChanges(meta, base.meta),
    data: withChanges(from === -1 ? '' : data.slice(from), base.data),
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
    const part = Number(changed.slice(at + MARK.length, colon));
    whole += text.slice(copied, starts[part]) + changed.slice(colon + 1, end);
    copied = starts[part + 1]! - CUT.length;
    at = end;
  }
  return whole + text.slice(copied);
}
