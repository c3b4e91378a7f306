/**
 * Comparisons of a past. It shows few of its runs, so each comparison is made when its run is asked for, of what the run and its
 * baseline had at the completion. Nothing else of a past follows from it, but how many tests of the run ran.
 */
import {
  compare,
  comparisonKinds,
  countsOf,
  countTests,
  testsIn,
} from '../../src/domain/comparison/compare.js';
import { ranIn, type Chunk } from '../../src/domain/comparison/packed-results.js';
import type { ReadableDocuments } from '../../src/domain/projection.js';
import type { Handler } from '../projection.js';
import { decidedBy, gateSettings } from './gate-decision.js';
import {
  baselineIn,
  baselineSteps,
  chunksOf,
  positionOf,
  readChunks,
  setAllListed,
  type BaselineRun,
} from './run-baselines.js';
import { completion, packedLists } from './run-comparisons.js';
import {
  baselineRef,
  runSummaryDocuments,
  type ComparedListDocument,
  type LateComparison,
  type RunSummaryDocument,
} from './run-summary-documents.js';

/** Before the comparison is made. */
const notCompared = {
  counts: countsOf(compare(new Map(), null)),
  tests: 0,
  baseline_tests: null,
  removed_files: 0,
};

export const lateCompletion: Handler<'RunCompleted'> = {
  touches: completion.touches,
  *follows(documents, { data: { run_id } }) {
    const summary = documents.get(runSummaryDocuments, run_id);
    if (summary === null) return;
    const { baseline } = yield* baselineSteps(documents, summary);
    const before = baseline === null ? [] : chunksOf(baseline.id, baseline.run);
    yield [...chunksOf(run_id, summary), ...before];
  },
  apply(documents, event) {
    const { run_id: id, completion: number, reason } = event.data;
    const present = documents.get(runSummaryDocuments, id);
    if (present === null) return;
    const { idle: _, ...former } = present;
    const summary = { ...former, ...(reason === 'idle' && { idle: true as const }) };
    const { baseline, passed_over } = baselineIn(documents, summary);
    const late = lateOf(documents, { id, run: summary }, baseline);
    const completed: RunSummaryDocument = {
      ...summary,
      arriving: false,
      completed: true,
      tests: ranIn(late.here).size,
      gate: null,
      comparison: {
        completion: number,
        baseline: baseline === null ? null : baselineRef(baseline.id, baseline.run),
        passed_over,
        ...notCompared,
        baseline_position: baseline === null ? null : positionOf(baseline.run),
        at: event.position,
      },
      late,
    };
    documents.put(runSummaryDocuments, id, completed);
    setAllListed(documents, id, completed);
  },
};

function lateOf(
  documents: ReadableDocuments,
  { id, run }: BaselineRun,
  baseline: BaselineRun | null,
): LateComparison {
  const { shards, unread, idle } = run;
  return {
    here: copies(readChunks(documents, id, run)),
    before: baseline === null ? null : copies(readChunks(documents, baseline.id, baseline.run)),
    settings: gateSettings(documents, run),
    ...(shards && { shards }),
    ...(unread && { unread }),
    ...(idle && { idle }),
  };
}

function copies(chunks: readonly Chunk[]): Chunk[] {
  return chunks.map(({ origins, groups, lines }) => ({ origins, groups, lines }));
}

/** The summary with its comparison and the lists of it; null where there is nothing to make. */
export function comparedNow(
  id: string,
  { late, ...summary }: RunSummaryDocument,
): { summary: RunSummaryDocument; lists: [id: string, ComparedListDocument][] } | null {
  if (late === undefined) return null;
  const [here, before] = [testsIn(late.here), late.before && testsIn(late.before)];
  const found = compare(here, before);
  const compared = { counts: countsOf(found), ...countTests(here, before, found) };
  const comparison = { ...summary.comparison!, ...compared };
  // One that a change of a result decided after the completion stays, and a run that is running again has none.
  const gate = summary.completed ? (summary.gate ?? decidedBy(late.settings, late, compared)) : null;
  const lists = comparisonKinds.flatMap((kind) => packedLists(id, found, kind));
  return { summary: { ...summary, comparison, gate }, lists };
}
