/** The comparison of a run with its baseline (docs/api.md, section 11). */
import {
  hasFailed,
  hasPassed,
  hasRun,
  isFlaky,
  isKnown,
  isOpen,
  isSlower,
  isSuperseded,
  keyIn,
  packedResultsIn,
  type Chunk,
  type PackedResult,
} from './packed-results.js';

export const comparisonKinds = [
  'new_failures',
  'still_failing',
  'fixed',
  'flaky',
  'known',
  'added',
  'removed',
  'slower',
] as const;
export type ComparisonKind = (typeof comparisonKinds)[number];

export type ComparisonCounts = Record<ComparisonKind, number>;

/**
 * The results of each kind, in the order in which their tests came, those of one test together. Those of `removed` are
 * the baseline's.
 */
export type Comparison = Record<ComparisonKind, PackedResult[]>;

/** One test in a run. The results that count are `first` and `more`; `first` is null where there are none. */
type TestInRun = {
  failed: boolean;
  /** An earlier attempt failed, and a later one superseded it. */
  failedBefore: boolean;
  first: PackedResult | null;
  more: PackedResult[] | null;
};

/** By the key of the test. */
export type TestsOfRun = ReadonlyMap<string, TestInRun>;

/** Gathers the tests of a run from its chunks. Results stay packed: a run may have a million. */
export function testsIn(
  chunks: Iterable<Chunk>,
  into = new Map<string, TestInRun>(),
): Map<string, TestInRun> {
  for (const chunk of chunks) {
    for (const result of packedResultsIn(chunk)) {
      const key = keyIn(result);
      const failed = hasFailed(result);
      const superseded = isSuperseded(result) || isOpen(result);
      const test = into.get(key);
      if (test === undefined) {
        into.set(key, {
          failed: failed && !superseded,
          failedBefore: failed && superseded,
          first: superseded ? null : result,
          more: null,
        });
      } else if (superseded) test.failedBefore ||= failed;
      else {
        test.failed ||= failed;
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

/** The number of tests that passed, failed or failed as expected. */
export function ranIn(tests: TestsOfRun): number {
  let ran = 0;
  for (const { first, more } of tests.values()) {
    if (first !== null && (hasRun(first) || more?.some(hasRun) === true)) ran += 1;
  }
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
    slower: [],
  };
  for (const [key, test] of run) {
    const before = baseline?.get(key);
    if (test.first === null) continue;
    sort(test.first, test, { before, baseline, found });
    for (const result of test.more ?? []) sort(result, test, { before, baseline, found });
  }
  for (const [key, { first, more }] of baseline ?? []) {
    // A result that was set back to a status that is not final counts no more: its test may be gone with it.
    if (first === null || (run.get(key)?.first ?? null) !== null) continue;
    found.removed.push(first);
    // One by one: a call takes only some 100,000 arguments.
    for (const result of more ?? []) found.removed.push(result);
  }
  return found;
}

type Sorting = { before: TestInRun | undefined; baseline: TestsOfRun | null; found: Comparison };

/** Puts a result into the kinds that it is of. */
function sort(result: PackedResult, test: TestInRun, { before, baseline, found }: Sorting): void {
  const failed = hasFailed(result);
  const passed = !failed && hasPassed(result);
  // A failing result is of exactly one of three kinds.
  if (failed && isKnown(result)) found.known.push(result);
  else if (failed) found[before?.failed === true ? 'still_failing' : 'new_failures'].push(result);
  if (passed && before?.failed === true && !test.failed) found.fixed.push(result);
  if ((passed && test.failedBefore) || ((passed || failed) && isFlaky(result))) found.flaky.push(result);
  if (baseline !== null && (before?.first ?? null) === null) found.added.push(result);
  if (isSlower(result)) found.slower.push(result);
}

export function countsOf(comparison: Comparison): ComparisonCounts {
  return Object.fromEntries(
    comparisonKinds.map((kind) => [kind, comparison[kind].length]),
  ) as ComparisonCounts;
}
