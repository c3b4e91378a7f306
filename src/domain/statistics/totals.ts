/** Totals of rows of the statistics, of any days, branches, tools and environments together. */
import { distinctIn, type CountedNumbers } from './counted-numbers.js';
import { countNames, type DayRow } from './day-rows.js';
import { DURATION_CLASSES, quantilesOf, type Quantiles } from './durations.js';

export type Totals = {
  runs: { passed: number; failed: number; skipped: number; empty: number };
  tests: number;
  results: { passed: number; failed: number; skipped: number; known_fail: number };
  new_failures: number;
  fixed: number;
  flaky_tests: number;
  known_failures: number;
  removed: number;
  duration_ms: Quantiles;
  lost_ms: number;
};

export type Sum = { add(project: string, row: DayRow): void; totals(): Totals };

/** A test counts once, in whatever rows of its project it is. */
export function openSum(): Sum {
  const sums = countNames.map(() => 0);
  const durations = new Map<number, number>();
  const tests = new Map<string, CountedNumbers[]>();
  return {
    add(project, row) {
      row.counts.forEach((count, n) => (sums[n]! += count));
      for (let at = 0; at < row.durations.length; at += 2) {
        const durationClass = row.durations[at]!;
        durations.set(durationClass, (durations.get(durationClass) ?? 0) + row.durations[at + 1]!);
      }
      const own = tests.get(project);
      if (own === undefined) tests.set(project, [row.tests]);
      else own.push(row.tests);
    },
    totals() {
      const of = (name: (typeof countNames)[number]) => sums[countNames.indexOf(name)]!;
      const counts = new Int32Array(DURATION_CLASSES);
      for (const [durationClass, count] of durations) counts[durationClass] = count;
      return {
        runs: {
          passed: of('runs_passed'),
          failed: of('runs_failed'),
          skipped: of('runs_skipped'),
          empty: of('runs_empty'),
        },
        tests: [...tests.values()].reduce((sum, own) => sum + distinctIn(own), 0),
        results: {
          passed: of('passed'),
          failed: of('failed'),
          skipped: of('skipped'),
          known_fail: of('known_fail'),
        },
        new_failures: of('new_failures'),
        fixed: of('fixed'),
        flaky_tests: of('flaky_tests'),
        known_failures: of('known_failures'),
        removed: of('removed'),
        duration_ms: quantilesOf(counts),
        lost_ms: of('lost_ms'),
      };
    },
  };
}
