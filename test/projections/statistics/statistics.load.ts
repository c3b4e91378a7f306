import { expect } from 'chai';
import * as fc from 'fast-check';
import type { RunSummaryDocument } from '../../../projections/comparisons/run-summary-documents.js';
import { history } from '../../../projections/history/history.js';
import type { TestDocument } from '../../../projections/history/tests.js';
import {
  TESTS_PER_BUCKET,
  type LostDayDocument,
  type StatisticsWeekDocument,
  type TestPeriodDocument,
  type TestWeekDocument,
} from '../../../projections/statistics/statistics-documents.js';
import { environmentHash, testGroup } from '../../../src/domain/comparison/test-keys.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { distinctIn } from '../../../src/domain/statistics/counted-numbers.js';
import { laterDay } from '../../../src/domain/statistics/days.js';
import { countNames } from '../../../src/domain/statistics/day-rows.js';
import { DURATION_CLASSES, quantilesOf } from '../../../src/domain/statistics/durations.js';
import { addCells, openSums, testSums, type CellSums } from '../../../src/domain/statistics/test-cells.js';
import { historyEvent } from '../../../src/domain/test-history/result-change.js';
import type { TypedViews } from '../../../src/projecting/typed-views.js';
import { countedTests, type CountedPart } from '../../../src/queries/statistics/sorted-tests.js';
import { everyTest } from '../../../src/queries/tests/listed-tests.js';
import { fold } from '../folding.js';
import { batchSizes } from '../result-histories.js';
import { longRunHistories, runHistories } from './run-histories.js';
import { completedRuns, statisticsOf, type ModelRows, type ModelTests } from './statistics.model.js';

const foldHistory = async (events: readonly LedgerEvent[], sizes?: readonly number[]) =>
  (await fold(events.map(historyEvent), sizes, history)).texts;

function* documentsOf<D>(texts: ReadonlyMap<string, string>, name: string): Generator<[string, D]> {
  for (const [key, text] of texts)
    if (key.startsWith(`${name}/`)) yield [key.slice(name.length + 1), JSON.parse(text) as D];
}

type Shown = Record<string, { numbers: Record<string, number>; durations: number[]; tests?: number }>;

/** What the fold counted: rows by their place, with the counts of classes of durations. */
function rowsIn(texts: ReadonlyMap<string, string>): Shown {
  const shown: Shown = {};
  for (const [id, { rows }] of documentsOf<StatisticsWeekDocument>(texts, 'statistics_weeks')) {
    const branch = id.includes('=') ? ` ${id.slice(id.indexOf('=') + 1)}` : '';
    for (const { day, is_default, tool, environment, counts, durations, tests } of rows) {
      const numbers = Object.fromEntries(countNames.map((name, n) => [name, counts[n]!]));
      const key = JSON.stringify([day, is_default, tool, environment]) + branch;
      expect(shown).not.to.have.property(key);
      shown[key] = { numbers, durations: [...durations], tests: distinctIn([tests]) };
    }
  }
  return shown;
}

function testsIn(texts: ReadonlyMap<string, string>): Shown {
  const names = namesByOrdinal(texts);
  const keys = new Map(
    ['', 'os=linux'].map((environment) => [environmentHash(testGroup('', environment)), environment]),
  );
  const shown: Shown = {};
  for (const [id, { days }] of documentsOf<TestWeekDocument>(texts, 'statistics_tests')) {
    for (const { day, is_default, environment, cells } of days) {
      const sums = openSums();
      addCells(sums, cells);
      for (const { slot, durations, ...numbers } of testSums(sums)) {
        const name = names.get(Number(id.split('#')[1]) * TESTS_PER_BUCKET + slot)!;
        const pairs = [...durations].flatMap((count, each) => (count === 0 ? [] : [each, count]));
        shown[JSON.stringify([day, is_default, name, keys.get(environment)])] = { numbers, durations: pairs };
      }
    }
  }
  return shown;
}

function namesByOrdinal(texts: ReadonlyMap<string, string>): Map<number, string> {
  return new Map([...documentsOf<TestDocument>(texts, 'tests')].map(([, test]) => [test.ordinal, test.name]));
}

/** As a store answers them, with the tests of the one project. */
function viewsOf(texts: ReadonlyMap<string, string>): TypedViews {
  const views: Record<keyof TypedViews, unknown> = {
    get: async ({ name }: { name: string }, ids: readonly string[]) =>
      ids.map((id) => JSON.parse(texts.get(`${name}/${id}`) ?? 'null')),
    find: async () => ({ items: [...documentsOf(texts, 'tests')].map(([, test]) => test), next: null }),
  };
  return views as TypedViews;
}

/** By the ordinal of the test: what all days of the window count. */
function countedInWeeks(
  texts: ReadonlyMap<string, string>,
  { from, to, branch_class }: CountedPart,
): Record<string, object> {
  const sums = new Map<number, CellSums>();
  for (const [id, { days }] of documentsOf<TestWeekDocument>(texts, 'statistics_tests')) {
    const bucket = Number(id.split('#')[1]);
    if (!sums.has(bucket)) sums.set(bucket, openSums());
    for (const { day, is_default, cells } of days) {
      const isOf = branch_class === undefined || is_default === (branch_class === 'default');
      if (isOf && day >= from && day <= to) addCells(sums.get(bucket)!, cells);
    }
  }
  const all = [...sums].flatMap(([bucket, own]) =>
    testSums(own).map(({ slot, durations, ...counts }) => {
      const statistics = { ...counts, duration_ms: quantilesOf(durations) };
      return [String(bucket * TESTS_PER_BUCKET + slot), statistics] as const;
    }),
  );
  return Object.fromEntries(all);
}

/** By day and name: what a digest tells of. */
function lostIn(texts: ReadonlyMap<string, string>): Record<string, number> {
  const names = namesByOrdinal(texts);
  return Object.fromEntries(
    [...documentsOf<LostDayDocument>(texts, 'statistics_lost')].flatMap(([id, { tests }]) =>
      Object.entries(tests).map(([ordinal, ms]) => [`${id.split('#')[1]} ${names.get(Number(ordinal))}`, ms]),
    ),
  );
}

function lostOf(tests: ModelTests): Record<string, number> {
  const lost: Record<string, number> = {};
  for (const [key, { numbers }] of tests) {
    const [day, , name] = JSON.parse(key) as string[];
    const ms = numbers['lost_ms'] ?? 0;
    if (ms > 0) lost[`${day} ${name}`] = (lost[`${day} ${name}`] ?? 0) + ms;
  }
  return lost;
}

function expectSame(shown: Shown, model: ModelRows | ModelTests): void {
  expect(Object.keys(shown).sort()).to.deep.equal([...model.keys()].sort());
  for (const [key, expected] of model) {
    const { numbers, durations, tests } = shown[key]!;
    for (const [name, value] of Object.entries(numbers))
      expect(value, `${name} of ${key}`).to.equal(expected.numbers[name] ?? 0);
    if ('tests' in expected) expect(tests, `tests of ${key}`).to.equal(expected.tests.size);
    expectQuantiles(durations, expected.durations, key);
  }
}

function expectQuantiles(pairs: readonly number[], exact: readonly number[], key: string): void {
  const counts = new Int32Array(DURATION_CLASSES);
  for (let at = 0; at < pairs.length; at += 2) counts[pairs[at]!]! += pairs[at + 1]!;
  expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(exact.length);
  const sorted = exact.toSorted((one, other) => one - other);
  const { p50, p95 } = quantilesOf(counts);
  for (const [value, share] of [
    [p50, 0.5],
    [p95, 0.95],
  ] as const) {
    const wanted = sorted[Math.ceil(share * sorted.length) - 1];
    if (wanted === undefined) expect(value, key).to.equal(null);
    else expect(Math.abs(value! - wanted), key).to.be.at.most(0.02 * wanted);
  }
}

describe('the statistics of any history', () => {
  it('are what a count of its end gives', async () => {
    await fc.assert(
      fc.asyncProperty(runHistories, batchSizes, async (events, sizes) => {
        const texts = await foldHistory(events, sizes);
        const summaries = new Map(documentsOf<RunSummaryDocument>(texts, 'run_summaries'));
        const { rows, tests } = statisticsOf(events, summaries);
        expectSame(rowsIn(texts), rows);
        expectSame(testsIn(texts), tests);
        expect(lostIn(texts)).to.deep.equal(lostOf(tests));
      }),
      { numRuns: 300 },
    );
  }).timeout(240_000);

  it('are the same bytes wherever the batches of a fold end', async () => {
    await fc.assert(
      fc.asyncProperty(runHistories, batchSizes, async (events, sizes) => {
        const one = await foldHistory(events);
        for (const other of [
          await foldHistory(events, sizes),
          await foldHistory(events, [events.length + 1]),
        ])
          expect(Object.fromEntries(other)).to.deep.equal(Object.fromEntries(one));
      }),
      { numRuns: 30 },
    );
  }).timeout(120_000);

  it('of any window are what all of its days count, though most weeks are read as sums', async () => {
    const [day, days] = [fc.integer({ min: -10, max: 180 }), fc.nat(200)];
    const windows = fc.array(fc.tuple(day, days, fc.constantFrom(undefined, 'default', 'others')), {
      minLength: 5,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(longRunHistories, batchSizes, windows, async (events, sizes, all) => {
        const texts = await foldHistory(events, sizes);
        const project = events.find(({ type }) => type === 'ProjectCreated')!.data as { project_id: string };
        const start = events[0]!.meta.at.slice(0, 10);
        for (const [first, length, branch_class] of all) {
          const from = laterDay(start, first);
          const part = { ...everyTest, from, to: laterDay(from, length), branch_class };
          const { tests } = await countedTests(viewsOf(texts), project.project_id, part);
          const counted = tests.filter(({ statistics: { runs, lost_ms } }) => runs + lost_ms > 0);
          const byOrdinal = counted.map(({ test, statistics }) => [test.ordinal, statistics] as const);
          expect(Object.fromEntries(byOrdinal)).to.deep.equal(countedInWeeks(texts, part));
        }
      }),
      { numRuns: 40 },
    );
  }).timeout(120_000);

  it('have lost time, reruns, moves, corrections and weeks with sums in these histories', async () => {
    const seen = { lost: 0, reruns: 0, flaky: 0, completed: 0, others: 0, sums: 0 };
    for (const events of fc.sample(runHistories, { numRuns: 60, seed: 1 })) {
      const texts = await foldHistory(events, [50]);
      seen.completed += completedRuns(events).length;
      for (const { numbers } of Object.values(rowsIn(texts))) if (numbers['lost_ms']! > 0) seen.reruns += 1;
      for (const [key, { numbers }] of Object.entries(testsIn(texts))) {
        if (numbers['lost_ms']! > 0) seen.lost += 1;
        if (numbers['flaky_runs']! > 0) seen.flaky += 1;
        if (key.includes('false')) seen.others += 1;
      }
    }
    for (const events of fc.sample(longRunHistories, { numRuns: 24, seed: 1 })) {
      const periods = documentsOf<TestPeriodDocument>(await foldHistory(events, [50]), 'statistics_periods');
      for (const [, { sums }] of periods) seen.sums += sums.length;
    }
    for (const [name, count] of Object.entries(seen)) expect(count, name).to.be.greaterThan(20);
  });
});
