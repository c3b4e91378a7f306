/** What pages and the command line say alike of the baseline of a run. */
import type { PassedOver } from '../comparison/baseline.js';
import type { ComparedTests } from '../comparison/compare.js';
import { counted, number } from './amounts.js';

const whys: Readonly<Record<PassedOver['reason'], string>> = {
  set_aside: 'somebody set it aside',
  empty: 'nothing ran in it',
  incomplete: 'it is incomplete',
  too_small: 'it has less than half of the tests',
};

/** `2 newer runs were passed over, the newest because it is incomplete`; empty where none was. */
export function passedOverText({ baseline, passed_over }: Found): string {
  if (passed_over === null) return '';
  const { runs, reason } = passed_over;
  const why = `because ${whys[reason]}`;
  // Without a baseline there is none that they are newer than.
  const when = baseline === null ? 'earlier' : 'newer';
  return runs === 1
    ? `${when === 'newer' ? 'a' : 'an'} ${when} run was passed over ${why}`
    : `${number(runs)} ${when} runs were passed over, the newest ${why}`;
}

/** Empty where there is a baseline. Runs that were passed over are named beside it. */
export function noBaselineText({ baseline, passed_over }: Found, branch: string): string {
  if (baseline !== null) return '';
  const none = passed_over === null ? `no earlier run of ${branch}` : `no earlier run of ${branch} is fit`;
  return `${none} to compare with: tests that are missing were not looked for`;
}

type Found = { baseline: object | null; passed_over: PassedOver | null };

/** `ran 6,488 of 6,694 tests of main; 206 missing, in 3 files`; empty where none is missing. */
export function missingTestsText(
  {
    baseline_tests,
    removed_files,
    counts: { removed },
  }: Pick<ComparedTests, 'baseline_tests' | 'removed_files'> & {
    counts: { removed: number };
  },
  branch: string,
): string {
  if (baseline_tests === null || removed === 0) return '';
  const files = removed_files === 0 ? '' : `, in ${counted(removed_files, 'file')}`;
  const ran = number(baseline_tests - removed);
  return `ran ${ran} of ${counted(baseline_tests, 'test')} of ${branch}; ${number(removed)} missing${files}`;
}
