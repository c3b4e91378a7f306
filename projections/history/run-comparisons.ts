/**
 * The comparison of a run at its completion. It costs what the run and its baseline cost, however many runs came before:
 * the fold reads the chunks of the two, and no other run.
 */
import { LRUCache } from 'lru-cache';
import { packList, type Chunk } from '../../src/domain/comparison/packed-results.js';
import {
  compare,
  comparisonKinds,
  countsOf,
  ranIn,
  sizeOf,
  testsIn,
  type Comparison,
  type ComparisonCounts,
  type TestsOfRun,
} from '../../src/domain/comparison/compare.js';
import type { Compared } from '../../src/domain/comparison/verdict.js';
import type { Position } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import type { Handler } from '../projection.js';
import {
  baselineCandidate,
  baselineRef,
  comparedListDocuments,
  COMPLETED_KEPT,
  completedRunsDocuments,
  completedRunsId,
  defaultBranchOf,
  listId,
  listsOf,
  mayBeBaseline,
  originOf,
  projectSettingsDocuments,
  RESULTS_PER_LIST,
  runSummaryDocuments,
  type CompletedRunsDocument,
  type RunSummaryDocument,
} from './run-summary-documents.js';
import { gateDecision, gateRefs } from './gate-decision.js';
import { chunkIdsOf, runChunkDocuments } from './run-chunks.js';

type Readable = ReadableDocuments;
type Completion = LedgerEvent<'RunCompleted'>;
type Stored = RunSummaryDocument & { position: Position };

/** From `follows` to `apply`: the lists of a comparison are announced before they are put. */
const comparisons = new WeakMap<Completion, { comparison: Comparison; compared: Compared }>();

export const completion: Handler<'RunCompleted'> = {
  touches: ({ data: { run_id, project_id }, meta: { team_id } }) => [
    runSummaryDocuments.at(run_id),
    ...gateRefs({ project_id, team_id }),
  ],
  *follows(documents, event) {
    const { run_id, project_id } = event.data;
    const summary = documents.get(runSummaryDocuments, run_id);
    if (summary === null) return;
    const lists = [candidatesId(documents, project_id, summary), ...listsOf(summary)];
    yield lists.map(completedRunsDocuments.at);
    const candidate = candidateIn(documents, project_id, summary);
    if (candidate !== null) yield [runSummaryDocuments.at(candidate)];
    const baseline = baselineIn(documents, project_id, summary);
    // Held from here on: while the chunks are loaded, the fold of another lane may push it out of the cache.
    const known = baseline === null ? null : decodedAt(baseline.run);
    const missing = baseline === null || known !== undefined ? [] : chunksOf(baseline.id, baseline.run);
    yield [...chunksOf(run_id, summary), ...missing];
    const before = known === undefined ? decode(documents, baseline!) : known;
    const tests = testsIn(readChunks(documents, run_id, summary));
    const comparison = compare(tests, before);
    const baseline_tests = before === null ? null : ranIn(before);
    const compared = { counts: countsOf(comparison), tests: ranIn(tests), baseline_tests };
    comparisons.set(event, { comparison, compared });
    yield comparedListRefs(run_id, comparison, summary.comparison?.counts);
  },
  apply(documents, event) {
    const { run_id: id, project_id, completion: number, reason } = event.data;
    const summary = documents.get(runSummaryDocuments, id);
    const found = comparisons.get(event);
    if (summary === null || found === undefined) return;
    const { comparison, compared } = found;
    // A batch may have many completions: only one comparison is in memory at a time.
    comparisons.delete(event);
    const baseline = baselineIn(documents, project_id, summary);
    // All shards of a run that was ever completed by them are there.
    const completed = { ...summary, lacks_shards: summary.lacks_shards && reason !== 'shards' };
    documents.put(runSummaryDocuments, id, {
      ...completed,
      arriving: false,
      completed: true,
      gate: gateDecision(documents, completed, compared),
      comparison: {
        completion: number,
        baseline: baseline === null ? null : baselineRef(baseline.id, baseline.run),
        ...compared,
        baseline_position: baseline === null ? null : positionOf(baseline.run),
        at: event.position,
      },
    });
    putLists(documents, id, comparison, summary.comparison?.counts);
    for (const list of listsOf(summary)) setListed(documents, list, refOf(id, summary), true);
  },
};

/** The metadata of a run says on which branch it is. */
export const description: Handler<'RunDescribed'> = {
  touches: ({ data }) => (data.metadata === undefined ? [] : [runSummaryDocuments.at(data.run_id)]),
  *follows(documents, event) {
    const lists = described(documents, event)?.lists ?? [];
    if (lists.length > 0) yield lists.map(completedRunsDocuments.at);
  },
  apply(documents, event) {
    const change = described(documents, event);
    if (change === null) return;
    const { run_id: id } = event.data;
    documents.put(runSummaryDocuments, id, change.after);
    const wanted = listsOf(change.after);
    for (const list of new Set(change.lists)) {
      setListed(documents, list, refOf(id, change.after), wanted.includes(list));
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
    for (const list of listsOf(summary)) setListed(documents, list, refOf(run_id, summary), false);
  },
};

/** The summary before and after a change of the metadata; null if it changes nothing here. */
function described(documents: Readable, { data: { run_id, metadata } }: LedgerEvent<'RunDescribed'>) {
  const before = metadata === undefined ? null : documents.get(runSummaryDocuments, run_id);
  if (before === null || metadata === undefined) return null;
  const after = { ...before, ...originOf(metadata) };
  // A completed run that moves to another branch is the baseline of other runs from then on.
  return { before, after, lists: before.completed ? [...listsOf(before), ...listsOf(after)] : [] };
}

// --- The lists of a comparison --------------------------------------------------------------------------------------

/** Every list that the comparison puts, or removes because an earlier completion had more results of its kind. */
function comparedListRefs(
  run_id: string,
  comparison: Comparison,
  former: ComparisonCounts | undefined,
): DocumentRef[] {
  return comparisonKinds.flatMap((kind) => {
    const stored = listsNeeded(former?.[kind] ?? 0);
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
    const results = comparison[kind];
    const lists = listsNeeded(results.length);
    for (let n = 0; n < lists; n += 1) {
      const part = results.slice(n * RESULTS_PER_LIST, (n + 1) * RESULTS_PER_LIST);
      documents.put(comparedListDocuments, listId(run_id, kind, n), { run_id, ...packList(part) });
    }
    for (let n = lists; n < listsNeeded(former?.[kind] ?? 0); n += 1) {
      documents.remove(comparedListDocuments, listId(run_id, kind, n));
    }
  }
}

function listsNeeded(results: number): number {
  return Math.ceil(results / RESULTS_PER_LIST);
}

// --- The baseline ---------------------------------------------------------------------------------------------------

/** The list that holds the baseline of a run. */
export function candidatesId(documents: Readable, projectId: string, { tool }: RunSummaryDocument): string {
  const branch = defaultBranchOf(documents.get(projectSettingsDocuments, projectId));
  return completedRunsId(projectId, branch, tool);
}

export function candidateIn(
  documents: Readable,
  projectId: string,
  summary: RunSummaryDocument,
): string | null {
  const list = candidatesId(documents, projectId, summary);
  return baselineCandidate(documents.get(completedRunsDocuments, list), summary);
}

export type BaselineRun = { id: string; run: RunSummaryDocument };

export function baselineIn(
  documents: Readable,
  projectId: string,
  summary: RunSummaryDocument,
): BaselineRun | null {
  const id = candidateIn(documents, projectId, summary);
  const run = id === null ? null : documents.get(runSummaryDocuments, id);
  if (id === null || run === null) return null;
  return mayBeBaseline(candidatesId(documents, projectId, summary), run) ? { id, run } : null;
}

type CompletedRun = CompletedRunsDocument['runs'][number];

function refOf(id: string, { created_position: created }: RunSummaryDocument): CompletedRun {
  return { id, created };
}

/** Puts a run into a list of completed runs, or takes it out. */
function setListed(documents: Documents, list: string, run: CompletedRun, isListed: boolean): void {
  const present = documents.get(completedRunsDocuments, list)?.runs ?? [];
  const others = present.filter(({ id }) => id !== run.id);
  const later = others.filter(({ created }) => created > run.created);
  const runs = isListed ? [...later, run, ...others.slice(later.length)].slice(0, COMPLETED_KEPT) : others;
  documents.put(completedRunsDocuments, list, { runs });
}

export function chunksOf(runId: string, summary: RunSummaryDocument): DocumentRef[] {
  return chunkIdsOf(runId, summary).map(runChunkDocuments.at);
}

export function readChunks(documents: Readable, runId: string, summary: RunSummaryDocument): Chunk[] {
  return chunkIdsOf(runId, summary).map((id) => documents.open(runChunkDocuments, id));
}

/** `position`: that of the run at that time. A change in place leaves the document the same object. */
type Decoded = { position: Position; tests: TestsOfRun };

/**
 * The tests and results of recent baselines, some 300 bytes each, by the documents of their runs. Otherwise each of a
 * hundred small runs on one branch would read all results of the same baseline.
 */
const decoded = new LRUCache<RunSummaryDocument, Decoded>({
  maxSize: 200_000,
  sizeCalculation: ({ tests }) => sizeOf(tests),
});

/** Undefined where they are not kept, or are older than the run. */
export function decodedAt(summary: RunSummaryDocument): TestsOfRun | undefined {
  const known = decoded.get(summary);
  return known?.position === positionOf(summary) ? known?.tests : undefined;
}

export function decode(documents: Readable, { id, run }: BaselineRun): TestsOfRun {
  const tests = testsIn(readChunks(documents, id, run));
  decoded.set(run, { position: positionOf(run), tests });
  return tests;
}

export function positionOf(summary: RunSummaryDocument): Position {
  return (summary as Stored).position;
}
