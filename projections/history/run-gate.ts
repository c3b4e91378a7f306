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
  type Compared,
  type Comparison,
  type ComparisonCounts,
  type TestsOfRun,
} from '../../src/domain/comparison/compare.js';
import {
  emptyChunk,
  resultsIn,
  withResult,
  type PackedResult,
  type RunResult,
} from '../../src/domain/comparison/packed-results.js';
import {
  addUnpaired,
  countPairs,
  removeUnpaired,
  unpaired,
  type Unpaired,
} from '../../src/domain/comparison/renamed.js';
import { lineKey } from '../../src/domain/comparison/test-keys.js';
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
  listsOf,
  positionOf,
  readChunks,
  setListed,
  type BaselineRun,
} from './run-comparisons.js';
import {
  completedRun,
  completedRunsDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from './run-summary-documents.js';

/** A result before and after an event: null where it is not in the run. */
export type ResultInRun = { before: RunResult | null; after: RunResult | null };

/** Of the comparison: `counts` as if no test might have another name now. */
type InMemory = Omit<Compared, 'removed_files'> & {
  /** By the key of the test in its environment. */
  results: Map<string, readonly RunResult[]>;
  removed: Unpaired;
  added: Unpaired;
};

/** A run in memory, as it is at the positions of the run and of its baseline. */
type Judged = InMemory & { position: Position; baseline: { id: string; position: Position } | null };

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
  const lists = [candidatesId(documents, summary.project_id, summary), ...listsOf(summary)];
  yield lists.map(completedRunsDocuments.at);
  const { id: candidate } = candidateIn(documents, summary.project_id, summary);
  if (candidate !== null) yield [runSummaryDocuments.at(candidate)];
  const { baseline } = baselineIn(documents, summary.project_id, summary);
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
  const { baseline } = baselineIn(documents, summary.project_id, summary);
  const before = plan.before === undefined ? decode(documents, baseline!) : plan.before;
  const compared =
    plan.judged === undefined
      ? comparedAnew(documents, run_id, summary, before)
      : comparedAfter(plan.judged, changes, before);
  const { counts, tests, removed, added } = compared;
  const paired = { ...counts, removed: counts.removed - countPairs(removed, added) };
  const gate = gateDecision(documents, summary, { ...compared, counts: paired });
  const isOther = tests !== summary.tests;
  documents.change(runSummaryDocuments, run_id, { gate, tests });
  judgedRuns.set(summary, { ...compared, position: positionOf(summary), baseline: placeOf(baseline) });
  if (!isOther) return;
  for (const list of listsOf(summary)) setListed(documents, list, completedRun(run_id, summary), true);
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

function comparedAnew(
  documents: ReadableDocuments,
  run_id: string,
  summary: RunSummaryDocument,
  before: TestsOfRun | null,
): InMemory {
  const results = new Map<string, RunResult[]>();
  const chunks = readChunks(documents, run_id, summary);
  for (const result of chunks.flatMap(resultsIn)) {
    const key = keyOf(result);
    const others = results.get(key);
    if (others === undefined) results.set(key, [result]);
    else others.push(result);
  }
  const tests = testsIn(chunks);
  const baseline_tests = before === null ? null : ranIn(before);
  const { removed, added, counts } = unpairedIn(compare(tests, before));
  const [gone, fresh] = [unpaired(removed), unpaired(added)];
  return { results, removed: gone, added: fresh, counts, tests: ranIn(tests), baseline_tests };
}

type Unmatched = { removed: PackedResult[]; added: PackedResult[]; counts: ComparisonCounts };

function unpairedIn(found: Comparison): Unmatched {
  const removed = [...found.removed, ...found.renamed_maybe.filter((_, n) => n % 2 === 0)];
  const counts = { ...countsOf(found), removed: removed.length, renamed_maybe: 0 };
  return { removed, added: found.added, counts };
}

/** The tests of the changes count anew, and no others. */
function comparedAfter(
  judged: Judged,
  changes: readonly ResultInRun[],
  baseline: TestsOfRun | null,
): InMemory {
  const { results, removed, added } = judged;
  let { counts, tests } = judged;
  for (const { before, after } of changes) {
    // A correction may move a result to another environment.
    for (const key of new Set([before, after].flatMap((one) => (one === null ? [] : [keyOf(one)])))) {
      const own = (one: RunResult | null) => (one !== null && keyOf(one) === key ? one : null);
      const former = results.get(key) ?? [];
      const present = replaced(former, own(before), own(after));
      const [was, is] = [ofTest(key, former, baseline), ofTest(key, present, baseline)];
      counts = sumOf(sumOf(counts, was.counts, -1), is.counts, 1);
      tests += is.tests - was.tests;
      removeUnpaired(removed, key);
      removeUnpaired(added, key);
      for (const result of is.removed) addUnpaired(removed, result);
      for (const result of is.added) addUnpaired(added, result);
      if (present.length === 0) results.delete(key);
      else results.set(key, present);
    }
  }
  return { results, removed, added, counts, tests, baseline_tests: judged.baseline_tests };
}

function keyOf({ test, group }: RunResult): string {
  return lineKey(test, group);
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
): Unmatched & { tests: number } {
  const before = baseline?.get(key);
  const tests = testsIn([results.reduce(withResult, emptyChunk)]);
  const others = baseline === null ? null : new Map(before === undefined ? [] : [[key, before]]);
  return { ...unpairedIn(compare(tests, others)), tests: ranIn(tests) };
}

function sumOf(counts: ComparisonCounts, more: ComparisonCounts, sign: 1 | -1): ComparisonCounts {
  const sums = comparisonKinds.map((kind) => [kind, counts[kind] + sign * more[kind]]);
  return Object.fromEntries(sums) as ComparisonCounts;
}
