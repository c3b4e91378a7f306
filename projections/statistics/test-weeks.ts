/** The statistics of tests, in buckets of tests and weeks. */
import type { DocumentRef, Documents } from '../../src/domain/projection.js';
import { weekOf } from '../../src/domain/statistics/days.js';
import {
  noCells,
  withCells,
  type CellChange,
  type CellChanges,
} from '../../src/domain/statistics/test-cells.js';
import {
  hasRun,
  ordinalOf,
  type LineOfRun,
  type PlainTests,
  type TestsOfRun,
} from '../../src/domain/statistics/tests-of-run.js';
import {
  TESTS_PER_BUCKET,
  testWeekDocuments,
  testWeekId,
  type RunPlace,
  type TestDay,
} from './statistics-documents.js';

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

export function testWeekRefs(projectId: string, all: readonly TestChanges[]): DocumentRef[] {
  const ids = new Set<string>();
  for (const changes of all) {
    const week = weekOf(changes.place.day);
    for (const { bucket } of bucketsOf(changes)) ids.add(testWeekId(projectId, bucket, week));
  }
  return [...ids].map(testWeekDocuments.at);
}

export function putTestWeeks(documents: Documents, projectId: string, all: readonly TestChanges[]): void {
  for (const changes of all) {
    const week = weekOf(changes.place.day);
    for (const { bucket, ...own } of bucketsOf(changes)) {
      const id = testWeekId(projectId, bucket, week);
      const former = documents.get(testWeekDocuments, id)?.days ?? [];
      const days = withDay(former, changes, own);
      if (days.length > 0) documents.put(testWeekDocuments, id, { days });
      else documents.remove(testWeekDocuments, id);
    }
  }
}

/** The parts of the changes that are of one bucket each. */
function* bucketsOf({ plain, sign, changes }: TestChanges): Generator<CellChanges & { bucket: number }> {
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
    const own = { plain: part(plain, plainFrom, plainAt), changes: changes.slice(changeFrom, changeAt) };
    yield { bucket, first, sign, ...own };
  }
}

function part(plain: PlainTests, from: number, to: number): PlainTests {
  return Array.prototype.slice.call(plain, from, to) as number[];
}

function withDay(
  days: readonly TestDay[],
  { place: { day, is_default }, environment }: TestChanges,
  change: CellChanges,
): TestDay[] {
  const at = days.findIndex(
    (each) => each.day === day && each.is_default === is_default && each.environment === environment,
  );
  const after = withCells(days[at] ?? noCells, change);
  if (after.cells === '') return days.filter((_, n) => n !== at);
  const own = { day, is_default, environment, ...after };
  return at === -1 ? [...days, own] : days.with(at, own);
}
