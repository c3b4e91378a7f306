/** The tests of a run, each in its environment, as statistics count them. */
import { visitResults, type Chunk, type RunResult } from '../comparison/packed-results.js';
import { environmentHash } from '../comparison/test-keys.js';
import { durationClass } from './durations.js';

/** Of results that are not superseded. */
export type ResultNumbers = { passed: number; failed: number; skipped: number; known_fail: number };

export type LineOfRun = ResultNumbers & {
  /** The ordinal of its test, and the hash of its environment, empty without one. */
  ordinal: number;
  environment: string;
  /** An attempt failed that a later one superseded. */
  failedBefore: boolean;
  /** The time of all failed attempts. */
  failed_ms: number;
  /** The classes of the durations of results that count and were not skipped: nearly always one. */
  durations: readonly number[];
};

type Fact = Pick<RunResult, 'group' | 'status' | 'superseded' | 'ordinal' | 'duration_ms'>;

export function linesOfRun(chunks: Iterable<Chunk>): LineOfRun[] {
  const lines = new Map<number | string, LineOfRun>();
  for (const chunk of chunks) visitResults(chunk, (fact) => addFact(lines, fact));
  return [...lines.values()];
}

export function linesOfResults(results: readonly RunResult[]): LineOfRun[] {
  const lines = new Map<number | string, LineOfRun>();
  for (const result of results) addFact(lines, result);
  return [...lines.values()];
}

function addFact(lines: Map<number | string, LineOfRun>, fact: Fact): void {
  const { group, status, superseded, ordinal, duration_ms } = fact;
  if (status === 'Open' || status === 'Unfinished') return;
  const environment = environmentHash(group);
  const key = environment === '' ? ordinal : `${environment}${ordinal}`;
  let line = lines.get(key);
  if (line === undefined) lines.set(key, (line = emptyLine(ordinal, environment)));
  if (status === 'Failed' && duration_ms !== null) line.failed_ms += duration_ms;
  if (superseded) {
    if (status === 'Failed') line.failedBefore = true;
    return;
  }
  switch (status) {
    case 'Passed':
      line.passed += 1;
      break;
    case 'Failed':
      line.failed += 1;
      break;
    case 'Skipped':
      line.skipped += 1;
      return;
    case 'KnownFail':
      line.known_fail += 1;
      break;
  }
  if (duration_ms !== null) line.durations = [...line.durations, durationClass(duration_ms)];
}

const none: readonly number[] = [];

function emptyLine(ordinal: number, environment: string): LineOfRun {
  return {
    passed: 0,
    failed: 0,
    skipped: 0,
    known_fail: 0,
    ordinal,
    environment,
    failedBefore: false,
    failed_ms: 0,
    durations: none,
  };
}

/** A test that was only skipped did not run. */
export function hasRun({ passed, failed, known_fail }: LineOfRun): boolean {
  return passed + failed + known_fail > 0;
}

/** The results of a run after a change of some of its lines. */
export function resultsAfter(
  before: ResultNumbers,
  former: readonly ResultNumbers[],
  present: readonly ResultNumbers[],
): ResultNumbers {
  let { passed, failed, skipped, known_fail } = before;
  for (const [lines, sign] of [
    [former, -1],
    [present, 1],
  ] as const) {
    for (const line of lines) {
      passed += sign * line.passed;
      failed += sign * line.failed;
      skipped += sign * line.skipped;
      known_fail += sign * line.known_fail;
    }
  }
  return { passed, failed, skipped, known_fail };
}

export const noResults: ResultNumbers = { passed: 0, failed: 0, skipped: 0, known_fail: 0 };
