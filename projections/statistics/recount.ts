/**
 * What a change of a run changes in the statistics: the run is taken away as it is counted, and counted as it is from then on. With it
 * changes what is lost of the other runs of its commit.
 */
import type { Position } from '../../src/domain/event.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import {
  lostChange,
  noRuns,
  sizeOf,
  withTests,
  withoutRun,
  withRun,
  type CommitRuns,
  type LostChange,
} from '../../src/domain/statistics/commit-runs.js';
import { countsOf, withRow, type RowChange } from '../../src/domain/statistics/day-rows.js';
import { ranIn, type TestsOfRun } from '../../src/domain/statistics/tests-of-run.js';
import { outcomeOfResults, rowChange, type CountedRun } from './counted-run.js';
import {
  commitId,
  commitRunsDocuments,
  statisticsWeekDocuments,
  testWeekDocuments,
  weekIdsOf,
  type CommitRunsDocument,
  type RunPlace,
} from './statistics-documents.js';
import { lostDayRefs, putLostDays } from './lost-days.js';
import type { TestWeek } from './test-days.js';
import { changesOfTests, putTestWeeks, testWeeksOf, testWeekSteps, type TestChanges } from './test-weeks.js';

/** A run as it is counted. `tests`: all of them, or the ones that change. */
export type Side = { counted: CountedRun; tests: readonly TestsOfRun[] };

/** `before` null: it was not counted. `after` null: it is counted no more. */
export type Recount = {
  run: { id: string; project_id: string; created: Position };
  before: Side | null;
  after: Side | null;
  begins?: Begun | null;
};

/** The document of a commit with this number is begun. `first`: the id of the first one. */
type Begun = { first: string; n: number };

/** `ids`: of the documents that have the row. */
type PlannedRow = { ids: readonly string[]; place: RunPlace; change: RowChange };

export type Plan = {
  project_id: string;
  begins: Begun | null;
  rows: readonly PlannedRow[];
  tests: readonly TestWeek[];
  lost: LostChange<RunPlace>['tests'];
  commits: readonly { id: string; runs: CommitRunsDocument }[];
};

type Group = CommitRuns<RunPlace>;

/** It reads the documents of the commits of both sides. */
export function planOf(documents: ReadableDocuments, { run, before, after, begins = null }: Recount): Plan {
  const { project_id } = run;
  const rows: PlannedRow[] = [];
  const addRow = (place: RunPlace, change: RowChange): void =>
    void rows.push({ ids: weekIdsOf(project_id, place), place, change });
  const tests: TestChanges[] = [];
  const count = (side: Side | null, sign: 1 | -1): void => {
    if (side === null) return;
    const { counted } = side;
    const place = placeOf(counted);
    addRow(place, { ...rowChange(counted, sign), tests: ranIn(side.tests, sign) });
    tests.push(...changesOfTests(place, side.tests, sign));
  };
  const lost: Plan['lost'] = [];
  const commits: Plan['commits'][number][] = [];
  const lose = (change: LostChange<RunPlace>): void => {
    for (const { place, by } of change.runs)
      addRow(place, { counts: countsOf({ lost_ms: by }), durations: [], tests: [] });
    lost.push(...change.tests);
    for (const { place, environment, ordinal, by } of change.tests) {
      const nothing = { runs: 0, failures: 0, flaky_runs: 0, durations: [] };
      const changes = [{ ...nothing, slot: ordinal, lost_ms: by }];
      tests.push({ place, environment, plain: [], sign: 1, changes });
    }
  };
  count(before, -1);
  const sides = [before, after].filter((side) => side !== null);
  for (const id of new Set(sides.map(({ counted }) => counted.commit))) {
    const from = before?.counted.commit === id ? before : null;
    const to = after?.counted.commit === id ? after : null;
    // A run without a commit is alone.
    const stored = id === null ? null : documents.get(commitRunsDocuments, id);
    const present: Group = stored ?? (from === null ? noRuns : added(noRuns, run, from));
    const without = from === null ? present : taken(present, run.id, from, to === null);
    const next = to === null ? without : added(without, run, to);
    lose(lostChange(present, next));
    const { newest } = stored ?? {};
    if (id !== null) commits.push({ id, runs: newest === undefined ? next : { ...next, newest } });
  }
  count(after, 1);
  return { project_id, begins, rows, tests: testWeeksOf(project_id, tests), lost, commits };
}

function placeOf({ day, is_default, branch, tool, environment }: CountedRun): RunPlace {
  return { day, is_default, branch, tool, environment };
}

function added(group: Group, { id, created }: Recount['run'], { counted, tests }: Side): Group {
  const { results, tool, duration_ms } = counted;
  const outcome = outcomeOfResults(results);
  const run = { id, created, tool, outcome, duration_ms, place: placeOf(counted) };
  return withTests(withRun(group, run), id, tests, 1);
}

function taken(group: Group, id: string, { tests }: Side, isGone: boolean): Group {
  const without = withTests(group, id, tests, -1);
  return isGone ? withoutRun(without, id) : without;
}

/** What `putPlan` writes, without what `planOf` reads. */
export function* planSteps(
  documents: ReadableDocuments,
  { project_id, rows, tests, lost }: Plan,
): Generator<readonly DocumentRef[], void> {
  yield [
    ...rows.flatMap(({ ids }) => ids.map(statisticsWeekDocuments.at)),
    ...tests.map(({ id }) => testWeekDocuments.at(id)),
    ...lostDayRefs(project_id, lost),
  ];
  yield* testWeekSteps(documents, project_id, tests);
}

export function putPlan(documents: Documents, plan: Plan): void {
  const { project_id, begins, rows, tests, lost, commits } = plan;
  for (const { ids, place, change } of rows) {
    for (const id of ids) {
      const after = withRow(documents.get(statisticsWeekDocuments, id)?.rows ?? [], place, change);
      if (after.length > 0) documents.put(statisticsWeekDocuments, id, { rows: after });
      else documents.remove(statisticsWeekDocuments, id);
    }
  }
  putTestWeeks(documents, project_id, tests);
  putLostDays(documents, project_id, lost);
  for (const { id, runs } of commits) {
    const isEmpty = runs.newest === undefined && runs.runs.every((run) => run === null);
    if (isEmpty) documents.remove(commitRunsDocuments, id);
    else documents.put(commitRunsDocuments, id, { ...runs });
  }
  if (begins === null) return;
  const first: CommitRunsDocument = documents.get(commitRunsDocuments, begins.first) ?? { ...noRuns };
  documents.put(commitRunsDocuments, begins.first, { ...first, newest: begins.n });
}

/** With this many runs or failures, the next run of the commit begins a new document. What is in it says nothing of earlier ones. */
const FULL = { runs: 50, failures: 20_000 };

type Named = Parameters<typeof commitId>[1] & { project_id: string };

/**
 * The document of its commit that takes a run, which stays where it was. It reads all that it yields.
 */
export function* commitSteps(
  documents: ReadableDocuments,
  { project_id, ...commit }: Named,
  former: string | null,
): Generator<readonly DocumentRef[], { commit: string; begins: Begun | null }> {
  const idOf = (n: number) => commitId(project_id, commit, n);
  const first = idOf(0);
  yield [commitRunsDocuments.at(first)];
  const newest = documents.get(commitRunsDocuments, first)?.newest ?? 0;
  for (let n = newest; former !== null && n >= 0; n -= 1)
    if (idOf(n) === former) return { commit: former, begins: null };
  if (newest > 0) yield [commitRunsDocuments.at(idOf(newest))];
  const { runs, failures } = sizeOf(documents.get(commitRunsDocuments, idOf(newest)) ?? noRuns);
  const isFull = runs >= FULL.runs || failures >= FULL.failures;
  if (!isFull) return { commit: idOf(newest), begins: null };
  yield [commitRunsDocuments.atNew(idOf(newest + 1))];
  return { commit: idOf(newest + 1), begins: { first, n: newest + 1 } };
}
