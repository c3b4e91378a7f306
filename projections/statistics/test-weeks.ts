/** The statistics of tests, in buckets of tests and weeks. */
import type { DocumentRef, Documents } from '../../src/domain/projection.js';
import { weekOf } from '../../src/domain/statistics/days.js';
import { hasRun, type LineOfRun } from '../../src/domain/statistics/lines-of-run.js';
import { withCells, type CellChange } from '../../src/domain/statistics/test-cells.js';
import {
  TESTS_PER_BUCKET,
  testWeekDocuments,
  testWeekId,
  type RunPlace,
  type TestDay,
} from './statistics-documents.js';

/** `slot`: the ordinal of the test here, and not yet its place in a bucket. In rising order, one for each test. */
export type TestChanges = {
  place: Pick<RunPlace, 'day' | 'is_default'>;
  environment: string;
  changes: readonly CellChange[];
};

/** What lines of a run add (1), or take away (-1). */
export function changesOfLines(
  place: TestChanges['place'],
  lines: readonly LineOfRun[],
  sign: 1 | -1,
): TestChanges[] {
  return [...new Set(lines.map(({ environment }) => environment))].map((environment) => {
    const own = lines.filter((line) => line.environment === environment && hasRun(line));
    const changes = own.map((line) => changeOf(line, sign));
    return { place, environment, changes: changes.sort((one, other) => one.slot - other.slot) };
  });
}

function changeOf({ ordinal, passed, failed, failedBefore, durations }: LineOfRun, sign: 1 | -1): CellChange {
  return {
    slot: ordinal,
    runs: sign,
    failures: failed > 0 ? sign : 0,
    flaky_runs: passed > 0 && failedBefore ? sign : 0,
    lost_ms: 0,
    durations: durations.length === 1 ? [durations[0]!, sign] : durations.flatMap((each) => [each, sign]),
  };
}

export function testWeekRefs(projectId: string, all: readonly TestChanges[]): DocumentRef[] {
  const ids = new Set<string>();
  for (const { place, changes } of all) {
    const week = weekOf(place.day);
    for (const { bucket } of bucketsOf(changes)) ids.add(testWeekId(projectId, bucket, week));
  }
  return [...ids].map(testWeekDocuments.at);
}

export function putTestWeeks(documents: Documents, projectId: string, all: readonly TestChanges[]): void {
  for (const { place, environment, changes } of all) {
    const week = weekOf(place.day);
    for (const { bucket, from, to } of bucketsOf(changes)) {
      const id = testWeekId(projectId, bucket, week);
      const own = { changes: changes.slice(from, to), first: bucket * TESTS_PER_BUCKET };
      const former = documents.get(testWeekDocuments, id)?.days ?? [];
      const days = withDay(former, { ...place, environment }, own);
      if (days.length > 0) documents.put(testWeekDocuments, id, { days });
      else documents.remove(testWeekDocuments, id);
    }
  }
}

/** The parts of the changes that are of one bucket each. */
function* bucketsOf(changes: readonly CellChange[]): Generator<{ bucket: number; from: number; to: number }> {
  for (let from = 0, to = 0; from < changes.length; from = to) {
    const bucket = Math.floor(changes[from]!.slot / TESTS_PER_BUCKET);
    const end = (bucket + 1) * TESTS_PER_BUCKET;
    while (to < changes.length && changes[to]!.slot < end) to += 1;
    yield { bucket, from, to };
  }
}

function withDay(
  days: readonly TestDay[],
  { day, is_default, environment }: Omit<TestDay, 'cells'>,
  { changes, first }: { changes: readonly CellChange[]; first: number },
): TestDay[] {
  const at = days.findIndex(
    (each) => each.day === day && each.is_default === is_default && each.environment === environment,
  );
  const cells = withCells(days[at]?.cells ?? '', changes, first);
  if (cells === '') return days.filter((_, n) => n !== at);
  const after = { day, is_default, environment, cells };
  return at === -1 ? [...days, after] : days.with(at, after);
}
