/**
 * The documents of the statistics. They are of weeks: a query of 400 days reads some sixty of them for a project, and a run that is
 * completed writes one again, and not all that was ever counted.
 */
import type { EnvironmentKey } from '../../src/domain/environment.js';
import { collection } from '../../src/domain/projection.js';
import type { CommitRuns } from '../../src/domain/statistics/commit-runs.js';
import type { DayRow, RowPlace } from '../../src/domain/statistics/day-rows.js';
import { weekOf, type Day } from '../../src/domain/statistics/days.js';
import { SLOTS, type Cells } from '../../src/domain/statistics/test-cells.js';

/** By project id, `#` and the week; the rows of one branch alone by `=` and the branch behind it. */
export type StatisticsWeekDocument = { rows: readonly DayRow[] };

export const statisticsWeekDocuments = collection<StatisticsWeekDocument>({
  name: 'statistics_weeks',
  ids: 'project',
  indexes: [],
});

export function weekId(projectId: string, week: Day, branch: string | null): string {
  return branch === null ? `${projectId}#${week}` : `${projectId}#${week}=${branch}`;
}

/** `environment`: its hash (`environmentHash`), empty without one. */
export type TestDay = Cells & { day: Day; is_default: boolean; environment: string };

/**
 * By project id, `#`, the number of the bucket, `#` and the week: what is counted of tests whose ordinals are side by side.
 * `closed`: it is in the sums of its period.
 */
export type TestWeekDocument = { days: readonly TestDay[]; closed: boolean };

export const testWeekDocuments = collection<TestWeekDocument>({
  name: 'statistics_tests',
  ids: 'project',
  indexes: [],
});

export const TESTS_PER_BUCKET = SLOTS;

export function testWeekId(projectId: string, bucket: number, week: Day): string {
  return `${projectId}#${bucket}#${week}`;
}

/**
 * By the same with the period in place of the week: what its closed weeks count together, as if all were on its first day.
 * `open`: the one week that may have a document and is not closed, its newest one; null once a later period has begun.
 */
export type TestPeriodDocument = { sums: readonly TestDay[]; open: Day | null };

export const testPeriodDocuments = collection<TestPeriodDocument>({
  name: 'statistics_periods',
  ids: 'project',
  rarelyRead: true,
  indexes: [],
});

export function testPeriodId(projectId: string, bucket: number, period: Day): string {
  return `${projectId}#${bucket}#${period}`;
}

/** By project id, `#` and the day: what is lost of tests, by their ordinals. */
export type LostDayDocument = { tests: Readonly<Record<string, number>> };

export const lostDayDocuments = collection<LostDayDocument>({
  name: 'statistics_lost',
  ids: 'project',
  rarelyRead: true,
  indexes: [],
});

export function lostDayId(projectId: string, day: Day): string {
  return `${projectId}#${day}`;
}

/** Where a run is counted. */
export type RunPlace = RowPlace & { branch: string | null };

/**
 * By project id, `#`, a number, `#`, the length of the key of the environment, this key, `=` and the commit. `newest`: the number of
 * the one that takes the next run, in the one with the number 0.
 */
export type CommitRunsDocument = CommitRuns<RunPlace> & { newest?: number };

export const commitRunsDocuments = collection<CommitRunsDocument>({
  name: 'commit_runs',
  ids: 'project',
  indexes: [],
});

export function commitId(
  projectId: string,
  { environment, commit }: { environment: EnvironmentKey; commit: string },
  n: number,
): string {
  return `${projectId}#${n}#${environment.length}:${environment}=${commit}`;
}

/** The ids of the documents of one run, without those of its tests. */
export function weekIdsOf(projectId: string, { day, branch }: RunPlace): string[] {
  const week = weekOf(day);
  return branch === null
    ? [weekId(projectId, week, null)]
    : [weekId(projectId, week, null), weekId(projectId, week, branch)];
}
