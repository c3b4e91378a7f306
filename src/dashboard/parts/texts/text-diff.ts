/** What differs between two texts, within a bound of time and of size whatever they are. */
import { diffLines, diffWordsWithSpace, type ChangeObject } from 'diff';

export type DiffPart = { kind: 'same' | 'expected' | 'actual'; text: string };

export type TextDiff =
  | { by: 'words'; parts: DiffPart[]; skipped: number }
  | { by: 'lines'; parts: DiffPart[]; skipped: number }
  /** They have too little in common to be worth a comparison, or it would take too long. */
  | { by: 'nothing'; expected: string; actual: string; skipped: number };

/** `skipped`: characters at the beginning that are equal and left out. */
export function textDiff(expected: string, actual: string): TextDiff {
  const [one, other] = comparable(expected, actual);
  const isLine = !one.includes('\n') && !other.includes('\n');
  const most = isLine ? MOST_OF_LINE : MOST_OF_LINES;
  const skipped = Math.max(one.length, other.length) <= most ? 0 : equalBeginning(one, other);
  const [left, right] = [one, other].map((text) => text.slice(skipped, skipped + most)) as [string, string];
  const changes = isLine
    ? diffWordsWithSpace(left, right, { maxEditLength: MOST_EDITS, timeout: MOST_MS })
    : diffLines(left, right, { maxEditLength: MOST_EDITS, timeout: MOST_MS });
  if (changes === undefined) return { by: 'nothing', expected: left, actual: right, skipped };
  return { by: isLine ? 'words' : 'lines', parts: changes.map(partOf), skipped };
}

/** The time grows with their square. A page shows 200 lines. */
const MOST_EDITS = 400;
/** Nothing else of the server goes on meanwhile. */
const MOST_MS = 20;
const MOST_OF_LINE = 4_000;
const MOST_OF_LINES = 64_000;
/** Of the equal beginning, this much is shown. */
const CONTEXT = 200;

/** Objects are compared as JSON with sorted names, so that their order does not count. */
function comparable(expected: string, actual: string): [string, string] {
  if (expected.length + actual.length > 2 * MOST_OF_LINES) return [expected, actual];
  const [one, other] = [sortedJson(expected), sortedJson(actual)];
  return one === null || other === null || one === other ? [expected, actual] : [one, other];
}

/** Each level indents all lines in it: 60 kB of numbers in two thousand lists would become 120 MB. */
const MOST_LEVELS = 32;

function sortedJson(text: string): string | null {
  if (!/^\s*[{[]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text, sorted);
    return levelsOf(text) > MOST_LEVELS ? null : JSON.stringify(value, null, 2);
  } catch {
    return null;
  }
}

/** How deep valid JSON is nested. Where a text in it did not end, each of its quotes would be taken for a begin. */
function levelsOf(json: string): number {
  let [depth, most] = [0, 0];
  for (const [sign] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (sign === '[' || sign === '{') most = Math.max(most, (depth += 1));
    else if (sign === ']' || sign === '}') depth -= 1;
  }
  return most;
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function equalBeginning(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return Math.max(0, at - CONTEXT);
}

function partOf({ added, removed, value }: ChangeObject<string>): DiffPart {
  return { kind: added ? 'actual' : removed ? 'expected' : 'same', text: value };
}
