/**
 * A result of a run as it stands in a chunk of results (`packed-results.ts`), which is one line:
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

/** A result as it stands in its chunk. To unpack 100,000 of them would take too long while a client waits. */
export type PackedResult = { origins: readonly string[]; groups: readonly string[]; line: string };

const STATE = KEY_LENGTH;
const GROUP = KEY_LENGTH + 1;
const HEAD_LENGTH = KEY_LENGTH + 2;
/** Between the lines of a chunk. */
export const SEPARATOR = ' ';
/** Their places are stored. */
const statuses = ['Passed', 'Failed', 'Skipped', 'KnownFail', 'Unfinished', 'Open'] as const;
const [PASSED, FAILED, SKIPPED, UNFINISHED, OPEN] = [0, 1, 2, 4, 5] as const;
const neverRan: readonly number[] = [SKIPPED, UNFINISHED, OPEN];
const [SUPERSEDED, FLAKY, KNOWN, SLOWER, KNOWN_ELSEWHERE] = [1, 2, 4, 8, 16] as const;

/** That of its test. */
export function keyIn({ line }: PackedResult): string {
  return keyAt(line);
}

export function groupIn({ groups, line }: PackedResult): string {
  return groups[groupAt(line)]!;
}

/** That of its test in its environment. */
export function lineKeyIn(result: PackedResult): string {
  return lineKey(keyIn(result), groupIn(result));
}

export function hasFailed({ line }: PackedResult): boolean {
  return hasFailedAt(line);
}

export function hasPassed({ line }: PackedResult): boolean {
  return statusNumber(line) === PASSED;
}

/** The status as the API shows it; null where it is not final any more. */
export function statusIn({ line }: PackedResult): FinalWord | null {
  const status = statusAt(line);
  return status === 'Open' || status === 'Unfinished' ? null : statusWords[status];
}

/** Whether the result has no final status any more: then only its test counts. */
export function isOpen({ line }: PackedResult): boolean {
  return statusNumber(line) === OPEN;
}

export function isSkipped({ line }: PackedResult): boolean {
  return statusNumber(line) === SKIPPED;
}

export function isSuperseded({ line }: PackedResult): boolean {
  return isSupersededAt(line);
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
  return durationAt(line);
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

/** These read the line that begins at a place of a text: a chunk is read without an object for each of its lines. */
export function statusAt(text: string, at = 0): RunResult['status'] {
  return statuses[statusNumber(text, at)]!;
}

export function hasFailedAt(text: string, at = 0): boolean {
  return statusNumber(text, at) === FAILED;
}

export function hasRunAt(text: string, at: number): boolean {
  return !neverRan.includes(statusNumber(text, at));
}

export function isSupersededAt(text: string, at = 0): boolean {
  return (flagsAt(text, at) & SUPERSEDED) !== 0;
}

export function keyAt(text: string, at = 0): string {
  return text.slice(at, at + KEY_LENGTH);
}

/** The number of its group among those of the chunk. */
export function groupAt(text: string, at = 0): number {
  return numberAt(text, at + GROUP);
}

export function ordinalAt(text: string, at = 0): number {
  return shortNumberAt(text, at + HEAD_LENGTH);
}

export function durationAt(text: string, at = 0): number | null {
  const duration = shortNumberAt(text, shortNumberEnd(text, at + HEAD_LENGTH));
  return duration === 0 ? null : duration - 1;
}

function statusNumber(text: string, at = 0): number {
  return numberAt(text, at + STATE) % statuses.length;
}

function flagsAt(text: string, at = 0): number {
  return Math.floor(numberAt(text, at + STATE) / statuses.length);
}

export function headOf(
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

/** The place of the result itself. */
export function placeOf(line: string): string {
  return line.slice(shortNumberEnd(line, shortNumberEnd(line, HEAD_LENGTH)));
}

export function placeOfItem(
  origins: readonly string[],
  resultId: string,
  item: ReturnType<typeof bulkOriginOf>,
): string {
  if (item === null) return resultId.slice('result_'.length);
  return `${origins.indexOf(item.submission_id).toString(36)}.${item.ordinal.toString(36)}`;
}

export function resultAt(result: PackedResult): RunResult {
  const { line } = result;
  return {
    test: keyIn(result),
    group: groupIn(result),
    status: statusAt(line),
    superseded: isSuperseded(result),
    known: isKnown(result),
    known_elsewhere: isKnownElsewhere(result),
    flaky: isFlaky(result),
    slower: isSlower(result),
    ordinal: ordinalAt(line),
    duration_ms: durationAt(line),
    result_id: resultIdIn(result),
  };
}

export function resultIdAt(origins: readonly string[], place: string): string {
  const dot = place.indexOf('.');
  if (dot === -1) return `result_${place}`;
  return itemId(origins[parseInt(place.slice(0, dot), 36)]!, parseInt(place.slice(dot + 1), 36));
}
