/** Where and how a completed run is counted, as its summary keeps it. */
import type { ComparisonCounts } from '../../src/domain/comparison/compare.js';
import { outcomeOf, noCounts, type Outcome } from '../../src/domain/counts.js';
import type { Instant } from '../../src/domain/event.js';
import { durationClass } from '../../src/domain/statistics/durations.js';
import { countsOf, outcomeName, type RowChange } from '../../src/domain/statistics/day-rows.js';
import type { ResultNumbers } from '../../src/domain/statistics/tests-of-run.js';
import type { RunPlace } from './statistics-documents.js';

export type CountedRun = RunPlace & {
  /** The document of its commit; null for a run without a commit. */
  commit: string | null;
  results: ResultNumbers;
  compared: ComparedNumbers;
  duration_ms: number | null;
};

/** Of its last completion: new failures, fixed, flaky, known and removed. */
export type ComparedNumbers = readonly number[];

export function comparedNumbers(counts: ComparisonCounts): ComparedNumbers {
  const { new_failures, fixed, flaky, known, removed } = counts;
  return [new_failures, fixed, flaky, known, removed];
}

export function outcomeOfResults(results: ResultNumbers): Outcome {
  return outcomeOf({ ...noCounts, ...results });
}

export function durationOfRun(started_at: Instant | null, finished_at: Instant): number | null {
  return started_at === null ? null : Math.max(0, Date.parse(finished_at) - Date.parse(started_at));
}

/** What the run itself adds to the row of its day (1), or takes away (-1), without its tests. */
export function rowChange(
  { results, compared, duration_ms }: CountedRun,
  sign: 1 | -1,
): Omit<RowChange, 'tests'> {
  const { passed, failed, skipped, known_fail } = results;
  const [new_failures = 0, fixed = 0, flaky_tests = 0, known_failures = 0, removed = 0] = compared;
  const counts = countsOf({
    [outcomeName(outcomeOfResults(results))]: sign,
    passed: sign * passed,
    failed: sign * failed,
    skipped: sign * skipped,
    known_fail: sign * known_fail,
    new_failures: sign * new_failures,
    fixed: sign * fixed,
    flaky_tests: sign * flaky_tests,
    known_failures: sign * known_failures,
    removed: sign * removed,
  });
  return { counts, durations: duration_ms === null ? [] : [durationClass(duration_ms), sign] };
}
