/**
 * The final results of a run as a comparison needs them, packed in chunks of text: some 22 bytes for an item of a bulk
 * submission. As documents of their own, the 100,000 results of two runs could not be compared while a client waits.
 *
 * A chunk holds lines, each of which is one result:
 *
 *     13  the key of its test (`test-keys.ts`)
 *      1  the status and the flags, as one character
 *      1  the number of its group among the groups of the chunk: neighbours are of one file, suite and environment
 *      *  the ordinal of its test in the project, and its duration, as statistics count them (`short-number.ts`)
 *      *  the result: for an item, the number of its submission among the origins, `.` and its ordinal, both in base 36;
 *         else the 26 characters of its id
 */
import { bulkOriginOf, itemId } from '../ids.js';
import { statusWords, type StatusWord } from '../results/result.js';
import type { FinalStatus } from '../test-history/test-entry.js';
import { characterOf, numberAt } from './one-character.js';
import { shortNumber, shortNumberAt, shortNumberEnd } from './short-number.js';
import { KEY_LENGTH, lineKey } from './test-keys.js';

export type FinalWord = Exclude<StatusWord, 'pending' | 'running'>;

export type RunResult = {
  /** The key of its test, and the group that the test is in (`test-keys.ts`). */
  test: string;
  group: string;
  /** `Open`: it was final, and is no more. `Unfinished`: it was not final yet. */
  status: FinalStatus | 'Open' | 'Unfinished';
  /** A later attempt supersedes it: it does not count. */
  superseded: boolean;
  /** It failed while a known failure of its test was in force. */
  known: boolean;
  /** The same, but the known failure is for another branch or environment. */
  known_elsewhere: boolean;
  /** Its test was flaky when the status was set. */
  flaky: boolean;
  /** It passed, but took much longer than its test takes on the default branch. */
  slower: boolean;
  /** That of its test; 0 for a result that was never final. */
  ordinal: number;
  duration_ms: number | null;
  result_id: string;
};

/** `groups`: those of its lines, in one text. The first one is empty. */
export type Chunk = { origins: readonly string[]; groups: string; lines: string };

/** A result as it stands in its chunk. To unpack 100,000 of them would take too long while a client waits. */
export type PackedResult = { origins: readonly string[]; groups: readonly string[]; line: string };

/** The number of results in a chunk. A single new result writes its whole chunk again, so chunks are small. */
export const RESULTS_PER_CHUNK = 256;

export const emptyChunk: Chunk = { origins: [], groups: '', lines: '' };

const STATE = KEY_LENGTH;
const GROUP = KEY_LENGTH + 1;
const HEAD_LENGTH = KEY_LENGTH + 2;
const SEPARATOR = ' ';
/** Their places are stored. */
const statuses = ['Passed', 'Failed', 'Skipped', 'KnownFail', 'Unfinished', 'Open'] as const;
const [PASSED, FAILED, SKIPPED, UNFINISHED, OPEN] = [0, 1, 2, 4, 5] as const;
const neverRan: readonly number[] = [SKIPPED, UNFINISHED, OPEN];
const [SUPERSEDED, FLAKY, KNOWN, SLOWER, KNOWN_ELSEWHERE] = [1, 2, 4, 8, 16] as const;

/** The chunk with more results. */
export function withResults({ origins, groups, lines }: Chunk, results: readonly RunResult[]): Chunk {
  for (const result of results) {
    const item = bulkOriginOf(result.result_id);
    if (item !== null && !origins.includes(item.submission_id)) origins = [...origins, item.submission_id];
    const own = withGroup(groups, result.group);
    ({ groups } = own);
    const line = headOf(result, own.group) + placeOfItem(origins, result.result_id, item);
    // Not joined: that would copy all lines with each result that is added.
    lines = lines === '' ? line : lines + SEPARATOR + line;
  }
  return { origins, groups, lines };
}

/** The chunk with the change of one of its results, or without it if `change` returns null. */
export function withChange(
  chunk: Chunk,
  resultId: string,
  change: (result: RunResult) => RunResult | null,
): Chunk {
  const place = placeIn(chunk.origins, resultId);
  const lines = linesIn(chunk);
  const at = lines.findIndex(({ line }) => line.endsWith(place) && placeOf(line) === place);
  if (at === -1) return chunk;
  const after = change(resultAt(lines[at]!));
  const group = after === null ? 0 : groupsIn(chunk).indexOf(after.group);
  // All lines are packed again with a new group, so that those that no line has do not add up.
  if (group === -1) return withResults(emptyChunk, resultsIn(chunk).with(at, after!));
  const texts = lines.map(({ line }) => line);
  texts.splice(at, 1, ...(after === null ? [] : [headOf(after, group) + place]));
  return { ...chunk, lines: texts.join(SEPARATOR) };
}

/** All lines of a chunk, in the order in which they came. */
export function resultsIn(chunk: Chunk): RunResult[] {
  return linesIn(chunk).map(resultAt);
}

/** The results of a chunk that were ever final, packed. */
export function packedResultsIn(chunk: Chunk): PackedResult[] {
  return linesIn(chunk).filter(({ line }) => statusAt(line) !== UNFINISHED);
}

/** The ids of the results that failed and count, without an object for each of the others: nearly all have passed. */
export function failingIn({ origins, lines }: Chunk): string[] {
  const ids: string[] = [];
  for (let at = 0, end = 0; lines !== '' && end !== -1; at = end + 1) {
    const state = numberAt(lines, at + STATE);
    end = lines.indexOf(SEPARATOR, at);
    const isSuperseded = (Math.floor(state / statuses.length) & SUPERSEDED) !== 0;
    if (state % statuses.length !== FAILED || isSuperseded) continue;
    ids.push(resultIdAt(origins, placeOf(lines.slice(at, end === -1 ? undefined : end))));
  }
  return ids;
}

/** The tests of chunks that ran, each in its environment: some result that counts was not skipped. */
export function ranIn(chunks: Iterable<Chunk>): ReadonlySet<string> {
  const ran = new Set<string>();
  for (const chunk of chunks) {
    const { lines } = chunk;
    const groups = groupsIn(chunk);
    for (let at = 0, end = 0; lines !== '' && end !== -1; at = end + 1) {
      const state = numberAt(lines, at + STATE);
      end = lines.indexOf(SEPARATOR, at);
      const isSuperseded = (Math.floor(state / statuses.length) & SUPERSEDED) !== 0;
      if (isSuperseded || neverRan.includes(state % statuses.length)) continue;
      ran.add(lineKey(lines.slice(at, at + KEY_LENGTH), groups[numberAt(lines, at + GROUP)]!));
    }
  }
  return ran;
}

/** That of its test. */
export function keyIn({ line }: PackedResult): string {
  return line.slice(0, KEY_LENGTH);
}

export function groupIn({ groups, line }: PackedResult): string {
  return groups[numberAt(line, GROUP)]!;
}

/** That of its test in its environment. */
export function lineKeyIn(result: PackedResult): string {
  return lineKey(keyIn(result), groupIn(result));
}

export function hasFailed({ line }: PackedResult): boolean {
  return statusAt(line) === FAILED;
}

export function hasPassed({ line }: PackedResult): boolean {
  return statusAt(line) === PASSED;
}

/** The status as the API shows it; null where it is not final any more. */
export function statusIn({ line }: PackedResult): FinalWord | null {
  const status = statuses[statusAt(line)]!;
  return status === 'Open' || status === 'Unfinished' ? null : statusWords[status];
}

/** Whether the result has no final status any more: then only its test counts. */
export function isOpen({ line }: PackedResult): boolean {
  return statusAt(line) === OPEN;
}

export function isSkipped({ line }: PackedResult): boolean {
  return statusAt(line) === SKIPPED;
}

export function isSuperseded({ line }: PackedResult): boolean {
  return (flagsAt(line) & SUPERSEDED) !== 0;
}

export function isKnown({ line }: PackedResult): boolean {
  return (flagsAt(line) & KNOWN) !== 0;
}

export function isKnownElsewhere({ line }: PackedResult): boolean {
  return (flagsAt(line) & KNOWN_ELSEWHERE) !== 0;
}

export function isFlaky({ line }: PackedResult): boolean {
  return (flagsAt(line) & FLAKY) !== 0;
}

export function isSlower({ line }: PackedResult): boolean {
  return (flagsAt(line) & SLOWER) !== 0;
}

export function durationIn({ line }: PackedResult): number | null {
  const duration = shortNumberAt(line, shortNumberEnd(line, HEAD_LENGTH));
  return duration === 0 ? null : duration - 1;
}

export function resultIdIn({ origins, line }: PackedResult): string {
  return resultIdAt(origins, placeOf(line));
}

/** The submission and the ordinal of an item, without the text of its id; null for a result that was recorded by itself. */
export function itemOriginIn({
  origins,
  line,
}: PackedResult): { submission_id: string; ordinal: number } | null {
  const place = placeOf(line);
  const dot = place.indexOf('.');
  if (dot === -1) return null;
  return {
    submission_id: origins[parseInt(place.slice(0, dot), 36)]!,
    ordinal: parseInt(place.slice(dot + 1), 36),
  };
}

/** The facts of one result that statistics count. */
type Visit = (fact: Pick<RunResult, 'group' | 'status' | 'superseded' | 'ordinal' | 'duration_ms'>) => void;

/** Visits all results of a chunk, with the same object: there may be a million. */
export function visitResults(chunk: Chunk, visit: Visit): void {
  const { lines } = chunk;
  if (lines === '') return;
  const groups = groupsIn(chunk);
  const fact: Parameters<Visit>[0] = {
    group: '',
    status: 'Passed',
    superseded: false,
    ordinal: 0,
    duration_ms: null,
  };
  for (let at = 0, end = 0; end !== -1; at = end + 1) {
    const state = numberAt(lines, at + STATE);
    const duration = shortNumberAt(lines, shortNumberEnd(lines, at + HEAD_LENGTH));
    fact.group = groups[numberAt(lines, at + GROUP)]!;
    fact.status = statuses[state % statuses.length]!;
    fact.superseded = (Math.floor(state / statuses.length) & SUPERSEDED) !== 0;
    fact.ordinal = shortNumberAt(lines, at + HEAD_LENGTH);
    fact.duration_ms = duration === 0 ? null : duration - 1;
    visit(fact);
    end = lines.indexOf(SEPARATOR, at);
  }
}

/** The places of some results as one text, to be kept for a list. */
export function packList(results: readonly PackedResult[]): PackedList {
  const origins: string[] = [];
  const numbers = new Map<string, number>();
  const places = results.map(({ origins: own, line }) => {
    const place = placeOf(line);
    const dot = place.indexOf('.');
    if (dot === -1) return place;
    const origin = own[parseInt(place.slice(0, dot), 36)]!;
    let number = numbers.get(origin);
    if (number === undefined) {
      number = origins.push(origin) - 1;
      numbers.set(origin, number);
    }
    return `${number.toString(36)}${place.slice(dot)}`;
  });
  return { origins, places: places.join(SEPARATOR) };
}

export type PackedList = { origins: readonly string[]; places: string };

/** The ids of the results in a list. */
export function idsInList({ origins, places }: PackedList): string[] {
  return places === '' ? [] : places.split(SEPARATOR).map((place) => resultIdAt(origins, place));
}

function statusAt(line: string): number {
  return numberAt(line, STATE) % statuses.length;
}

function flagsAt(line: string): number {
  return Math.floor(numberAt(line, STATE) / statuses.length);
}

function linesIn(chunk: Chunk): PackedResult[] {
  const { origins, lines } = chunk;
  if (lines === '') return [];
  const groups = groupsIn(chunk);
  return lines.split(SEPARATOR).map((line) => ({ origins, groups, line }));
}

function groupsIn({ groups }: Pick<Chunk, 'groups'>): string[] {
  return groups.split(SEPARATOR);
}

/** The number of a group, and the groups with it. */
function withGroup(groups: string, group: string): { groups: string; group: number } {
  if (group === '') return { groups, group: 0 };
  const all = groupsIn({ groups });
  const known = all.lastIndexOf(group);
  return known === -1 ? { groups: groups + SEPARATOR + group, group: all.length } : { groups, group: known };
}

function headOf(
  { test, status, superseded, known, known_elsewhere, flaky, slower, ordinal, duration_ms }: RunResult,
  group: number,
): string {
  const flags =
    (superseded ? SUPERSEDED : 0) +
    (known ? KNOWN : 0) +
    (known_elsewhere ? KNOWN_ELSEWHERE : 0) +
    (flaky ? FLAKY : 0) +
    (slower ? SLOWER : 0);
  const state = characterOf(statuses.indexOf(status) + statuses.length * flags);
  const duration = shortNumber(duration_ms === null ? 0 : duration_ms + 1);
  return test + state + characterOf(group) + shortNumber(ordinal) + duration;
}

function durationAt(line: string): number | null {
  const duration = shortNumberAt(line, shortNumberEnd(line, HEAD_LENGTH));
  return duration === 0 ? null : duration - 1;
}

/** The place of the result itself. */
function placeOf(line: string): string {
  return line.slice(shortNumberEnd(line, shortNumberEnd(line, HEAD_LENGTH)));
}

function placeIn(origins: readonly string[], resultId: string): string {
  return placeOfItem(origins, resultId, bulkOriginOf(resultId));
}

function placeOfItem(
  origins: readonly string[],
  resultId: string,
  item: ReturnType<typeof bulkOriginOf>,
): string {
  if (item === null) return resultId.slice('result_'.length);
  return `${origins.indexOf(item.submission_id).toString(36)}.${item.ordinal.toString(36)}`;
}

function resultAt(result: PackedResult): RunResult {
  const { line } = result;
  return {
    test: keyIn(result),
    group: groupIn(result),
    status: statuses[statusAt(line)]!,
    superseded: isSuperseded(result),
    known: isKnown(result),
    known_elsewhere: isKnownElsewhere(result),
    flaky: isFlaky(result),
    slower: isSlower(result),
    ordinal: shortNumberAt(line, HEAD_LENGTH),
    duration_ms: durationAt(line),
    result_id: resultIdIn(result),
  };
}

function resultIdAt(origins: readonly string[], place: string): string {
  const dot = place.indexOf('.');
  if (dot === -1) return `result_${place}`;
  return itemId(origins[parseInt(place.slice(0, dot), 36)]!, parseInt(place.slice(dot + 1), 36));
}
