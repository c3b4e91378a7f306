/** The statistics of tests, in buckets of tests and weeks. */
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { weekOf } from '../../src/domain/statistics/days.js';
import type { CellChange, CellChanges } from '../../src/domain/statistics/test-cells.js';
import {
  hasRun,
  ordinalOf,
  type LineOfRun,
  type TestsOfRun,
} from '../../src/domain/statistics/tests-of-run.js';
import { TESTS_PER_BUCKET, testWeekDocuments, testWeekId, type RunPlace } from './statistics-documents.js';
import { withChange, type TestWeek } from './test-days.js';
import { countClosed, isBegunClosed, periodSteps } from './test-periods.js';

/**
 * `slot`: the ordinal of the test here, and not yet its place in a bucket. Both `plain`, which are counted (`sign` 1) or not (-1),
 * and `changes` are in rising order, one for each test.
 */
export type TestChanges = Omit<CellChanges, 'first'> & {
  place: Pick<RunPlace, 'day' | 'is_default'>;
  environment: string;
};

/** What tests of a run add (1), or take away (-1). */
export function changesOfTests(
  place: TestChanges['place'],
  tests: readonly TestsOfRun[],
  sign: 1 | -1,
): TestChanges[] {
  return tests.map(({ environment, plain, others }) => {
    const changes = others.filter(hasRun).map((line) => changeOf(line, sign));
    return { place, environment, plain, sign, changes };
  });
}

function changeOf({ ordinal, passed, failed, failedBefore, durations }: LineOfRun, sign: 1 | -1): CellChange {
  return {
    slot: ordinal,
    runs: sign,
    failures: failed > 0 ? sign : 0,
    flaky_runs: passed > 0 && failedBefore ? sign : 0,
    lost_ms: 0,
    durations: durations.flatMap((each) => [each, sign]),
  };
}

/** Each document once: whether it is there decides what its first change begins. */
export function testWeeksOf(projectId: string, all: readonly TestChanges[]): TestWeek[] {
  const weeks = new Map<string, TestWeek>();
  for (const { place, environment, ...changes } of all) {
    const { day, is_default } = place;
    const week = weekOf(day);
    for (const { bucket, change } of bucketsOf(changes)) {
      const id = testWeekId(projectId, bucket, week);
      const own = { day, is_default, environment, change };
      const known = weeks.get(id);
      if (known === undefined) weeks.set(id, { id, bucket, week, changes: [own] });
      else known.changes.push(own);
    }
  }
  return [...weeks.values()];
}

/** Other documents that `putTestWeeks` needs, once those of the weeks are there. */
export function* testWeekSteps(
  documents: ReadableDocuments,
  projectId: string,
  weeks: readonly TestWeek[],
): Generator<readonly DocumentRef[], void> {
  const others = weeks.filter(({ id }) => documents.get(testWeekDocuments, id)?.closed !== false);
  if (others.length > 0) yield* periodSteps(documents, projectId, others);
}

export function putTestWeeks(documents: Documents, projectId: string, weeks: readonly TestWeek[]): void {
  for (const each of weeks) {
    const former = documents.get(testWeekDocuments, each.id);
    const closed = former?.closed ?? isBegunClosed(documents, projectId, each);
    const days = each.changes.reduce(withChange, former?.days ?? []);
    if (days.length > 0) documents.put(testWeekDocuments, each.id, { days, closed });
    else documents.remove(testWeekDocuments, each.id);
    if (closed) countClosed(documents, projectId, each);
  }
}

/** The parts of the changes that are of one bucket each. */
function* bucketsOf({
  plain,
  sign,
  changes,
}: Omit<CellChanges, 'first'>): Generator<{ bucket: number; change: CellChanges }> {
  let [plainAt, changeAt] = [0, 0];
  for (;;) {
    const ordinal = Math.min(
      plainAt < plain.length ? ordinalOf(plain[plainAt]!) : Infinity,
      changes[changeAt]?.slot ?? Infinity,
    );
    if (ordinal === Infinity) return;
    const bucket = Math.floor(ordinal / TESTS_PER_BUCKET);
    const [first, end] = [bucket * TESTS_PER_BUCKET, (bucket + 1) * TESTS_PER_BUCKET];
    const [plainFrom, changeFrom] = [plainAt, changeAt];
    while (plainAt < plain.length && ordinalOf(plain[plainAt]!) < end) plainAt += 1;
    while (changeAt < changes.length && changes[changeAt]!.slot < end) changeAt += 1;
    const own = { plain: plain.slice(plainFrom, plainAt), changes: changes.slice(changeFrom, changeAt) };
    yield { bucket, change: { first, sign, ...own } };
  }
}
