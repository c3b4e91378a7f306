/** What is counted of the runs of one day, one tool and one environment, on one branch or on all of a class. */
import type { Outcome } from '../counts.js';
import type { EnvironmentKey } from '../environment.js';
import { withCounts, type CountedNumbers } from './counted-numbers.js';
import type { Day } from './days.js';

/** The numbers that are counted, in the order in which a row has them. The compared ones are of the last completion of each run. */
export const countNames = [
  'runs_passed',
  'runs_failed',
  'runs_skipped',
  'runs_empty',
  'passed',
  'failed',
  'skipped',
  'known_fail',
  'new_failures',
  'fixed',
  'flaky_tests',
  'known_failures',
  'removed',
  'lost_ms',
] as const;
export type RowCounts = Record<(typeof countNames)[number], number>;

/** Of which runs. `is_default`: they were on the default branch when they were counted. */
export type RowPlace = {
  day: Day;
  is_default: boolean;
  tool: string | null;
  environment: EnvironmentKey;
};

/** `durations`: pairs of a class and its count, in the order of classes. `tests`: the runs of each test, by ordinals. */
export type DayRow = RowPlace & {
  counts: readonly number[];
  durations: readonly number[];
  tests: CountedNumbers;
};

/** `counts`: as `countsOf` has them. */
export type RowChange = {
  counts: readonly number[];
  durations: readonly number[];
  tests: CountedNumbers;
};

/** In the order of a row: two documents count the same change. */
export function countsOf(counts: Partial<RowCounts>): readonly number[] {
  return countNames.map((name) => counts[name] ?? 0);
}

/** The rows after a change of one of them. A row that counts nothing is left out. */
export function withRow(rows: readonly DayRow[], place: RowPlace, change: RowChange): DayRow[] {
  const at = rows.findIndex((row) => isAt(row, place));
  const { day, is_default, tool, environment } = place;
  const before = rows[at] ?? { counts: countNames.map(() => 0), durations: [], tests: [] };
  const counts = before.counts.map((count, n) => count + change.counts[n]!);
  const durations = withDurations(before.durations, change.durations);
  const tests = withCounts(before.tests, change.tests);
  const after: DayRow = { day, is_default, tool, environment, counts, durations, tests };
  const isEmpty = counts.every((count) => count === 0) && durations.length + tests.length === 0;
  if (isEmpty) return rows.filter((_, n) => n !== at);
  return at === -1 ? [...rows, after] : rows.with(at, after);
}

function isAt(row: RowPlace, { day, is_default, tool, environment }: RowPlace): boolean {
  return (
    row.day === day && row.is_default === is_default && row.tool === tool && row.environment === environment
  );
}

function withDurations(durations: readonly number[], changes: readonly number[]): readonly number[] {
  if (changes.length === 0) return durations;
  const counts = new Map<number, number>();
  for (const pairs of [durations, changes])
    for (let at = 0; at < pairs.length; at += 2)
      counts.set(pairs[at]!, (counts.get(pairs[at]!) ?? 0) + pairs[at + 1]!);
  return [...counts]
    .filter(([, count]) => count !== 0)
    .sort(([one], [other]) => one - other)
    .flat();
}

export function outcomeName(outcome: Outcome): 'runs_passed' | 'runs_failed' | 'runs_skipped' | 'runs_empty' {
  return outcome === null ? 'runs_empty' : `runs_${outcome}`;
}
