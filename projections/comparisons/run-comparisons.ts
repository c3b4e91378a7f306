/**
 * The comparison of a run at its completion. It costs what the run and its baseline cost, however many runs came before:
 * the fold reads the chunks of the two, and no other run.
 */
import { packList } from '../../src/domain/comparison/packed-list.js';
import {
  compare,
  comparisonKinds,
  countsOf,
  countTests,
  resultsEach,
  testsIn,
  type Comparison,
  type ComparisonCounts,
  type ComparisonKind,
  type TestsOfRun,
} from '../../src/domain/comparison/compare.js';
import type { Compared } from '../../src/domain/comparison/verdict.js';
import type { EventData, LedgerEvent } from '../../src/domain/events.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { withReport } from '../../src/domain/runs/unread-reports.js';
import type { Handler } from '../projection.js';
import { gateDecision, gateRefs } from './gate-decision.js';
import {
  baselineIn,
  baselineSteps,
  chunksOf,
  listsOf,
  missingChunks,
  positionOf,
  readChunks,
  setAllListed,
  setListed,
  testsOf,
} from './run-baselines.js';
import {
  baselineRef,
  comparedListDocuments,
  completedRun,
  completedRunsDocuments,
  defaultBranchOf,
  listId,
  listOf,
  originOf,
  projectSettingsDocuments,
  RESULTS_PER_LIST,
  runSummaryDocuments,
  type ComparedListDocument,
  type RunSummaryDocument,
} from './run-summary-documents.js';

type Completion = LedgerEvent<'RunCompleted'>;

/** From `follows` to `apply`: the lists of a comparison are announced before they are put. */
const comparisons = new WeakMap<Completion, { here: TestsOfRun; found: Comparison; compared: Compared }>();

/** From `apply` to the part that judges the default branch. */
const judged = new WeakMap<Completion, TestsOfRun>();

/** The tests of a run of the default branch at its completion, once. Null for any other run. */
export function takeTests(event: Completion): TestsOfRun | null {
  const tests = judged.get(event) ?? null;
  // A batch may have many completions: the tests of only one run are in memory at a time.
  judged.delete(event);
  return tests;
}

export const completion: Handler<'RunCompleted'> = {
  touches: ({ data: { run_id, project_id }, meta: { team_id } }) => [
    runSummaryDocuments.at(run_id),
    ...gateRefs({ project_id, team_id }),
  ],
  *follows(documents, event) {
    const { run_id } = event.data;
    const summary = documents.get(runSummaryDocuments, run_id);
    if (summary === null) return;
    const held = yield* baselineSteps(documents, summary);
    yield [...chunksOf(run_id, summary), ...missingChunks(held)];
    const here = testsIn(readChunks(documents, run_id, summary));
    const before = testsOf(documents, held);
    const found = compare(here, before);
    const compared = { counts: countsOf(found), ...countTests(here, before, found) };
    comparisons.set(event, { here, found, compared });
    yield comparedListRefs(run_id, found, summary.comparison?.counts);
  },
  apply(documents, event) {
    const { run_id: id, completion: number } = event.data;
    const before = documents.get(runSummaryDocuments, id);
    const comparison = comparisons.get(event);
    if (before === null || comparison === undefined) return;
    const { idle: _, ...former } = before;
    const summary = { ...former, ...(event.data.reason === 'idle' && { idle: true as const }) };
    // A batch may have many completions: only one comparison is in memory at a time.
    comparisons.delete(event);
    const { here, found, compared } = comparison;
    const { baseline, passed_over } = baselineIn(documents, summary);
    const completed: RunSummaryDocument = {
      ...summary,
      arriving: false,
      completed: true,
      tests: compared.tests,
      gate: gateDecision(documents, summary, compared),
      comparison: {
        completion: number,
        baseline: baseline === null ? null : baselineRef(baseline.id, baseline.run),
        passed_over,
        ...compared,
        baseline_position: baseline === null ? null : positionOf(baseline.run),
        at: event.position,
      },
    };
    documents.put(runSummaryDocuments, id, completed);
    putLists(documents, id, found, summary.comparison?.counts);
    setAllListed(documents, id, completed);
    const settings = documents.get(projectSettingsDocuments, completed.project_id);
    if (completed.branch === defaultBranchOf(settings)) judged.set(event, here);
  },
};

/** The metadata of a run says on which branch it is, and a person may say whether it is fit as a baseline. */
export const description: Handler<'RunDescribed'> = {
  touches: ({ data }) => [runSummaryDocuments.at(data.run_id)],
  *follows(documents, event) {
    const lists = described(documents, event)?.lists ?? [];
    if (lists.length > 0) yield lists.map(completedRunsDocuments.at);
  },
  apply(documents, event) {
    const change = described(documents, event);
    if (change === null) return;
    const { run_id: id } = event.data;
    documents.put(runSummaryDocuments, id, change.after);
    const wanted = listOf(change.after);
    for (const list of new Set(change.lists)) {
      setListed(documents, list, completedRun(id, change.after), list === wanted);
    }
  },
};

/** A run that is started again, or set back, is over no more until its next completion. */
export const reopening: Handler<'RunStarted' | 'RunReturnedToPending'> = {
  touches: ({ data }) => [runSummaryDocuments.at(data.run_id)],
  *follows(documents, { data: { run_id } }) {
    const summary = documents.get(runSummaryDocuments, run_id);
    if (summary?.completed === true) yield listsOf(summary).map(completedRunsDocuments.at);
  },
  apply(documents, { data: { run_id } }) {
    const summary = documents.get(runSummaryDocuments, run_id);
    if (summary?.completed !== true) return;
    documents.put(runSummaryDocuments, run_id, { ...summary, completed: false, arriving: false, gate: null });
    for (const list of listsOf(summary)) setListed(documents, list, completedRun(run_id, summary), false);
  },
};

/** The shards that came, so that it is known at the completion whether one is missing. */
export const arrival: Handler<'ItemsSubmitted'> = {
  touches: ({ data }) => [runSummaryDocuments.at(data.run_id)],
  apply(documents, { data }) {
    const summary = documents.get(runSummaryDocuments, data.run_id);
    if (summary === null) return;
    const { unread: former, ...present } = summary;
    const unread = withReport(former, data);
    const shards = withShard(present.shards, data.shard);
    const after = { ...present, ...(shards && { shards }), ...(unread && { unread }), arriving: true };
    documents.put(runSummaryDocuments, data.run_id, after);
  },
};

function withShard(
  present: RunSummaryDocument['shards'],
  shard: EventData['ItemsSubmitted']['shard'],
): RunSummaryDocument['shards'] {
  if (shard === null || present?.came.includes(shard.index) === true) return present;
  return { total: shard.total, came: [...(present?.came ?? []), shard.index] };
}

/** The summary after a change of what the run says of itself, and the lists that the change is of; null if it changes nothing. */
function described(documents: ReadableDocuments, { data }: LedgerEvent<'RunDescribed'>) {
  const { run_id, metadata, baseline } = data;
  const isOf = metadata !== undefined || baseline !== undefined;
  const before = isOf ? documents.get(runSummaryDocuments, run_id) : null;
  if (before === null) return null;
  const after: RunSummaryDocument = { ...before, ...(metadata !== undefined && originOf(metadata)) };
  if (baseline === null) delete after.baseline;
  else if (baseline !== undefined) after.baseline = baseline;
  // A completed run that moves to another branch is the baseline of other runs from then on.
  return { after, lists: before.completed ? [...listsOf(before), ...listsOf(after)] : [] };
}

/** Every list that the comparison puts, or removes because an earlier completion had more results of its kind. */
function comparedListRefs(
  run_id: string,
  comparison: Comparison,
  former: ComparisonCounts | undefined,
): DocumentRef[] {
  return comparisonKinds.flatMap((kind) => {
    const stored = storedLists(former, kind);
    const lists = Math.max(listsNeeded(comparison[kind].length), stored);
    return Array.from({ length: lists }, (_, n) => {
      const id = listId(run_id, kind, n);
      return n < stored ? comparedListDocuments.at(id) : comparedListDocuments.atNew(id);
    });
  });
}

/** `former`: the counts of the lists that are stored already. */
function putLists(
  documents: Documents,
  run_id: string,
  comparison: Comparison,
  former: ComparisonCounts | undefined,
): void {
  for (const kind of comparisonKinds) {
    const lists = packedLists(run_id, comparison, kind);
    for (const [id, list] of lists) documents.put(comparedListDocuments, id, list);
    for (let n = lists.length; n < storedLists(former, kind); n += 1) {
      documents.remove(comparedListDocuments, listId(run_id, kind, n));
    }
  }
}

/** The lists of the results of a kind, by their ids. */
export function packedLists(
  run_id: string,
  comparison: Comparison,
  kind: ComparisonKind,
): [id: string, ComparedListDocument][] {
  const results = comparison[kind];
  return Array.from({ length: listsNeeded(results.length) }, (_, n) => {
    const part = results.slice(n * RESULTS_PER_LIST, (n + 1) * RESULTS_PER_LIST);
    return [listId(run_id, kind, n), { run_id, ...packList(part) }];
  });
}

function storedLists(former: ComparisonCounts | undefined, kind: ComparisonKind): number {
  return listsNeeded((former?.[kind] ?? 0) * resultsEach(kind));
}

function listsNeeded(results: number): number {
  return Math.ceil(results / RESULTS_PER_LIST);
}
