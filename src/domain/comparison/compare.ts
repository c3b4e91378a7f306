/** The comparison of a run with its baseline (docs/api.md, section 11). */
import {
  groupIn,
  hasFailed,
  hasPassed,
  isFlaky,
  isKnown,
  isKnownElsewhere,
  isOpen,
  isSkipped,
  isSlower,
  isSuperseded,
  lineKeyIn,
  type PackedResult,
} from './packed-line.js';
import { packedResultsIn, type Chunk } from './packed-results.js';
import { pairsOf } from './renamed.js';
import { fileKey } from './test-keys.js';

export const comparisonKinds = [
  'new_failures',
  'still_failing',
  'fixed',
  'flaky',
  'known',
  'added',
  'removed',
  'renamed_maybe',
  'slower',
] as const;
export type ComparisonKind = (typeof comparisonKinds)[number];

export type ComparisonCounts = Record<ComparisonKind, number>;

/**
 * The results of each kind, in the order in which their tests came, those of one test together. Those of `removed` are
 * the baseline's, one of each test. Those of `renamed_maybe` are in pairs: the removed one, then the added one.
 */
export type Comparison = Record<ComparisonKind, PackedResult[]>;

/** What a comparison counts beside the results of each kind. A test is a test in one environment. */
export type ComparedTests = {
  /** Those that ran: not all of their results were skipped. */
  tests: number;
  /** Null without a baseline. */
  baseline_tests: number | null;
  /** The files of the tests that were removed, as far as their results name them. */
  removed_files: number;
};

/** One test in one environment of a run. The results that count are `first` and `more`; `first` is null where there are none. */
type TestInRun = {
  failed: boolean;
  /** A failure that counts is not known. */
  failedUnknown: boolean;
  /** An earlier attempt failed, and a later one superseded it. */
  failedBefore: boolean;
  first: PackedResult | null;
  more: PackedResult[] | null;
};

/** By the key of the test and its environment. */
export type TestsOfRun = ReadonlyMap<string, TestInRun>;

/** Gathers the tests of a run from its chunks. Results stay packed: a run may have a million. */
export function testsIn(
  chunks: Iterable<Chunk>,
  into = new Map<string, TestInRun>(),
): Map<string, TestInRun> {
  for (const chunk of chunks) {
    for (const result of packedResultsIn(chunk)) {
      const key = lineKeyIn(result);
      const failed = hasFailed(result);
      const superseded = isSuperseded(result) || isOpen(result);
      const test = into.get(key);
      if (test === undefined) {
        into.set(key, {
          failed: failed && !superseded,
          failedUnknown: failed && !superseded && !isKnown(result),
          failedBefore: failed && superseded,
          first: superseded ? null : result,
          more: null,
        });
      } else if (superseded) test.failedBefore ||= failed;
      else {
        test.failed ||= failed;
        test.failedUnknown ||= failed && !isKnown(result);
        if (test.first === null) test.first = result;
        else (test.more ??= []).push(result);
      }
    }
  }
  return into;
}

/** The number of tests and results in memory. A test may have any number of results. */
export function sizeOf(tests: TestsOfRun): number {
  let size = 1;
  for (const { more } of tests.values()) size += 1 + (more?.length ?? 0);
  return size;
}

/** The number of tests that ran. */
export function testsThatRan(tests: TestsOfRun): number {
  let ran = 0;
  for (const test of tests.values()) if (resultThatRan(test) !== null) ran += 1;
  return ran;
}

/** `baseline` null: there is none, so everything that fails is new. */
export function compare(run: TestsOfRun, baseline: TestsOfRun | null): Comparison {
  const found: Comparison = {
    new_failures: [],
    still_failing: [],
    fixed: [],
    flaky: [],
    known: [],
    added: [],
    removed: [],
    renamed_maybe: [],
    slower: [],
  };
  const addedTests: PackedResult[] = [];
  for (const [key, test] of run) {
    const before = baseline?.get(key);
    if (test.first === null) continue;
    if (baseline !== null && (before?.first ?? null) === null) addedTests.push(test.first);
    sort(test.first, test, { before, baseline, found });
    for (const result of test.more ?? []) sort(result, test, { before, baseline, found });
  }
  const removed = removedTests(run, baseline);
  const pairs = pairsOf(removed, addedTests);
  for (const result of removed) {
    const added = pairs.get(result);
    if (added === undefined) found.removed.push(result);
    else found.renamed_maybe.push(result, added);
  }
  return found;
}

/** One result of each test that ran in the baseline, and has no result in the run. */
function removedTests(run: TestsOfRun, baseline: TestsOfRun | null): PackedResult[] {
  const removed: PackedResult[] = [];
  for (const [key, test] of baseline ?? []) {
    // A result that was set back to a status that is not final counts no more: its test may be gone with it.
    if ((run.get(key)?.first ?? null) !== null) continue;
    const ran = resultThatRan(test);
    if (ran !== null) removed.push(ran);
  }
  return removed;
}

export function resultThatRan({ first, more }: TestInRun): PackedResult | null {
  if (first === null || !isSkipped(first)) return first;
  return more?.find((result) => !isSkipped(result)) ?? null;
}

type Sorting = { before: TestInRun | undefined; baseline: TestsOfRun | null; found: Comparison };

/** Puts a result into the kinds that it is of. */
function sort(result: PackedResult, test: TestInRun, { before, baseline, found }: Sorting): void {
  const failed = hasFailed(result);
  const passed = !failed && hasPassed(result);
  // A failing result is of exactly one of three kinds.
  if (failed && isKnown(result)) found.known.push(result);
  else if (failed) found[failsStill(result, before) ? 'still_failing' : 'new_failures'].push(result);
  if (passed && before?.failed === true && !test.failed) found.fixed.push(result);
  if ((passed && test.failedBefore) || ((passed || failed) && isFlaky(result))) found.flaky.push(result);
  if (baseline !== null && (before?.first ?? null) === null) found.added.push(result);
  if (isSlower(result)) found.slower.push(result);
}

/** A failure that was known in the baseline is new once its known failure has ended: until then nobody had to look at it. */
function failsStill(result: PackedResult, before: TestInRun | undefined): boolean {
  if (before === undefined || !before.failed) return false;
  return before.failedUnknown || isKnownElsewhere(result);
}

export function countsOf(comparison: Comparison): ComparisonCounts {
  return Object.fromEntries(
    comparisonKinds.map((kind) => [kind, comparison[kind].length / resultsEach(kind)]),
  ) as ComparisonCounts;
}

/** The number of results of one thing that a kind counts. */
export function resultsEach(kind: ComparisonKind): number {
  return kind === 'renamed_maybe' ? 2 : 1;
}

export function countTests(run: TestsOfRun, baseline: TestsOfRun | null, found: Comparison): ComparedTests {
  const files = new Set(found.removed.map((result) => fileKey(groupIn(result))));
  files.delete(null);
  return {
    tests: testsThatRan(run),
    baseline_tests: baseline === null ? null : testsThatRan(baseline),
    removed_files: files.size,
  };
}
