/**
 * The time that was lost to failures which were no fault of the commit: what the completed runs of one commit and environment say of
 * each other. A failed attempt is innocent if its test passed at the commit, in its own run or in another one. A red run that was run
 * again green is lost as a whole.
 */
import type { Outcome } from '../counts.js';
import type { Position } from '../event.js';
import { countOf, withCounts, type CountedNumbers } from './counted-numbers.js';
import { passedIn, type LineOfRun, type TestsOfRun } from './tests-of-run.js';

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

/** Takes out a run whose tests are out already. */
export function withoutRun<P>(of: CommitRuns<P>, id: string): CommitRuns<P> {
  return { ...of, runs: of.runs.map((each) => (each?.id === id ? null : each)) };
}

/** Adds tests of a run (1), or takes them out (-1). */
export function withTests<P>(
  of: CommitRuns<P>,
  id: string,
  added: readonly TestsOfRun[],
  sign: 1 | -1,
): CommitRuns<P> {
  const n = of.runs.findIndex((each) => each?.id === id);
  const tests = [...of.tests];
  for (const own of added) {
    const { environment } = own;
    const at = tests.findIndex((each) => each.environment === environment);
    const { passed, failed } = tests[at] ?? { passed: [], failed: [] };
    const next = {
      environment,
      passed: withCounts(passed, passedIn(own, sign)),
      failed: withFailures(failed, n, own.others, sign),
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
  if (sign === 1) {
    const all = failed.slice();
    for (const { ordinal, failed_ms } of failing) all.push(n, ordinal, failed_ms);
    return all;
  }
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
  const [former, present] = [lostIn(before), lostIn(after)];
  for (const [of, own, other, sign] of [
    [before, former, present, -1],
    [after, present, former, 1],
  ] as const) {
    // Of most runs of a commit, nothing changes.
    const isSame = (n: number): boolean => before.runs[n] === after.runs[n];
    for (const [n, ms] of own.runs)
      if (!isSame(n) || other.runs.get(n) !== ms)
        change.runs.push({ place: of.runs[n]!.place, by: sign * ms });
    for (const [environment, tests] of own.tests) {
      const others = other.tests.get(environment);
      for (const [key, ms] of tests) {
        const n = Math.floor(key / OF_ONE_RUN);
        if (!isSame(n) || others?.get(key) !== ms)
          change.tests.push({
            place: of.runs[n]!.place,
            environment,
            ordinal: key % OF_ONE_RUN,
            by: sign * ms,
          });
      }
    }
  }
  return change;
}

/** By the place of a run. `tests`: by environment, then the place times `OF_ONE_RUN` plus the ordinal: texts take longer to make. */
type Lost = { tests: Map<string, Map<number, number>>; runs: Map<number, number> };

/** More than there are ordinals. */
const OF_ONE_RUN = 2 ** 32;

function lostIn(of: CommitRuns<unknown>): Lost {
  const lost: Lost = { tests: new Map(), runs: new Map() };
  for (const { environment, passed, failed } of of.tests) {
    const tests = new Map<number, number>();
    for (let at = 0; at < failed.length; at += 3) {
      const [n, ordinal, ms] = [failed[at]!, failed[at + 1]!, failed[at + 2]!];
      if (countOf(passed, ordinal) === 0) continue;
      lost.runs.set(n, (lost.runs.get(n) ?? 0) + ms);
      tests.set(n * OF_ONE_RUN + ordinal, ms);
    }
    if (tests.size > 0) lost.tests.set(environment, tests);
  }
  const newestGreen = newestGreenByTool(of);
  for (let n = 0; newestGreen.size > 0 && n < of.runs.length; n += 1) {
    const run = of.runs[n]!;
    if (run?.outcome !== 'failed' || run.duration_ms === null) continue;
    // A red run is lost as a whole where a run of the same tool came after it, and was green.
    const green = newestGreen.get(run.tool);
    if (green !== undefined && green > run.created) lost.runs.set(n, run.duration_ms);
  }
  return lost;
}

function newestGreenByTool({ runs }: CommitRuns<unknown>): Map<string | null, Position> {
  const newest = new Map<string | null, Position>();
  for (const run of runs) {
    if (run?.outcome !== 'passed') continue;
    const known = newest.get(run.tool);
    if (known === undefined || run.created > known) newest.set(run.tool, run.created);
  }
  return newest;
}
