/**
 * The baselines of runs: the lists of completed runs from which they are taken, and the tests of those that are compared with
 * again and again.
 */
import { LRUCache } from 'lru-cache';
import type { CompletedRun, PassedOver } from '../../src/domain/comparison/baseline.js';
import { sizeOf, testsIn, type TestsOfRun } from '../../src/domain/comparison/compare.js';
import type { Chunk } from '../../src/domain/comparison/packed-results.js';
import type { Position } from '../../src/domain/event.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { chunkIdsOf, runChunkDocuments } from './run-chunks.js';
import {
  baselineCandidate,
  COMPLETED_KEPT,
  completedRun,
  completedRunsDocuments,
  completedRunsId,
  defaultBranchOf,
  listOf,
  mayBeBaseline,
  projectSettingsDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from './run-summary-documents.js';

/** None for a run without a branch. */
export function listsOf(summary: RunSummaryDocument): string[] {
  const list = listOf(summary);
  return list === null ? [] : [list];
}

/** The list that holds the baseline of a run. */
function candidatesId(documents: ReadableDocuments, summary: RunSummaryDocument): string {
  const settings = documents.get(projectSettingsDocuments, summary.project_id);
  return completedRunsId(summary, defaultBranchOf(settings));
}

function candidateIn(documents: ReadableDocuments, summary: RunSummaryDocument) {
  const list = candidatesId(documents, summary);
  return baselineCandidate(documents.get(completedRunsDocuments, list), summary);
}

export type BaselineRun = { id: string; run: RunSummaryDocument };
type Chosen = { baseline: BaselineRun | null; passed_over: PassedOver | null };

/** What it reads: `baselineSteps`, and the settings of the project. */
export function baselineIn(documents: ReadableDocuments, summary: RunSummaryDocument): Chosen {
  return chosenOf(documents, summary, candidateIn(documents, summary));
}

function chosenOf(
  documents: ReadableDocuments,
  summary: RunSummaryDocument,
  { id, passed_over, otherwise }: ReturnType<typeof candidateIn>,
): Chosen {
  const run = id === null ? null : documents.get(runSummaryDocuments, id);
  const list = candidatesId(documents, summary);
  const isOne = id !== null && run !== null && mayBeBaseline(list, run);
  return isOne ? { baseline: { id, run }, passed_over } : { baseline: null, passed_over: otherwise };
}

/** The baseline of a run, and its tests where they are in memory; undefined where they are not. */
export type Held = { baseline: BaselineRun | null; known: TestsOfRun | null | undefined };

/**
 * Loads the baseline of a run, without its results, and the list of the run itself. Its tests are held from here on: while
 * chunks are loaded, the fold of another lane may push them out of the cache.
 */
export function* baselineSteps(
  documents: ReadableDocuments,
  summary: RunSummaryDocument,
): Generator<readonly DocumentRef[], Held> {
  yield [candidatesId(documents, summary), ...listsOf(summary)].map(completedRunsDocuments.at);
  const candidate = candidateIn(documents, summary);
  if (candidate.id !== null) yield [runSummaryDocuments.at(candidate.id)];
  const { baseline } = chosenOf(documents, summary, candidate);
  return { baseline, known: baseline === null ? null : decodedAt(baseline.run) };
}

/** The results of a baseline that are not in memory. */
export function missingChunks({ baseline, known }: Held): DocumentRef[] {
  return known === undefined ? chunksOf(baseline!.id, baseline!.run) : [];
}

/** Null without a baseline. */
export function testsOf(documents: ReadableDocuments, { baseline, known }: Held): TestsOfRun | null {
  return known === undefined ? decode(documents, baseline!) : known;
}

/** Puts a completed run into its list, as it is now. */
export function setAllListed(documents: Documents, id: string, run: RunSummaryDocument): void {
  for (const list of listsOf(run)) setListed(documents, list, completedRun(id, run), true);
}

/** Puts a run into a list of completed runs, or takes it out. */
export function setListed(documents: Documents, list: string, run: CompletedRun, isListed: boolean): void {
  const present = documents.get(completedRunsDocuments, list)?.runs ?? [];
  const others = present.filter(({ id }) => id !== run.id);
  const later = others.filter(({ created }) => created > run.created);
  const runs = isListed ? [...later, run, ...others.slice(later.length)].slice(0, COMPLETED_KEPT) : others;
  documents.put(completedRunsDocuments, list, { runs });
}

export function chunksOf(runId: string, summary: RunSummaryDocument): DocumentRef[] {
  return chunkIdsOf(runId, summary).map(runChunkDocuments.at);
}

export function readChunks(
  documents: ReadableDocuments,
  runId: string,
  summary: RunSummaryDocument,
): Chunk[] {
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
function decodedAt(summary: RunSummaryDocument): TestsOfRun | undefined {
  const known = decoded.get(summary);
  return known?.position === positionOf(summary) ? known?.tests : undefined;
}

function decode(documents: ReadableDocuments, { id, run }: BaselineRun): TestsOfRun {
  const tests = testsIn(readChunks(documents, id, run));
  decoded.set(run, { position: positionOf(run), tests });
  return tests;
}

export function positionOf(summary: RunSummaryDocument): Position {
  return (summary as RunSummaryDocument & { position: Position }).position;
}
