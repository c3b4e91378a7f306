/**
 * The sums of weeks that are over. The first run of a later week closes a week: it adds it to the sums of its period. So a run costs
 * no more, and a question of 400 days reads a fifth of the documents.
 */
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { DAYS_IN_PERIOD, laterDay, periodOf, type Day } from '../../src/domain/statistics/days.js';
import { addedUp } from '../../src/domain/statistics/test-cells.js';
import {
  testPeriodDocuments,
  testPeriodId,
  testWeekDocuments,
  testWeekId,
  type TestDay,
} from './statistics-documents.js';
import { withChange, withDay, type TestWeek } from './test-days.js';

type Place = Pick<TestWeek, 'bucket' | 'week'>;

/** The period of the week, and the one before it, whose open week may end with it. */
function periodsOf({ week }: Place): [own: Day, before: Day] {
  const own = periodOf(week);
  return [own, laterDay(own, -DAYS_IN_PERIOD)];
}

/** All documents that are read or changed with weeks that have none, or that are closed. */
export function* periodSteps(
  documents: ReadableDocuments,
  projectId: string,
  weeks: readonly Place[],
): Generator<readonly DocumentRef[], void> {
  const places = weeks.flatMap((each) =>
    periodsOf(each).map((period) => ({ ...each, id: testPeriodId(projectId, each.bucket, period) })),
  );
  yield places.map(({ id }) => testPeriodDocuments.at(id));
  yield places.flatMap(({ bucket, id }) => {
    const open = documents.get(testPeriodDocuments, id)?.open ?? null;
    return open === null ? [] : [testWeekDocuments.at(testWeekId(projectId, bucket, open))];
  });
}

/** Begins a week, and closes the one that was open. Returns whether it is closed from the start: a later one has begun already. */
export function isBegunClosed(documents: Documents, projectId: string, { bucket, week }: Place): boolean {
  const [period, before] = periodsOf({ bucket, week });
  const id = testPeriodId(projectId, bucket, period);
  const own = documents.get(testPeriodDocuments, id);
  if (own === null) {
    close(documents, projectId, { bucket, period: before, next: null });
    documents.put(testPeriodDocuments, id, { sums: [], open: week });
    return false;
  }
  // The only document of the open week was removed.
  if (own.open === week) return false;
  if (own.open === null || week < own.open) return true;
  close(documents, projectId, { bucket, period, next: week });
  return false;
}

function close(
  documents: Documents,
  projectId: string,
  { bucket, period, next }: { bucket: number; period: Day; next: Day | null },
): void {
  const id = testPeriodId(projectId, bucket, period);
  const { sums, open } = documents.get(testPeriodDocuments, id) ?? { sums: [], open: null };
  if (open === null) return;
  const weekId = testWeekId(projectId, bucket, open);
  const week = documents.get(testWeekDocuments, weekId);
  const days = week?.days ?? [];
  documents.put(testPeriodDocuments, id, { sums: withDays(sums, period, days), open: next });
  if (week !== null) documents.put(testWeekDocuments, weekId, { days, closed: true });
}

function withDays(sums: readonly TestDay[], period: Day, days: readonly TestDay[]): readonly TestDay[] {
  const texts = new Map<string, { of: TestDay; cells: string }>();
  for (const of of days) {
    const key = `${of.is_default} ${of.environment}`;
    texts.set(key, { of, cells: (texts.get(key)?.cells ?? '') + of.cells });
  }
  let all = sums;
  for (const { of, cells } of texts.values())
    all = withDay(all, { ...of, day: period }, (former) => addedUp(former.cells + cells));
  return all;
}

/** What changes in a closed week. */
export function countClosed(
  documents: Documents,
  projectId: string,
  { bucket, week, changes }: TestWeek,
): void {
  const day = periodOf(week);
  const id = testPeriodId(projectId, bucket, day);
  const { sums, open } = documents.get(testPeriodDocuments, id) ?? { sums: [], open: null };
  const after = changes.reduce((all, each) => withChange(all, { ...each, day }), sums);
  documents.put(testPeriodDocuments, id, { sums: after, open });
}
