/** What the pages of insights show: the statistics of a window, and tests by what they cost there. */
import type { components } from '../../../client/api.generated.js';
import { laterDay } from '../../../domain/statistics/days.js';
import type { PageApi } from '../../page-api.js';

export type Totals = components['schemas']['StatisticsTotals'];
export type Statistics = components['schemas']['ProjectStatistics'];
export type Test = components['schemas']['Test'];

export const windows = [7, 30, 90] as const;
export const classes = { '': 'All branches', default: 'Default branch', others: 'Other branches' } as const;

export type Asked = { days: (typeof windows)[number]; branch: keyof typeof classes };

/** Ninety days are shown by weeks. */
export type Step = 'day' | 'week';

/** So many of the slowest tests, and of those that cost most, are shown. */
const SHOWN = 10;
const READ = 100;

export function askedIn({ searchParams }: URL): Asked {
  const days = windows.find((each) => String(each) === searchParams.get('days')) ?? 30;
  const branch = searchParams.get('branch');
  return { days, branch: branch === 'default' || branch === 'others' ? branch : '' };
}

export function stepOf({ days }: Asked): Step {
  return days === 90 ? 'week' : 'day';
}

/** The parameters of the API. Weeks are whole ones where they can be: the newest day is today. */
export function queryOf({ days, branch }: Asked, now: Date) {
  const to = now.toISOString().slice(0, 10);
  return { from: laterDay(to, 1 - days), to, ...(branch !== '' && { branch_class: branch }) };
}

export type Costs = {
  slowest: readonly Test[];
  /** The time of all runs of the tests that were read, for the share of each. */
  time: number;
  lost: readonly Test[];
  owners: readonly { owner: string; tests: number; lost_ms: number }[];
  /** How many tests the sums are of at most. */
  of: number;
};

export async function readCosts(
  api: PageApi,
  id: string,
  query: Readonly<Record<string, string>>,
): Promise<Costs> {
  const sorted = async (sort: string) =>
    (await api.get('/v1/projects/{id}/tests', { params: { id }, query: { ...query, sort, per_page: READ } }))
      .data;
  const [slow, costly] = await Promise.all([sorted('duration'), sorted('lost')]);
  const lost = costly.filter(({ lost_ms = 0 }) => lost_ms > 0);
  const owners = new Map<string, { owner: string; tests: number; lost_ms: number }>();
  for (const { owner, lost_ms = 0 } of lost) {
    const own = owners.get(owner ?? '') ?? { owner: owner ?? '', tests: 0, lost_ms: 0 };
    owners.set(own.owner, { ...own, tests: own.tests + 1, lost_ms: own.lost_ms + lost_ms });
  }
  return {
    slowest: slow.slice(0, SHOWN),
    time: slow.reduce((sum, test) => sum + timeOf(test), 0),
    lost: lost.slice(0, SHOWN),
    owners: [...owners.values()].sort((one, other) => other.lost_ms - one.lost_ms).slice(0, SHOWN),
    of: READ,
  };
}

/** About the time that a test took in all its runs. */
export function timeOf({ duration_ms, runs = 0 }: Test): number {
  return (duration_ms?.p50 ?? 0) * runs;
}

/** From 0 to 1; null where nothing ran. */
export function greenRate({ runs: { passed, failed } }: Totals): number | null {
  return passed + failed === 0 ? null : passed / (passed + failed);
}

export function passRate({ results: { passed, failed } }: Totals): number | null {
  return passed + failed === 0 ? null : passed / (passed + failed);
}

/** Flaky results for each result that passed or failed. */
export function flakyRate({ flaky_tests, results: { passed, failed } }: Totals): number | null {
  return passed + failed === 0 ? null : flaky_tests / (passed + failed);
}

export function runsOf({ runs: { passed, failed, skipped, empty } }: Totals): number {
  return passed + failed + skipped + empty;
}
