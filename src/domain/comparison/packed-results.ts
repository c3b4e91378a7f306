/**
 * The final results of a run as a comparison needs them, packed in chunks of text: some 22 bytes for an item of a bulk
 * submission. As documents of their own, the 100,000 results of two runs could not be compared while a client waits.
 *
 * A chunk holds lines, each of which is one result:
 *
 *     13  the end of the test's id: 65 bits, so two of a million tests are the same with a chance of 1 in 10^7
 *      1  the status: f, p, s, k (known to fail), o (open: it was final, and is no more) or - (it was not final yet)
 *      1  the flags, as one digit in base 16
 *      *  the result: for an item, the number of its submission among the origins, `.` and its ordinal, both in base 36;
 *         else the 26 characters of its id
 */
import { bulkOriginOf, itemId } from '../ids.js';
import { statusWords, type StatusWord } from '../result.js';
import type { FinalStatus } from '../test-history/test-entry.js';

export type FinalWord = Exclude<StatusWord, 'pending' | 'running'>;

export type RunResult = {
  /** The end of the test's id (`testKey`). */
  test: string;
  status: FinalStatus | 'Open' | 'Unfinished';
  /** A later attempt supersedes it: it does not count. */
  superseded: boolean;
  /** It failed while a known failure of its test was in force. */
  known: boolean;
  /** Its test was flaky when the status was set. */
  flaky: boolean;
  /** It passed, but took much longer than its test takes on the default branch. */
  slower: boolean;
  result_id: string;
};

export type Chunk = { origins: readonly string[]; lines: string };

/** A result as it stands in its chunk. To unpack 100,000 of them would take too long while a client waits. */
export type PackedResult = { chunk: Chunk; line: string };

/** The number of results in a chunk. A single new result writes its whole chunk again, so chunks are small. */
export const RESULTS_PER_CHUNK = 256;

export const emptyChunk: Chunk = { origins: [], lines: '' };

const KEY_LENGTH = 13;
const HEAD_LENGTH = KEY_LENGTH + 2;
const SEPARATOR = ' ';
const letters = {
  Failed: 'f',
  Passed: 'p',
  Skipped: 's',
  KnownFail: 'k',
  Open: 'o',
  Unfinished: '-',
} as const satisfies Record<RunResult['status'], string>;
const statuses: Record<string, RunResult['status']> = {
  f: 'Failed',
  p: 'Passed',
  s: 'Skipped',
  k: 'KnownFail',
  o: 'Open',
  '-': 'Unfinished',
};
const [SUPERSEDED, KNOWN, FLAKY, SLOWER] = [1, 2, 4, 8];

export function testKey(testId: string): string {
  return testId.slice(-KEY_LENGTH);
}

/** The chunk with one more result. */
export function withResult(chunk: Chunk, result: RunResult): Chunk {
  const item = bulkOriginOf(result.result_id);
  const known = item === null || chunk.origins.includes(item.submission_id);
  const origins = known ? chunk.origins : [...chunk.origins, item.submission_id];
  const line = headOf(result) + placeIn(origins, result.result_id);
  return { origins, lines: chunk.lines === '' ? line : chunk.lines + SEPARATOR + line };
}

/** The chunk with the change of one of its results, or without it if `change` returns null. */
export function withChange(
  chunk: Chunk,
  resultId: string,
  change: (result: RunResult) => RunResult | null,
): Chunk {
  const place = placeIn(chunk.origins, resultId);
  const lines = linesIn(chunk).flatMap((line) => {
    if (line.slice(HEAD_LENGTH) !== place) return [line];
    const after = change(resultAt(chunk, line));
    return after === null ? [] : [headOf(after) + place];
  });
  return { origins: chunk.origins, lines: lines.join(SEPARATOR) };
}

/** The results of a chunk that were ever final, in the order in which they came. */
export function resultsIn(chunk: Chunk): RunResult[] {
  return packedResultsIn(chunk).map(({ line }) => resultAt(chunk, line));
}

/** The same, packed. */
export function packedResultsIn(chunk: Chunk): PackedResult[] {
  const lines = linesIn(chunk).filter((line) => line[KEY_LENGTH] !== letters.Unfinished);
  return lines.map((line) => ({ chunk, line }));
}

export function keyIn({ line }: PackedResult): string {
  return line.slice(0, KEY_LENGTH);
}

export function hasFailed({ line }: PackedResult): boolean {
  return line[KEY_LENGTH] === letters.Failed;
}

export function hasPassed({ line }: PackedResult): boolean {
  return line[KEY_LENGTH] === letters.Passed;
}

/** Whether it passed, failed or failed as expected: a test that was skipped did not run. */
export function hasRun({ line }: PackedResult): boolean {
  const letter = line[KEY_LENGTH];
  return letter === letters.Passed || letter === letters.Failed || letter === letters.KnownFail;
}

/** The status as the API shows it; null where it is not final any more. */
export function statusIn(result: PackedResult): FinalWord | null {
  const status = statuses[result.line[KEY_LENGTH]!]!;
  return status === 'Open' || status === 'Unfinished' ? null : statusWords[status];
}

/** Whether the result has no final status any more: then only its test counts. */
export function isOpen({ line }: PackedResult): boolean {
  return line[KEY_LENGTH] === letters.Open;
}

export function isSuperseded({ line }: PackedResult): boolean {
  return (flagsIn(line) & SUPERSEDED) !== 0;
}

export function isKnown({ line }: PackedResult): boolean {
  return (flagsIn(line) & KNOWN) !== 0;
}

export function isFlaky({ line }: PackedResult): boolean {
  return (flagsIn(line) & FLAKY) !== 0;
}

export function isSlower({ line }: PackedResult): boolean {
  return (flagsIn(line) & SLOWER) !== 0;
}

export function resultIdIn({ chunk, line }: PackedResult): string {
  return resultIdAt(chunk.origins, line.slice(HEAD_LENGTH));
}

/** The places of some results as one text, to be kept for a list. */
export function packList(results: readonly PackedResult[]): PackedList {
  const origins: string[] = [];
  const numbers = new Map<string, number>();
  const places = results.map(({ chunk, line }) => {
    const place = line.slice(HEAD_LENGTH);
    const dot = place.indexOf('.');
    if (dot === -1) return place;
    const origin = chunk.origins[parseInt(place.slice(0, dot), 36)]!;
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

function flagsIn(line: string): number {
  return parseInt(line[KEY_LENGTH + 1]!, 16);
}

function linesIn({ lines }: Chunk): string[] {
  return lines === '' ? [] : lines.split(SEPARATOR);
}

function headOf({ test, status, superseded, known, flaky, slower }: RunResult): string {
  const flags =
    (superseded ? SUPERSEDED : 0) + (known ? KNOWN : 0) + (flaky ? FLAKY : 0) + (slower ? SLOWER : 0);
  return test + letters[status] + flags.toString(16);
}

function placeIn(origins: readonly string[], resultId: string): string {
  const item = bulkOriginOf(resultId);
  if (item === null) return resultId.slice('result_'.length);
  return `${origins.indexOf(item.submission_id).toString(36)}.${item.ordinal.toString(36)}`;
}

function resultAt({ origins }: Chunk, line: string): RunResult {
  const flags = flagsIn(line);
  return {
    test: line.slice(0, KEY_LENGTH),
    status: statuses[line[KEY_LENGTH]!]!,
    superseded: (flags & SUPERSEDED) !== 0,
    known: (flags & KNOWN) !== 0,
    flaky: (flags & FLAKY) !== 0,
    slower: (flags & SLOWER) !== 0,
    result_id: resultIdAt(origins, line.slice(HEAD_LENGTH)),
  };
}

function resultIdAt(origins: readonly string[], place: string): string {
  const dot = place.indexOf('.');
  if (dot === -1) return `result_${place}`;
  return itemId(origins[parseInt(place.slice(0, dot), 36)]!, parseInt(place.slice(dot + 1), 36));
}
