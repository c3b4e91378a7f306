/**
 * The tests of a run as statistics count them. Nearly all of them passed once: such a test is one number, because an object
 * for each would cost a tenth of the fold of its result.
 */
import { visitResults, type Chunk } from '../comparison/packed-results.js';
import type { RunResult } from '../comparison/packed-line.js';
import { environmentHash } from '../comparison/test-keys.js';
import { addRange, withCounts, type CountedNumbers } from './counted-numbers.js';
import { durationClass } from './durations.js';

/** Of results that are not superseded. */
export type ResultNumbers = { passed: number; failed: number; skipped: number; known_fail: number };

/** Those in one environment. */
export type TestsOfRun = {
  /** Its hash, empty without one. */
  environment: string;
  /** The tests that passed once and did nothing else, as `plainTest`, in rising order. */
  plain: PlainTests;
  /** The other ones, in the order of their ordinals. */
  others: readonly LineOfRun[];
};

export type PlainTests = readonly number[];

export type LineOfRun = ResultNumbers & {
  /** The ordinal of its test. */
  ordinal: number;
  /** An attempt failed that a later one superseded. */
  failedBefore: boolean;
  /** The time of all failed attempts. */
  failed_ms: number;
  /** The classes of the durations of results that count and were not skipped: nearly always one. */
  durations: readonly number[];
};

/** More than there are classes of durations. */
const CLASSES = 1_024;

function plainTest(ordinal: number, duration_ms: number): number {
  return ordinal * CLASSES + durationClass(duration_ms);
}

export function ordinalOf(plain: number): number {
  return Math.floor(plain / CLASSES);
}

export function classOf(plain: number): number {
  return plain % CLASSES;
}

export function testsInChunks(chunks: Iterable<Chunk>): TestsOfRun[] {
  const tests = openTests();
  for (const chunk of chunks) visitResults(chunk, tests.add);
  return tests.close();
}

export function testsOfResults(results: readonly RunResult[]): TestsOfRun[] {
  const tests = openTests();
  for (const result of results) tests.add(result);
  return tests.close();
}

type Fact = Pick<RunResult, 'group' | 'status' | 'superseded' | 'ordinal' | 'duration_ms'>;

type Gathered = { group: string; environment: string; passes: number[]; lines: Map<number, LineOfRun> };

function openTests() {
  const byEnvironment = new Map<string, Gathered>();
  let last: Gathered | undefined;
  const gatheredFor = (group: string): Gathered => {
    const environment = environmentHash(group);
    const known = byEnvironment.get(environment);
    const gathered = known ?? { group, environment, passes: [], lines: new Map<number, LineOfRun>() };
    byEnvironment.set(environment, gathered);
    gathered.group = group;
    return gathered;
  };
  return {
    add(fact: Fact): void {
      const { group, status, superseded, ordinal, duration_ms } = fact;
      if (status === 'Open' || status === 'Unfinished') return;
      // Neighbours are of one group.
      const gathered = last?.group === group ? last : (last = gatheredFor(group));
      if (status === 'Passed' && !superseded && duration_ms !== null)
        gathered.passes.push(plainTest(ordinal, duration_ms));
      else addFact(lineOf(gathered.lines, ordinal), status, superseded, duration_ms);
    },
    close: (): TestsOfRun[] => [...byEnvironment.values()].map(closed),
  };
}

function closed({ environment, passes, lines }: Gathered): TestsOfRun {
  const sorted = isRising(passes) ? passes : Float64Array.from(passes).sort();
  const plain: number[] = [];
  let before = -1;
  for (let n = 0; n < sorted.length; n += 1) {
    const pass = sorted[n]!;
    const ordinal = ordinalOf(pass);
    const isAlone =
      before !== ordinal &&
      (n + 1 === sorted.length || ordinalOf(sorted[n + 1]!) !== ordinal) &&
      (lines.size === 0 || !lines.has(ordinal));
    before = ordinal;
    if (isAlone) {
      plain.push(pass);
      continue;
    }
    const line = lineOf(lines, ordinal);
    line.passed += 1;
    line.durations = [...line.durations, classOf(pass)];
  }
  const others = [...lines.values()].sort((one, other) => one.ordinal - other.ordinal);
  return { environment, plain, others };
}

/** As most reports have their tests. */
function isRising(numbers: readonly number[]): boolean {
  for (let n = 1; n < numbers.length; n += 1) if (numbers[n]! < numbers[n - 1]!) return false;
  return true;
}

function lineOf(lines: Map<number, LineOfRun>, ordinal: number): LineOfRun {
  let line = lines.get(ordinal);
  if (line === undefined)
    // The spread stands last: before other fields, it makes a copy that is slow to read (docs/decisions/033).
    lines.set(ordinal, (line = { ordinal, failedBefore: false, failed_ms: 0, durations: [], ...noResults }));
  return line;
}

function addFact(
  line: LineOfRun,
  status: Exclude<Fact['status'], 'Open' | 'Unfinished'>,
  superseded: boolean,
  duration_ms: number | null,
): void {
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

/** A test that was only skipped did not run. */
export function hasRun({ passed, failed, known_fail }: LineOfRun): boolean {
  return passed + failed + known_fail > 0;
}

/** The tests that ran, in whatever environment, each with the number of those, as a change that counts them (1) or not (-1). */
export function ranIn(tests: readonly TestsOfRun[], by: 1 | -1): CountedNumbers {
  return tests.map((own) => ranges(own, hasRun, by)).reduce(withCounts, []);
}

/** The tests that passed. */
export function passedIn(tests: TestsOfRun, by: 1 | -1): CountedNumbers {
  return ranges(tests, ({ passed }) => passed > 0, by);
}

function ranges({ plain, others }: TestsOfRun, isOf: (line: LineOfRun) => boolean, by: 1 | -1) {
  const found: number[] = [];
  let next = 0;
  const addOthers = (before: number): void => {
    for (; next < others.length && others[next]!.ordinal < before; next += 1) {
      const { ordinal } = others[next]!;
      if (isOf(others[next]!)) addRange(found, ordinal, ordinal, by);
    }
  };
  for (let n = 0; n < plain.length; n += 1) {
    const ordinal = ordinalOf(plain[n]!);
    addOthers(ordinal);
    addRange(found, ordinal, ordinal, by);
  }
  addOthers(Infinity);
  return found;
}

/** The results of a run after a change of some of its tests. */
export function resultsAfter(
  before: ResultNumbers,
  former: readonly TestsOfRun[],
  present: readonly TestsOfRun[],
): ResultNumbers {
  const after = { ...before };
  for (const [tests, sign] of [
    [former, -1],
    [present, 1],
  ] as const) {
    for (const { plain, others } of tests) {
      after.passed += sign * plain.length;
      for (const line of others) {
        after.passed += sign * line.passed;
        after.failed += sign * line.failed;
        after.skipped += sign * line.skipped;
        after.known_fail += sign * line.known_fail;
      }
    }
  }
  return after;
}

export const noResults: ResultNumbers = { passed: 0, failed: 0, skipped: 0, known_fail: 0 };
