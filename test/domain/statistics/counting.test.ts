import { expect } from 'chai';
import * as fc from 'fast-check';
import { lostChange, noRuns, withRun, type CommitRuns } from '../../../src/domain/statistics/commit-runs.js';
import {
  addRange,
  countOf,
  distinctIn,
  withCounts,
  type CountedNumbers,
} from '../../../src/domain/statistics/counted-numbers.js';
import {
  dayInWeek,
  daysFrom,
  DAYS_IN_PERIOD,
  laterDay,
  periodOf,
  periodsAndWeeks,
  weekOf,
  weeksFrom,
} from '../../../src/domain/statistics/days.js';
import { durationClass, durationOf, DURATION_CLASSES } from '../../../src/domain/statistics/durations.js';
import {
  addCells,
  noCells,
  openSums,
  testSums,
  withCells,
  type Cells,
} from '../../../src/domain/statistics/test-cells.js';
import { testsOfResults } from '../../../src/domain/statistics/tests-of-run.js';
import { changesOfTests } from '../../../projections/statistics/test-weeks.js';
import type { RunResult } from '../../../src/domain/comparison/packed-line.js';

describe('a class of durations', () => {
  it('stands for each of its durations within 2 %', () => {
    const duration = fc.oneof(fc.nat(10_000), fc.integer({ min: 0, max: 1e12 }));
    fc.assert(
      fc.property(duration, (ms) => {
        expect(Math.abs(durationOf(durationClass(ms)) - ms)).to.be.at.most(0.02 * ms);
      }),
      { numRuns: 2_000 },
    );
    expect(durationClass(Number.MAX_SAFE_INTEGER)).to.be.below(DURATION_CLASSES);
  });
});

describe('numbers that are counted as ranges', () => {
  it('have the counts of any changes, and are the same ranges whatever the way to them', () => {
    const changes = fc.array(fc.uniqueArray(fc.nat(60), { maxLength: 30 }), { maxLength: 6 });
    fc.assert(
      fc.property(changes, changes, (added, more) => {
        const ranges = (numbers: readonly number[], by: number): CountedNumbers => {
          const found: number[] = [];
          for (const number of numbers.toSorted((one, other) => one - other))
            addRange(found, number, number, by);
          return found;
        };
        const add = (counted: CountedNumbers, all: readonly number[][], by: number) =>
          all.reduce((sum, numbers) => withCounts(sum, ranges(numbers, by)), counted);
        const counted = add([], added, 1);
        const counts = new Map<number, number>();
        for (const number of added.flat()) counts.set(number, (counts.get(number) ?? 0) + 1);
        for (let number = 0; number <= 61; number += 1)
          expect(countOf(counted, number)).to.equal(counts.get(number) ?? 0);
        expect(distinctIn([counted])).to.equal(counts.size);
        expect(distinctIn([counted, add([], more, 1)])).to.equal(new Set([...added, ...more].flat()).size);
        expect(add(add(counted, more, 1), more, -1)).to.deep.equal(counted);
      }),
    );
  });
});

describe('a red run of a commit', () => {
  it('is lost as a whole where a run of its tool came after it, and was green', () => {
    const run = fc.record({
      created: fc.integer({ min: 100, max: 130 }),
      tool: fc.constantFrom('vitest', 'jest', null),
      outcome: fc.constantFrom('passed' as const, 'failed' as const, null),
      duration_ms: fc.constantFrom(null, 0, 7),
    });
    // A place is taken again after its run was taken out.
    const runs = fc.array(fc.option(run), { maxLength: 12 });
    let lost = 0;
    fc.assert(
      fc.property(runs, (all) => {
        const taken: CommitRuns<number> = { ...noRuns, runs: [] };
        const of = all.reduce<CommitRuns<number>>((before, each, n) => {
          if (each === null) return { ...before, runs: [...before.runs, null] };
          return withRun(before, { ...each, id: `run_${n}`, created: String(each.created), place: n });
        }, taken);
        const expected = all.flatMap((each, n) => {
          if (each === null || each.outcome !== 'failed' || each.duration_ms === null) return [];
          const { tool, created } = each;
          const isRerun = all.some(
            (other) => other?.outcome === 'passed' && other.tool === tool && other.created > created,
          );
          return isRerun ? [{ place: n, by: each.duration_ms }] : [];
        });
        lost += expected.length;
        const found = lostChange(noRuns, of).runs.toSorted((one, other) => one.place - other.place);
        expect(found).to.deep.equal(expected);
      }),
      { numRuns: 300 },
    );
    expect(lost).to.be.greaterThan(20);
  });
});

describe('the cells of tests', () => {
  const line = fc.record({
    ordinal: fc.integer({ min: 640, max: 703 }),
    failed_ms: fc.nat(9_999),
    flaky: fc.boolean(),
    durations: fc.array(fc.integer({ min: 0, max: 1e14 }), { maxLength: 3 }),
  });
  const run = fc.uniqueArray(line, { selector: ({ ordinal }) => ordinal, maxLength: 64 });
  const result = (of: Partial<RunResult>) => ({ group: '', superseded: false, ...of }) as RunResult;
  const testsOf = (lines: readonly (typeof line extends fc.Arbitrary<infer L> ? L : never)[]) =>
    testsOfResults(
      lines.flatMap(({ ordinal, failed_ms, flaky, durations }) => [
        ...durations.map((duration_ms) => result({ ordinal, status: 'Passed', duration_ms })),
        ...(flaky ? [result({ ordinal, status: 'Failed', superseded: true, duration_ms: failed_ms })] : []),
      ]),
    );
  const place = { day: '2026-11-23', is_default: true };
  const count = (cells: Cells, lines: Parameters<typeof testsOf>[0], sign: 1 | -1): Cells =>
    changesOfTests(place, testsOf(lines), sign).reduce(
      (sum, change) => withCells(sum, { ...change, first: 640 }),
      cells,
    );

  it('add up to any runs, however many, and count nothing once all is taken back', () => {
    const runs = fc.array(run, { maxLength: 40 });
    fc.assert(
      fc.property(runs, (all) => {
        const cells = all.reduce((sum, lines) => count(sum, lines, 1), noCells);
        const expected = new Map<number, number[]>();
        for (const { ordinal, durations, flaky } of all.flat()) {
          if (durations.length === 0) continue;
          const own = expected.get(ordinal) ?? [0, 0, 0];
          expected.set(ordinal, [own[0]! + 1, own[1]! + (flaky ? 1 : 0), own[2]! + durations.length]);
        }
        const sums = openSums();
        addCells(sums, cells.cells);
        const read = new Map<number, number[]>();
        for (const { slot, runs, flaky_runs, durations } of testSums(sums))
          read.set(640 + slot, [runs, flaky_runs, durations.reduce((sum, each) => sum + each, 0)]);
        expect(read).to.deep.equal(expected);
        expect(all.reduce((sum, lines) => count(sum, lines, -1), cells).cells).to.equal('');
      }),
    );
  });

  it('of a day with many runs are not much longer than one cell for each test', () => {
    const lines = Array.from({ length: 64 }, (_, n) => {
      return { ordinal: 640 + n, failed_ms: 0, flaky: false, durations: [20 + n] };
    });
    let cells = noCells;
    for (let n = 0; n < 300; n += 1) cells = count(cells, lines, 1);
    expect(cells.cells.length).to.be.below(6_000);
  });
});

describe('days and weeks', () => {
  it('are of UTC, and weeks begin on a Monday', () => {
    expect(weekOf('2026-11-29')).to.equal('2026-11-23');
    expect(weekOf('2026-11-23')).to.equal('2026-11-23');
    expect(weekOf('1969-12-31')).to.equal('1969-12-29');
    expect(dayInWeek('2026-11-29')).to.equal(6);
    expect(laterDay('2026-02-28', 1)).to.equal('2026-03-01');
    expect(daysFrom('2026-11-29', '2026-12-01')).to.deep.equal(['2026-11-29', '2026-11-30', '2026-12-01']);
    expect(weeksFrom('2026-11-29', '2026-12-07')).to.deep.equal(['2026-11-23', '2026-11-30', '2026-12-07']);
  });

  it('of a window are in its whole periods, or else in its weeks, and each once', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000, max: 30_000 }), fc.nat(500), (first, length) => {
        const from = laterDay('1970-01-01', first);
        const to = laterDay(from, length);
        const { periods, weeks } = periodsAndWeeks(from, to);
        const days = [
          ...periods.flatMap((period) => daysFrom(period, laterDay(period, DAYS_IN_PERIOD - 1))),
          ...weeks
            .flatMap((week) => daysFrom(week, laterDay(week, 6)))
            .filter((day) => day >= from && day <= to),
        ];
        expect(days.toSorted()).to.deep.equal(daysFrom(from, to));
        for (const period of periods) expect(periodOf(laterDay(period, 30))).to.equal(period);
        expect(weeks.length).to.be.at.most(2 * (DAYS_IN_PERIOD / 7));
      }),
    );
  });
});
