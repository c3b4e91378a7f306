/**
 * The statistics: what is counted of completed runs, by day, branch, tool and environment, and of their tests. A run is counted when it
 * is completed, from the chunks that its comparison reads, so its results cost nothing more while they come.
 */
import type { EventType, LedgerEvent } from '../../src/domain/events.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { dayOf } from '../../src/domain/instant.js';
import {
  noResults,
  resultsAfter,
  testsInChunks,
  testsOfResults,
} from '../../src/domain/statistics/tests-of-run.js';
import type { HistoryChange } from '../../src/domain/test-history/result-change.js';
import { chunksOf, readChunks } from '../comparisons/run-baselines.js';
import { changedLines } from '../comparisons/run-gate.js';
import {
  defaultBranchOf,
  projectSettingsDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from '../comparisons/run-summary-documents.js';
import { ofResults, projection, type Handler } from '../projection.js';
import { comparedNumbers, durationOfRun, type CountedRun } from './counted-run.js';
import { commitSteps, planOf, planSteps, putPlan, type Plan, type Recount, type Side } from './recount.js';
import {
  commitRunsDocuments,
  lostDayDocuments,
  statisticsWeekDocuments,
  testPeriodDocuments,
  testWeekDocuments,
} from './statistics-documents.js';

type Counting = { run_id: string; summary: RunSummaryDocument };
type Steps<T> = Generator<readonly DocumentRef[], T>;

/** From `follows` to `apply`. */
const plans = new WeakMap<LedgerEvent, { plan: Plan; counted: CountedRun | null }>();

/** A run that was counted is counted no more. */
const removal: Handler<'RunStarted' | 'RunReturnedToPending' | 'ItemsSubmitted'> = {
  touches: ({ data }) => [runSummaryDocuments.at(data.run_id)],
  follows: (documents, event) => {
    const run = countedRun(documents, event.data.run_id);
    return run && uncount(documents, event, run);
  },
  apply(documents, event) {
    applyPlan(documents, event, event.data.run_id);
    const { run_id } = event.data;
    if (event.type === 'RunStarted' && documents.get(runSummaryDocuments, run_id) !== null)
      documents.change(runSummaryDocuments, run_id, { started_at: event.data.started_at });
  },
};

const completion: Handler<'RunCompleted'> = {
  touches: ({ data: { run_id, project_id } }) => [
    runSummaryDocuments.at(run_id),
    projectSettingsDocuments.at(project_id),
  ],
  *follows(documents, event) {
    const { run_id, finished_at } = event.data;
    const summary = documents.get(runSummaryDocuments, run_id);
    if (summary === null || summary.comparison === null) return;
    const { started_at, comparison } = summary;
    const own = {
      day: dayOf(finished_at),
      compared: comparedNumbers(comparison.counts),
      duration_ms: durationOfRun(started_at, finished_at),
    };
    yield* recount(documents, event, { run_id, summary }, own);
  },
  apply: (documents, event) => applyPlan(documents, event, event.data.run_id),
};

/** A run that moves to another branch, commit, tool or environment. */
const description: Handler<'RunDescribed'> = {
  touches: ({ data }) => [runSummaryDocuments.at(data.run_id)],
  follows(documents, event) {
    const run = countedRun(documents, event.data.run_id);
    return run && event.data.metadata !== undefined ? moved(documents, event, run) : null;
  },
  apply: (documents, event) => applyPlan(documents, event, event.data.run_id),
};

function* moved(documents: ReadableDocuments, event: LedgerEvent, run: Counting & { counted: CountedRun }) {
  yield [projectSettingsDocuments.at(run.summary.project_id)];
  const { day, compared, duration_ms } = run.counted;
  yield* recount(documents, event, run, { day, compared, duration_ms });
}

/** Of a run that is counted, the tests of the results that change. No item comes to it: a call takes it away before its items. */
const results: Handler<EventType, HistoryChange> = {
  touches: () => [],
  follows: (documents, event) => {
    const changed = changedLines(event);
    const run = changed && countedRun(documents, changed.run_id);
    return run && changed ? recountTests(documents, event, run, changed) : null;
  },
  apply(documents, event) {
    const changed = changedLines(event);
    if (changed !== null) applyPlan(documents, event, changed.run_id);
  },
};

function countedRun(
  documents: ReadableDocuments,
  run_id: string,
): (Counting & { counted: CountedRun }) | null {
  const summary = documents.get(runSummaryDocuments, run_id);
  return summary?.counted == null ? null : { run_id, summary, counted: summary.counted };
}

function* uncount(
  documents: ReadableDocuments,
  event: LedgerEvent,
  { run_id, summary, counted }: Counting & { counted: CountedRun },
): Steps<void> {
  yield chunksOf(run_id, summary);
  if (counted.commit !== null) yield [commitRunsDocuments.at(counted.commit)];
  const tests = testsInChunks(readChunks(documents, run_id, summary));
  yield* planned(documents, event, {
    run: runOf({ run_id, summary }),
    before: { counted, tests },
    after: null,
  });
}

function* recount(
  documents: ReadableDocuments,
  event: LedgerEvent,
  { run_id, summary }: Counting,
  own: Pick<CountedRun, 'day' | 'compared' | 'duration_ms'>,
): Steps<void> {
  const { project_id, branch, commit, tool, environment, counted: former } = summary;
  yield chunksOf(run_id, summary);
  if (former?.commit != null) yield [commitRunsDocuments.at(former.commit)];
  const place =
    commit === null || commit === ''
      ? { commit: null, begins: null }
      : yield* commitSteps(documents, { project_id, environment, commit }, former?.commit ?? null);
  const is_default = branch === defaultBranchOf(documents.get(projectSettingsDocuments, project_id));
  const tests = testsInChunks(readChunks(documents, run_id, summary));
  const results = resultsAfter(noResults, [], tests);
  const counted: CountedRun = {
    ...own,
    is_default,
    branch,
    tool,
    environment,
    commit: place.commit,
    results,
  };
  const isPlaced = former !== null && isSamePlace(former, counted);
  // Each shard of a live run may complete it: then its tests are where they are.
  const after: Side = { counted, tests: isPlaced ? [] : tests };
  const before = former === null ? null : { counted: former, tests: after.tests };
  yield* planned(documents, event, { run: runOf({ run_id, summary }), before, after, begins: place.begins });
}

function isSamePlace(one: CountedRun, other: CountedRun): boolean {
  return (['day', 'is_default', 'branch', 'tool', 'environment', 'commit'] as const).every(
    (field) => one[field] === other[field],
  );
}

function* recountTests(
  documents: ReadableDocuments,
  event: LedgerEvent,
  { run_id, summary, counted }: Counting & { counted: CountedRun },
  changed: NonNullable<ReturnType<typeof changedLines>>,
): Steps<void> {
  if (counted.commit !== null) yield [commitRunsDocuments.at(counted.commit)];
  const [former, present] = [testsOfResults(changed.former), testsOfResults(changed.present)];
  const after = { ...counted, results: resultsAfter(counted.results, former, present) };
  yield* planned(documents, event, {
    run: runOf({ run_id, summary }),
    before: { counted, tests: former },
    after: { counted: after, tests: present },
  });
}

function runOf({ run_id, summary: { project_id, created_position } }: Counting): Recount['run'] {
  return { id: run_id, project_id, created: created_position };
}

function* planned(documents: ReadableDocuments, event: LedgerEvent, change: Recount): Steps<void> {
  const plan = planOf(documents, change);
  plans.set(event, { plan, counted: change.after?.counted ?? null });
  yield* planSteps(documents, plan);
}

function applyPlan(documents: Documents, event: LedgerEvent, run_id: string): void {
  const planned = plans.get(event);
  if (planned === undefined) return;
  plans.delete(event);
  putPlan(documents, planned.plan);
  documents.change(runSummaryDocuments, run_id, { counted: planned.counted });
}

const { ResultSubmitted: _, ...others } = ofResults(results);

/** Goes after `runSummaries`, which has the comparison of the run, and says which of its results change. */
export const statistics = projection<HistoryChange>({
  name: 'statistics',
  version: 3,
  collections: [
    statisticsWeekDocuments,
    testWeekDocuments,
    testPeriodDocuments,
    lostDayDocuments,
    commitRunsDocuments,
  ],
  on: {
    RunStarted: removal,
    RunReturnedToPending: removal,
    ItemsSubmitted: removal,
    RunCompleted: completion,
    RunDescribed: description,
    ...others,
  },
});
