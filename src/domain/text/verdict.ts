/** What the page of a run and the command line say alike in the first line about a run. */
import { some } from './amounts.js';

type Run = {
  status: 'pending' | 'running' | 'completed';
  counts: Record<'pending' | 'running' | 'passed' | 'skipped' | 'known_fail', number>;
};
type Failures = Record<'new_failures' | 'still_failing' | 'known', number>;

/** The three kinds of failures are apart, so they add up (docs/api.md, section 11). Superseded attempts are in none. */
export function failuresOf({ new_failures, still_failing, known }: Failures): number {
  return new_failures + still_failing + known;
}

/**
 * `3 new, 7 also on main, 2 known`: without a baseline every failure is new, and in a run of the default branch itself the others
 * are still failing. `branch`: the default branch, as it is shown.
 */
export function kindsOfFailures(
  { new_failures, still_failing, known }: Failures,
  { hasBaseline, isOnDefault, branch }: { hasBaseline: boolean; isOnDefault: boolean; branch: string },
): string {
  return [
    ...some(new_failures, 'new'),
    ...some(still_failing, isOnDefault ? 'still failing' : `also on ${branch}`),
    ...some(known, 'known'),
    ...(hasBaseline ? [] : ['nothing to compare with']),
  ].join(', ');
}

/** What is said after the failures: `2 flaky`, `48,211 passed`. */
export function restOf({ status, counts }: Run, compared: Record<'flaky' | 'fixed', number>): string[] {
  return [
    ...some(compared.flaky, 'flaky'),
    ...some(compared.fixed, 'fixed'),
    ...some(counts.passed, 'passed'),
    ...some(counts.skipped, 'skipped'),
    ...some(counts.known_fail, 'expected to fail'),
    ...some(counts.pending + counts.running, status === 'completed' ? 'unfinished' : 'still to come'),
  ];
}
