/**
 * The time that was lost to failures which were no fault of the commit: what the completed runs of one commit and environment say of
 * each other. A failed attempt is innocent if its test passed at the commit, in its own run or in another one. A red run that was run
 * again green is lost as a whole.
 */
import type { Outcome } from '../counts.js';
import type { Position } from '../event.js';
import { countOf, withCounts, type CountedNumbers } from './counted-numbers.js';
import type { LineOfRun } from './lines-of-run.js';

/** `P`: where the run is counted. */
export type RunOfCommit<P> = {
  id: string;
  created: Position;
  tool: string | null;
  outcome: Outcome;
  duration_ms: number | null;
  place: P;
};

/** The tests in one environment. `failed`: three numbers each, the place of the run in `runs`, the ordinal of the test, and the time. */
type TestsOfCommit = { environment: string; passed: CountedNumbers; failed: readonly number[] };

/** `runs`: null where one was taken out, so that the others keep their places. */
export type CommitRuns<P> = {
  runs: readonly (RunOfCommit<P> | null)[];
  tests: readonly TestsOfCommit[];
};

export const noRuns: CommitRuns<never> = { runs: [], tests: [] };

/** How full it is: of so many runs or failures, nobody asks any more which are innocent. */
export function sizeOf({ runs, tests }: CommitRuns<unknown>): { runs: number; failures: number } {
  const present = runs.filter((run) => run !== null);
  return { runs: present.length, failures: tests.reduce((sum, { failed }) => sum + failed.length / 3, 0) };
}

/** Adds a run, or sets what is known of one. */
export function withRun<P>(of: CommitRuns<P>, run: RunOfCommit<P>): CommitRuns<P> {
  const own = of.runs.findIndex((each) => each?.id === run.id);
  const at = own === -1 ? of.runs.indexOf(null) : own;
  return { ...of, runs: at === -1 ? [...of.runs, run] : of.runs.with(at, run) };
}

/** Takes out a run whose lines are out already. */
export function withoutRun<P>(of: CommitRuns<P>, id: string): CommitRuns<P> {
  return { ...of, runs: of.runs.map((each) => (each?.id === id ? null : each)) };
}

/** Adds lines of a run (1), or takes them out (-1). */
export function withLines<P>(
  of: CommitRuns<P>,
  id: string,
  lines: readonly LineOfRun[],
  sign: 1 | -1,
): CommitRuns<P> {
  const n = of.runs.findIndex((each) => each?.id === id);
  const tests = [...of.tests];
  for (const environment of new Set(lines.map((line) => line.environment))) {
    const own = lines.filter((line) => line.environment === environment);
    const at = tests.findIndex((each) => each.environment === environment);
    const { passed, failed } = tests[at] ?? { passed: [], failed: [] };
    const passes = own
      .filter((line) => line.passed > 0)
      .map(({ ordinal }) => ({ number: ordinal, by: sign }))
      .sort((one, other) => one.number - other.number);
    const next = {
      environment,
      passed: withCounts(passed, passes),
      failed: withFailures(failed, n, own, sign),
    };
    if (at === -1) tests.push(next);
    else tests[at] = next;
  }
  return { ...of, tests: tests.filter(({ passed, failed }) => passed.length + failed.length > 0) };
}

function withFailures(
  failed: readonly number[],
  n: number,
  lines: readonly LineOfRun[],
  sign: 1 | -1,
): readonly number[] {
  const failing = lines.filter(({ failed_ms }) => failed_ms > 0);
  if (failing.length === 0) return failed;
  if (sign === 1) return [...failed, ...failing.flatMap(({ ordinal, failed_ms }) => [n, ordinal, failed_ms])];
  const out = new Set(failing.map(({ ordinal }) => ordinal));
  const left: number[] = [];
  for (let at = 0; at < failed.length; at += 3)
    if (failed[at] !== n || !out.has(failed[at + 1]!))
      left.push(failed[at]!, failed[at + 1]!, failed[at + 2]!);
  return left;
}

/** The lost time of a test in a run, and of runs as a whole, that changed. */
export type LostChange<P> = {
  tests: { place: P; environment: string; ordinal: number; by: number }[];
  runs: { place: P; by: number }[];
};

/** `before` and `after` have the same runs at the same places. */
export function lostChange<P>(before: CommitRuns<P>, after: CommitRuns<P>): LostChange<P> {
  const change: LostChange<P> = { tests: [], runs: [] };
  const lost = { before: new Map<number, number>(), after: new Map<number, number>() };
  for (const [of, sums, sign] of [
    [before, lost.before, -1],
    [after, lost.after, 1],
  ] as const) {
    for (const { environment, passed, failed } of of.tests) {
      for (let at = 0; at < failed.length; at += 3) {
        const [n, ordinal, ms] = [failed[at]!, failed[at + 1]!, failed[at + 2]!];
        if (countOf(passed, ordinal) === 0) continue;
        sums.set(n, (sums.get(n) ?? 0) + ms);
        change.tests.push({ place: of.runs[n]!.place, environment, ordinal, by: sign * ms });
      }
    }
    of.runs.forEach((run, n) => {
      if (run === null) return;
      const by = isRerunGreen(of, run) ? run.duration_ms! : (sums.get(n) ?? 0);
      if (by !== 0) change.runs.push({ place: run.place, by: sign * by });
    });
  }
  return change;
}

/** Whether a run is lost as a whole: another run of the same tool came after it, and was green. */
function isRerunGreen<P>(of: CommitRuns<P>, run: RunOfCommit<P>): boolean {
  if (run.outcome !== 'failed' || run.duration_ms === null) return false;
  return of.runs.some(
    (other) => other?.outcome === 'passed' && other.tool === run.tool && other.created > run.created,
  );
}
