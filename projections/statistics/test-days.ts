/** What changes in the days of one bucket of tests. */
import type { Day } from '../../src/domain/statistics/days.js';
import { noCells, withCells, type CellChanges, type Cells } from '../../src/domain/statistics/test-cells.js';
import type { TestDay } from './statistics-documents.js';

/** The changes of one document. */
export type TestWeek = { id: string; bucket: number; week: Day; changes: DayChange[] };

/** Of one day, in one environment. */
export type DayChange = Pick<TestDay, 'day' | 'is_default' | 'environment'> & { change: CellChanges };

export function withChange(days: readonly TestDay[], { change, ...place }: DayChange): readonly TestDay[] {
  return withDay(days, place, (former) => withCells(former, change));
}

/** A day of which nothing is counted is left out. */
export function withDay(
  days: readonly TestDay[],
  { day, is_default, environment }: Omit<DayChange, 'change'>,
  cellsAfter: (former: Cells) => Cells,
): readonly TestDay[] {
  const at = days.findIndex(
    (each) => each.day === day && each.is_default === is_default && each.environment === environment,
  );
  const after = cellsAfter(days[at] ?? noCells);
  if (after.cells === '') return days.filter((_, n) => n !== at);
  const own = { day, is_default, environment, ...after };
  return at === -1 ? [...days, own] : days.with(at, own);
}
