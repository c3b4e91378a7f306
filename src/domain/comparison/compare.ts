/** The comparison of a run with its baseline (docs/api.md, section 11). */
import { resultsIn, type Chunk, type RunResult } from './packed-results.js';

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

/** The ids of the results of each kind, in the order in which they came. Those of `removed` are the baseline's. */
export type Comparison = Record<ComparisonKind, string[]>;

/** One test in a run, by its results that count. */
type TestInRun = {
  failed: boolean;
  /** An earlier attempt failed, and a later one superseded it. */
  failedBefore: boolean;
  standing: RunResult[];
};

/** By the key of the test. */
export type TestsOfRun = ReadonlyMap<string, TestInRun>;

/** Gathers the tests of a run from its chunks. */
export function testsIn(
  chunks: Iterable<Chunk>,
  into = new Map<string, TestInRun>(),
): Map<string, TestInRun> {
  for (const chunk of chunks) {
    for (const result of resultsIn(chunk)) {
      let test = into.get(result.test);
      if (test === undefined) {
        test = { failed: false, failedBefore: false, standing: [] };
        into.set(result.test, test);
      }
      const failed = result.status === 'Failed';
      if (result.superseded) test.failedBefore ||= failed;
      else {
        test.failed ||= failed;
        test.standing.push(result);
      }
    }
  }
  return into;
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
    for (const result of test.standing) {
      const { result_id, status, slower } = result;
      if (status === 'Failed') found[kindOfFailure(result, before)].push(result_id);
      if (status === 'Passed' && before?.failed === true && !test.failed) found.fixed.push(result_id);
      if (isFlaky(result, test)) found.flaky.push(result_id);
      if (baseline !== null && before === undefined) found.added.push(result_id);
      if (slower) found.slower.push(result_id);
    }
  }
  for (const [key, { standing }] of baseline ?? []) {
    if (!run.has(key)) for (const { result_id } of standing) found.removed.push(result_id);
  }
  return found;
}

export function countsOf(comparison: Comparison): ComparisonCounts {
  return Object.fromEntries(
    comparisonKinds.map((kind) => [kind, comparison[kind].length]),
  ) as ComparisonCounts;
}

/** A failing result is of exactly one kind. */
function kindOfFailure(
  { known }: RunResult,
  before: TestInRun | undefined,
): 'known' | 'still_failing' | 'new_failures' {
  if (known) return 'known';
  return before?.failed === true ? 'still_failing' : 'new_failures';
}

function isFlaky({ status, flaky }: RunResult, { failedBefore }: TestInRun): boolean {
  if (status === 'Passed') return flaky || failedBefore;
  return status === 'Failed' && flaky;
}
