/** The tests of a project in the order of what they cost in a window of days: the slowest, the most failing, the most expensive. */
import { setImmediate } from 'node:timers/promises';
import type { TestDocument } from '../../../projections/history/tests.js';
import {
  defaultBranchOf,
  projectSettingsDocuments,
} from '../../../projections/comparisons/run-summary-documents.js';
import {
  TESTS_PER_BUCKET,
  testPeriodDocuments,
  testPeriodId,
  testWeekDocuments,
  testWeekId,
  type TestDay,
} from '../../../projections/statistics/statistics-documents.js';
import { environmentHash, testGroup } from '../../domain/comparison/test-keys.js';
import type { Collection } from '../../domain/projection.js';
import { periodsAndWeeks } from '../../domain/statistics/days.js';
import { noQuantiles, quantilesOf, type Quantiles } from '../../domain/statistics/durations.js';
import {
  addCells,
  clearSums,
  openSums,
  testSums,
  type TestCount,
} from '../../domain/statistics/test-cells.js';
import type { TypedViews } from '../../projecting/typed-views.js';
import { inParts } from './in-parts.js';
import type { StatisticsFilter, Window } from './statistics.js';
import { filteredTests, type TestFilter } from '../tests/listed-tests.js';
import { placedLine, statesOf } from '../tests/test-states.js';
import type { Selection } from '../tests/test-views.js';

const testSorts = ['duration', 'failure_rate', 'flaky', 'lost', 'last_result_at'] as const;
export type TestSort = (typeof testSorts)[number];

export type TestStatistics = TestCount & { duration_ms: Quantiles };

type CountedTest = { test: TestDocument; statistics: TestStatistics };

/** What gives the id of a test: to make those of a page takes less time than those of a whole project. */
export type NamedTest = Pick<TestDocument, 'name' | 'test_id'>;

/** `sorted`: the first of them, or all. `searched`: how many tests it looked through. */
export type SortedTests = {
  sorted: readonly { named: NamedTest; statistics: TestStatistics }[];
  total: number;
  searched: number;
};

export type CountedPart = Window & Selection & TestFilter & Pick<StatisticsFilter, 'branch_class'>;

export type SortedPart = CountedPart & { sort: TestSort; order: 'asc' | 'desc' };

/** What several orders of the same tests share. */
export type CountedTests = { tests: readonly CountedTest[]; searched: number };

/** All tests that a list is of, in the order of their names, with what is counted of them. */
export async function countedTests(
  views: TypedViews,
  projectId: string,
  part: CountedPart,
): Promise<CountedTests> {
  const { listed, searched } = await listedTests(views, projectId, part);
  const counted = await countTests(views, projectId, part, listed);
  const tests: CountedTest[] = [];
  for await (const some of inParts(listed))
    for (const test of some) tests.push({ test, statistics: counted.get(test.ordinal) ?? none });
  return { tests, searched };
}

export async function sortTests(
  views: TypedViews,
  { tests, searched }: CountedTests,
  part: SortedPart,
): Promise<SortedTests> {
  const { sort, order } = part;
  const ran = sort === 'last_result_at' ? tests : tests.filter(({ statistics }) => statistics.runs > 0);
  const values = await valuesOf(views, ran, part);
  const direction = order === 'asc' ? 1 : -1;
  // Other requests go on between the steps, each of which is short for most projects.
  await setImmediate();
  const places = Array.from(ran.keys());
  // They come in the order of names, which is that of equal ones.
  places.sort((a, b) => {
    const [one, other] = [values[a]!, values[b]!];
    return one === other ? 0 : one < other ? -direction : direction;
  });
  await setImmediate();
  const sorted = places.map((place) => {
    const { test, statistics } = ran[place]!;
    return { named: namedOf(test), statistics };
  });
  return { sorted, total: sorted.length, searched };
}

function namedOf({ name, test_id }: TestDocument): NamedTest {
  return test_id === undefined ? { name } : { name, test_id };
}

const none: TestStatistics = { runs: 0, failures: 0, flaky_runs: 0, lost_ms: 0, duration_ms: noQuantiles };

/** Numbers, or instants as texts. A test without a duration, or without a result, comes before all others where they rise. */
async function valuesOf(
  views: TypedViews,
  tests: readonly CountedTest[],
  { sort, environment }: SortedPart,
): Promise<(number | string)[]> {
  switch (sort) {
    case 'duration':
      return tests.map(({ statistics }) => statistics.duration_ms.p50 ?? -1);
    case 'failure_rate':
      return tests.map(({ statistics: { failures, runs } }) => failures / runs);
    case 'flaky':
      return tests.map(({ statistics }) => statistics.flaky_runs);
    case 'lost':
      return tests.map(({ statistics }) => statistics.lost_ms);
    case 'last_result_at': {
      const values: string[] = [];
      for await (const some of inParts(tests)) {
        const places = some.map(({ test }) => placedLine(test, environment));
        for (const state of await statesOf(views, places)) {
          const own = environment === '' ? (state.plain ?? state) : state;
          values.push(own.last_result_at ?? '');
        }
      }
      return values;
    }
  }
}

/** In the order of names. `searched`: how many it looked through. */
async function listedTests(
  views: TypedViews,
  projectId: string,
  { branch, environment, ...wanted }: CountedPart,
): Promise<{ listed: TestDocument[]; searched: number }> {
  const of = { wanted, selection: { branch, environment } };
  const { filtered, searched } = await filteredTests(views, projectId, of, { offset: 0, limit: Infinity });
  return { listed: filtered, searched };
}

/** How many documents are read at once. Each is of 64 tests. */
const DOCUMENTS_AT_ONCE = 100;

/** By ordinal: what is counted of the tests. One bucket of tests after the other, so that few durations are in memory. */
async function countTests(
  views: TypedViews,
  projectId: string,
  part: CountedPart,
  listed: readonly TestDocument[],
): Promise<Map<number, TestStatistics>> {
  const { from, to, branch, environment } = part;
  const [settings = null] = await views.get(projectSettingsDocuments, [projectId]);
  const ofBranch = branch === undefined ? undefined : branch === defaultBranchOf(settings);
  const isDefault = part.branch_class === undefined ? ofBranch : part.branch_class === 'default';
  const hash = environment === undefined ? undefined : environmentHash(testGroup('', environment));
  const isOf = (day: TestDay): boolean =>
    day.day >= from &&
    day.day <= to &&
    (isDefault === undefined || day.is_default === isDefault) &&
    (hash === undefined || day.environment === hash);
  const buckets = [...new Set(listed.map(({ ordinal }) => Math.floor(ordinal / TESTS_PER_BUCKET)))];
  const places = periodsAndWeeks(from, to);
  const ofEach = 2 * places.periods.length + places.weeks.length;
  const counted = new Map<number, TestStatistics>();
  const sums = openSums();
  for await (const some of inParts(buckets, Math.ceil(DOCUMENTS_AT_ONCE / ofEach))) {
    const found = await daysOfTests(views, projectId, some, places);
    for (const [n, bucket] of some.entries()) {
      for (const day of found[n]!) if (isOf(day)) addCells(sums, day.cells);
      for (const { slot, durations, runs, failures, flaky_runs, lost_ms } of testSums(sums)) {
        const duration_ms = quantilesOf(durations);
        counted.set(bucket * TESTS_PER_BUCKET + slot, { runs, failures, flaky_runs, lost_ms, duration_ms });
      }
      clearSums(sums);
    }
  }
  return counted;
}

/** For each bucket, the sums of the closed weeks of the periods, and the days of all other weeks. */
async function daysOfTests(
  views: TypedViews,
  projectId: string,
  buckets: readonly number[],
  { periods, weeks }: ReturnType<typeof periodsAndWeeks>,
): Promise<TestDay[][]> {
  const days = buckets.map((): TestDay[] => []);
  const wanted: { n: number; id: string }[] = [];
  const sums = buckets.flatMap((bucket, n) =>
    periods.map((period) => ({ n, id: testPeriodId(projectId, bucket, period) })),
  );
  const found = await read(views, testPeriodDocuments, sums);
  for (const [at, { n }] of sums.entries()) {
    const period = found[at];
    if (period == null) continue;
    days[n]!.push(...period.sums);
    if (period.open !== null) wanted.push({ n, id: testWeekId(projectId, buckets[n]!, period.open) });
  }
  for (const [n, bucket] of buckets.entries())
    for (const week of weeks) wanted.push({ n, id: testWeekId(projectId, bucket, week) });
  const others = await read(views, testWeekDocuments, wanted);
  for (const [at, { n }] of wanted.entries()) days[n]!.push(...(others[at]?.days ?? []));
  return days;
}

async function read<D extends object>(
  views: TypedViews,
  collection: Collection<D>,
  wanted: readonly { id: string }[],
): Promise<(D | null)[]> {
  if (wanted.length === 0) return [];
  return views.get(
    collection,
    wanted.map(({ id }) => id),
  );
}
