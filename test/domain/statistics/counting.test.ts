import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  countOf,
  distinctIn,
  withCounts,
  type CountedNumbers,
} from '../../../src/domain/statistics/counted-numbers.js';
import { dayInWeek, daysFrom, laterDay, weekOf, weeksFrom } from '../../../src/domain/statistics/days.js';
import { durationClass, durationOf, DURATION_CLASSES } from '../../../src/domain/statistics/durations.js';
import { openCells, withCells, type CellChange } from '../../../src/domain/statistics/test-cells.js';

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
        const sorted = (numbers: readonly number[], by: number) =>
          numbers.toSorted((one, other) => one - other).map((number) => ({ number, by }));
        const add = (counted: CountedNumbers, all: readonly number[][], by: number) =>
          all.reduce((sum, numbers) => withCounts(sum, sorted(numbers, by)), counted);
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

describe('the cells of tests', () => {
  it('add up to any changes, and count nothing once all is taken back', () => {
    const change = fc.record({
      slot: fc.nat(63),
      runs: fc.nat(2_000),
      failures: fc.nat(50),
      flaky_runs: fc.nat(2),
      lost_ms: fc.integer({ min: 0, max: 1e14 }),
      durations: fc
        .uniqueArray(fc.nat(DURATION_CLASSES - 1), { maxLength: 3 })
        .map((all) => all.flatMap((one) => [one, 1])),
    });
    const one = fc
      .record({
        slot: fc.nat(63),
        durations: fc.nat(DURATION_CLASSES - 1).map((each) => [each, 1]),
      })
      .map((own): CellChange => ({ ...own, runs: 1, failures: 0, flaky_runs: 0, lost_ms: 0 }));
    const changes = fc
      .uniqueArray(fc.oneof(change, one), { selector: ({ slot }) => slot, maxLength: 20 })
      .map((all): CellChange[] => all.toSorted((first, other) => first.slot - other.slot));
    const back = (all: readonly CellChange[]) =>
      all.map(({ slot, runs, failures, flaky_runs, lost_ms, durations }) => ({
        slot,
        runs: -runs,
        failures: -failures,
        flaky_runs: -flaky_runs,
        lost_ms: -lost_ms,
        durations: durations.map((each, n) => (n % 2 === 0 ? each : -each)),
      }));
    fc.assert(
      fc.property(changes, changes, (first, more) => {
        const cells = withCells('', first);
        expect(withCells(withCells(cells, more), back(more))).to.equal(cells);
        expect(withCells(cells, back(first))).to.equal('');
        const counts = first.filter(({ runs, failures, flaky_runs, lost_ms, durations }) => {
          return runs + failures + flaky_runs + lost_ms + durations.length > 0;
        });
        const read: unknown[] = [];
        for (const cell = openCells(cells); cell.next();) {
          const { slot, runs, failures, flaky_runs, lost_ms, durations } = cell;
          read.push({ slot, runs, failures, flaky_runs, lost_ms, durations: new Map(pairs(durations)) });
        }
        expect(read).to.deep.equal(
          counts.map((each) => ({ ...each, durations: new Map(pairs(each.durations)) })),
        );
      }),
    );
  });
});

function pairs(durations: readonly number[]): [number, number][] {
  return Array.from({ length: durations.length / 2 }, (_, n) => [durations[2 * n]!, durations[2 * n + 1]!]);
}

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
});
