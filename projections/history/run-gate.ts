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
  ranIn,
  testsIn,
  type ComparisonCounts,
  type TestsOfRun,
} from '../../src/domain/comparison/compare.js';
import {
  emptyChunk,
  resultsIn,
  withResult,
  type RunResult,
} from '../../src/domain/comparison/packed-results.js';
import type { Compared } from '../../src/domain/comparison/verdict.js';
import type { Position } from '../../src/domain/event.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { gateDecision, gateRefs } from './gate-decision.js';
import {
  baselineIn,
  candidateIn,
  candidatesId,
  chunksOf,
  decode,
  decodedAt,
  positionOf,
  readChunks,
  type BaselineRun,
} from './run-comparisons.js';
import {
  completedRunsDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from './run-summary-documents.js';

/** A result before and after an event: null where it is not in the run. */
export type ResultInRun = { before: RunResult | null; after: RunResult | null };

/** A run in memory, and its comparison, as they are at the positions of the run and of its baseline. */
type Judged = Compared & {
  position: Position;
  baseline: { id: string; position: Position } | null;
  /** By the key of the test. */
  results: Map<string, readonly RunResult[]>;
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
const plans = new WeakMap<
  HistoryEvent,
  { judged: Judged | undefined; before: TestsOfRun | null | undefined }
>();

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
  yield [completedRunsDocuments.at(candidatesId(documents, summary.project_id, summary))];
  const candidate = candidateIn(documents, summary.project_id, summary);
  if (candidate !== null) yield [runSummaryDocuments.at(candidate)];
  const baseline = baselineIn(documents, summary.project_id, summary);
  const before = baseline === null ? null : decodedAt(baseline.run);
  const judged = judgedAt(summary, baseline);
  plans.set(event, { judged, before });
  yield [
    ...(before === undefined ? chunksOf(baseline!.id, baseline!.run) : []),
    ...(judged === undefined ? chunksOf(run_id, summary) : []),
  ];
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
  const baseline = baselineIn(documents, summary.project_id, summary);
  const before = plan.before === undefined ? decode(documents, baseline!) : plan.before;
  const compared =
    plan.judged === undefined
      ? comparedAnew(documents, run_id, summary, before)
      : comparedAfter(plan.judged, changes, before);
  documents.change(runSummaryDocuments, run_id, { gate: gateDecision(documents, summary, compared) });
  judgedRuns.set(summary, { ...compared, position: positionOf(summary), baseline: placeOf(baseline) });
}

/** Undefined where it is not kept, or is older than the run or its baseline. */
function judgedAt(summary: RunSummaryDocument, baseline: BaselineRun | null): Judged | undefined {
  const found = judgedRuns.get(summary);
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

type InMemory = Compared & Pick<Judged, 'results'>;

function comparedAnew(
  documents: ReadableDocuments,
  run_id: string,
  summary: RunSummaryDocument,
  before: TestsOfRun | null,
): InMemory {
  const results = new Map<string, RunResult[]>();
  const chunks = readChunks(documents, run_id, summary);
  for (const result of chunks.flatMap(resultsIn)) {
    const others = results.get(result.test);
    if (others === undefined) results.set(result.test, [result]);
    else others.push(result);
  }
  const tests = testsIn(chunks);
  const baseline_tests = before === null ? null : ranIn(before);
  return { results, counts: countsOf(compare(tests, before)), tests: ranIn(tests), baseline_tests };
}

/** The tests of the changes count anew, and no others. */
function comparedAfter(
  { results, counts, tests, baseline_tests }: Judged,
  changes: readonly ResultInRun[],
  baseline: TestsOfRun | null,
): InMemory {
  let compared: Compared = { counts, tests, baseline_tests };
  for (const { before, after } of changes) {
    const key = (after ?? before)!.test;
    const former = results.get(key) ?? [];
    const present = replaced(former, before, after);
    compared = added(compared, ofTest(key, former, baseline), -1);
    compared = added(compared, ofTest(key, present, baseline), 1);
    if (present.length === 0) results.delete(key);
    else results.set(key, present);
  }
  return { ...compared, results };
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

/** What one test is to a comparison. */
function ofTest(
  key: string,
  results: readonly RunResult[],
  baseline: TestsOfRun | null,
): Pick<Compared, 'counts' | 'tests'> {
  const before = baseline?.get(key);
  const tests = testsIn([results.reduce(withResult, emptyChunk)]);
  const others = baseline === null ? null : new Map(before === undefined ? [] : [[key, before]]);
  return { counts: countsOf(compare(tests, others)), tests: ranIn(tests) };
}

function added(
  { counts, tests, ...rest }: Compared,
  more: Pick<Compared, 'counts' | 'tests'>,
  sign: 1 | -1,
): Compared {
  const sums = comparisonKinds.map((kind) => [kind, counts[kind] + sign * more.counts[kind]]);
  return {
    ...rest,
    counts: Object.fromEntries(sums) as ComparisonCounts,
    tests: tests + sign * more.tests,
  };
}
