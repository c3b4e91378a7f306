/**
 * The gate of a completed run after a change of its results, against the baseline as it is then. A run that gets its
 * results one by one after its completion, as the shards of a run do that each complete it, may have thousands of such changes:
 * each looks only at its own tests.
 */
import { LRUCache } from 'lru-cache';
import {
  compare,
  comparisonKinds,
  countsOf,
  resultThatRan,
  testsIn,
  testsThatRan,
  type ComparisonCounts,
  type TestsOfRun,
} from '../../src/domain/comparison/compare.js';
import { emptyChunk, resultsIn, withResults } from '../../src/domain/comparison/packed-results.js';
import type { PackedResult, RunResult } from '../../src/domain/comparison/packed-line.js';
import { pairsOf } from '../../src/domain/comparison/renamed.js';
import { lineKey } from '../../src/domain/comparison/test-keys.js';
import type { Compared } from '../../src/domain/comparison/verdict.js';
import type { Position } from '../../src/domain/event.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { mostRemoved, type GateDecision } from '../../src/domain/gate/judge-gate.js';
import { gateDecision, gateRefs, gateSettings } from './gate-decision.js';
import {
  baselineIn,
  baselineSteps,
  chunksOf,
  missingChunks,
  positionOf,
  readChunks,
  setAllListed,
  testsOf,
  type BaselineRun,
  type Held,
} from './run-baselines.js';
import { runSummaryDocuments, type RunSummaryDocument } from './run-summary-documents.js';

/** A result before and after an event: null where it is not in the run. */
export type ResultInRun = { before: RunResult | null; after: RunResult | null };

/** A run in memory, and its comparison, as they are at the positions of the run and of its baseline. */
type Judged = Omit<Compared, 'removed_files'> & {
  position: Position;
  baseline: { id: string; position: Position } | null;
  /** By the key of the test, in its environment. */
  results: Map<string, readonly RunResult[]>;
  /** The tests that ran in the baseline alone, and those that are in the run alone, paired or not. */
  removed: Map<string, PackedResult>;
  added: Map<string, PackedResult>;
};

/**
 * Some 300 bytes for each result, by the documents of the runs. A run that is not here is read again: at most once for each
 * batch of events.
 */
const MOST_RESULTS = 100_000;
const judgedRuns = new LRUCache<RunSummaryDocument, Judged>({
  maxSize: MOST_RESULTS,
  sizeCalculation: ({ results }) => 1 + results.size,
});

/** From `follows` to `apply`, so that both find the same in memory. */
const plans = new WeakMap<HistoryEvent, Pick<Held, 'known'> & { judged: Judged | undefined }>();

/** Of the tests that an event changes in a run that is judged: their results before and after it. */
type ChangedLines = { run_id: string; former: readonly RunResult[]; present: readonly RunResult[] };

const changed = new WeakMap<HistoryEvent, ChangedLines>();

/** For the statistics. Null for nearly all events. */
export function changedLines(event: HistoryEvent): ChangedLines | null {
  return changed.get(event) ?? null;
}

export function isJudged({ completed, arriving }: RunSummaryDocument): boolean {
  return completed && !arriving;
}

/** What `judgeAgain` reads, for an event that changes results of a run that is judged. */
export function* judgingRefs(
  documents: ReadableDocuments,
  event: HistoryEvent,
  { run_id, summary }: { run_id: string; summary: RunSummaryDocument },
): Iterable<readonly DocumentRef[]> {
  yield gateRefs(summary);
  const held = yield* baselineSteps(documents, summary);
  const judged = takeJudged(summary, held.baseline);
  plans.set(event, { judged, known: held.known });
  yield [...missingChunks(held), ...(judged === undefined ? chunksOf(run_id, summary) : [])];
}

/** Decides on the gate after all changes of the event. */
export function judgeAgain(
  documents: Documents,
  event: HistoryEvent,
  run_id: string,
  changes: readonly ResultInRun[],
): void {
  const plan = plans.get(event);
  const summary = documents.get(runSummaryDocuments, run_id);
  if (plan === undefined || summary === null) return;
  plans.delete(event);
  const { baseline } = baselineIn(documents, summary);
  const before = testsOf(documents, { baseline, known: plan.known });
  const compared =
    plan.judged === undefined
      ? comparedAnew(documents, run_id, summary, before)
      : comparedAfter(plan.judged, changes, before);
  changed.set(event, { run_id, ...linesIn(compared.results, changes) });
  const { tests } = compared;
  const isOther = tests !== summary.tests;
  documents.change(runSummaryDocuments, run_id, { gate: gateAfter(documents, summary, compared), tests });
  judgedRuns.set(summary, { ...compared, position: positionOf(summary), baseline: placeOf(baseline) });
  // It may be fit as a baseline from now on, or be so no more.
  if (isOther) setAllListed(documents, run_id, summary);
}

/**
 * Undefined where it is not kept, or is older than the run or its baseline. It is kept no more, because the event changes it in
 * place: a batch that fails behind this event is folded again, from the run as it was before.
 */
function takeJudged(summary: RunSummaryDocument, baseline: BaselineRun | null): Judged | undefined {
  const found = judgedRuns.get(summary);
  judgedRuns.delete(summary);
  const place = placeOf(baseline);
  const isCurrent =
    found?.position === positionOf(summary) &&
    found.baseline?.id === place?.id &&
    found.baseline?.position === place?.position;
  return isCurrent ? found : undefined;
}

function placeOf(baseline: BaselineRun | null): Judged['baseline'] {
  return baseline === null ? null : { id: baseline.id, position: positionOf(baseline.run) };
}

type InMemory = Omit<Judged, 'position' | 'baseline'>;

function comparedAnew(
  documents: ReadableDocuments,
  run_id: string,
  summary: RunSummaryDocument,
  before: TestsOfRun | null,
): InMemory {
  const chunks = readChunks(documents, run_id, summary);
  const results = new Map<string, RunResult[]>();
  for (const result of chunks.flatMap(resultsIn)) {
    const others = results.get(keyOf(result));
    if (others === undefined) results.set(keyOf(result), [result]);
    else others.push(result);
  }
  const run = testsIn(chunks);
  const unpaired = { removed: new Map<string, PackedResult>(), added: new Map<string, PackedResult>() };
  if (before !== null) {
    for (const key of new Set([...before.keys(), ...run.keys()])) place(unpaired, key, run, before);
  }
  return {
    results,
    ...unpaired,
    counts: countsOf(compare(run, before)),
    tests: testsThatRan(run),
    baseline_tests: before === null ? null : testsThatRan(before),
  };
}

/** The tests of the changes count anew, and no others. */
function comparedAfter(
  judged: Judged,
  changes: readonly ResultInRun[],
  baseline: TestsOfRun | null,
): InMemory {
  const { results, removed, added, baseline_tests } = judged;
  const counts = { ...judged.counts };
  let { tests } = judged;
  for (const { key, before, after } of changes.flatMap(byTest)) {
    const former = results.get(key) ?? [];
    const present = replaced(former, before, after);
    for (const [sign, all] of [
      [-1, former],
      [1, present],
    ] as const) {
      const test = testsIn([withResults(emptyChunk, all)]);
      const found = countsOf(compare(test, onlyOf(key, baseline)));
      for (const kind of comparisonKinds) counts[kind] += sign * found[kind];
      tests += sign * testsThatRan(test);
      if (baseline !== null) place({ removed, added }, key, test, baseline);
    }
    if (present.length === 0) results.delete(key);
    else results.set(key, present);
  }
  return { results, removed, added, counts, tests, baseline_tests };
}

/** `results`: as they are after the changes. */
function linesIn(
  results: Judged['results'],
  changes: readonly ResultInRun[],
): Pick<ChangedLines, 'former' | 'present'> {
  const moves = changes.flatMap(byTest);
  const present = new Map(moves.map(({ key }) => [key, results.get(key) ?? []]));
  const former = new Map(present);
  for (const { key, before, after } of moves.toReversed())
    former.set(key, replaced(former.get(key)!, after, before));
  return { former: [...former.values()].flat(), present: [...present.values()].flat() };
}

/** A correction may move a result to another environment: it leaves one test, and comes to another. */
function byTest({ before, after }: ResultInRun): (ResultInRun & { key: string })[] {
  const [from, to] = [before && keyOf(before), after && keyOf(after)];
  const moved: (ResultInRun & { key: string })[] = [];
  if (from !== null) moved.push({ key: from, before, after: from === to ? after : null });
  if (to !== null && from !== to) moved.push({ key: to, before: null, after });
  return moved;
}

function gateAfter(
  documents: ReadableDocuments,
  summary: RunSummaryDocument,
  compared: InMemory,
): GateDecision {
  const { max_removed } = gateSettings(documents, summary);
  const counts = countsFor(compared, mostRemoved(max_removed, compared.baseline_tests));
  return gateDecision(documents, summary, { ...compared, counts });
}

/** Of removed and added tests, some may be one test under another name. They are paired only where the gate depends on it. */
function countsFor({ counts, removed, added }: InMemory, most: number | null): ComparisonCounts {
  const atLeast = removed.size - Math.min(removed.size, added.size);
  const isClear = most === null || atLeast > most || removed.size <= most;
  const pairs = isClear ? 0 : pairsOf([...removed.values()], [...added.values()]).size;
  return { ...counts, removed: removed.size - pairs };
}

function keyOf({ test, group }: RunResult): string {
  return lineKey(test, group);
}

function onlyOf(key: string, baseline: TestsOfRun | null): TestsOfRun | null {
  const test = baseline?.get(key);
  return baseline === null ? null : new Map(test === undefined ? [] : [[key, test]]);
}

/** Puts a test among the removed or the added ones, if it is one of them. */
function place(
  { removed, added }: Pick<Judged, 'removed' | 'added'>,
  key: string,
  run: TestsOfRun,
  baseline: TestsOfRun,
): void {
  const here = run.get(key)?.first ?? null;
  const before = baseline.get(key);
  const gone = here === null && before !== undefined ? resultThatRan(before) : null;
  removed.delete(key);
  added.delete(key);
  if (gone !== null) removed.set(key, gone);
  if (here !== null && (before?.first ?? null) === null) added.set(key, here);
}

function replaced(
  results: readonly RunResult[],
  before: RunResult | null,
  after: RunResult | null,
): readonly RunResult[] {
  const at = before === null ? -1 : results.findIndex(({ result_id }) => result_id === before.result_id);
  if (at === -1) return after === null ? results : [...results, after];
  return after === null ? results.toSpliced(at, 1) : results.with(at, after);
}
