/**
 * What a comparison of runs needs of each run: its final results, packed in chunks, and where it comes from. It goes with
 * the histories of tests, because a result is flaky or known as its test says.
 */
import {
  emptyChunk,
  RESULTS_PER_CHUNK,
  testKey,
  withChange,
  withResult,
  type Chunk,
  type RunResult,
} from '../src/domain/comparison/packed-results.js';
import { isSlower, withPass } from '../src/domain/comparison/slower.js';
import type { EventType } from '../src/domain/events.js';
import type { EnrichedEvent, Enrichment, ResultChange } from '../src/domain/test-history/enriched-event.js';
import { collection, type DocumentRef, type Documents } from '../src/domain/projection.js';
import { ofResults, projection, type Handler } from './projection.js';
import { completion, description, reopening } from './run-comparisons.js';
import {
  chunkId,
  comparedListDocuments,
  completedRunsDocuments,
  defaultBranchOf,
  originOf,
  projectSettingsDocuments,
  runChunkDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from './run-summary-documents.js';
import { placeIn } from './pages.js';
import { reopenedBy } from './reopened.js';
import { supersededDocuments, supersederOf, supersederRefs } from './superseding.js';
import { supersessionOf } from '../src/domain/supersession.js';
import { entryDocuments, testDocuments, type EntryDocument } from './test-histories.js';
import { putTestState, testState } from './test-pages.js';

/** By event id, never stored: the entry that a result had before the event. */
type FormerEntryDocument = { entry: EntryDocument };

const formerEntryDocuments = collection<FormerEntryDocument>({
  name: 'former_entries',
  ids: 'event',
  indexes: [],
});

const former: Handler<EventType, Enrichment> = {
  touches: ({ id, context }) =>
    context?.former == null
      ? []
      : [formerEntryDocuments.atNew(id), entryDocuments.at(context.result.test_result_id)],
  apply(documents, { id, context }) {
    if (context?.former == null) return;
    const entry = documents.get(entryDocuments, context.result.test_result_id);
    if (entry !== null) documents.put(formerEntryDocuments, id, { entry });
  },
};

/** Goes before `testHistories`, which replaces and removes the entries. */
export const formerEntries = projection<Enrichment>({
  name: 'former_entries',
  version: 1,
  collections: [],
  on: {
    ResultStarted: former,
    ResultFinished: former,
    ResultUpdated: former,
    ResultDeleted: former,
  },
});

const results: Handler<EventType, Enrichment> = { touches, follows, apply };

/** Goes after `testHistories`: a result is flaky or known as its test says. */
export const runSummaries = projection<Enrichment>({
  name: 'run_summaries',
  version: 1,
  collections: [
    runSummaryDocuments,
    runChunkDocuments,
    comparedListDocuments,
    completedRunsDocuments,
    projectSettingsDocuments,
  ],
  on: {
    ProjectCreated: settings(),
    ProjectDescribed: settings(),
    RunCreated: {
      touches: ({ data }) => [runSummaryDocuments.atNew(data.run_id)],
      apply(documents, { data, meta, position }) {
        const { run_id, project_id, metadata } = data;
        documents.put(runSummaryDocuments, run_id, {
          team_id: meta.team_id,
          project_id,
          ...originOf(metadata),
          created_at: meta.at,
          created_position: position,
          chunks: 0,
          lines: 0,
          failing: 0,
          known: 0,
          completed: false,
          comparison: null,
        } satisfies RunSummaryDocument);
      },
    },
    RunDescribed: description,
    RunStarted: reopening,
    RunReturnedToPending: reopening,
    RunCompleted: completion,
    ...ofResults(results),
  },
});

function settings(): Handler<'ProjectCreated' | 'ProjectDescribed'> {
  return {
    touches: ({ data }) => [projectSettingsDocuments.at(data.project_id)],
    apply(documents, { data }) {
      const { project_id, default_branch } = data;
      const present = documents.get(projectSettingsDocuments, project_id);
      if (default_branch === undefined || default_branch === present?.default_branch) return;
      documents.put(projectSettingsDocuments, project_id, { default_branch });
    },
  };
}

// --- The results of a run -------------------------------------------------------------------------------------------

/** Whether an event changes a final result of a run, or whether such results count. */
function changesResults(event: EnrichedEvent): boolean {
  return event.context !== undefined || supersessionOf(event) !== null || reopenedBy(event) !== null;
}

function touches(event: EnrichedEvent): DocumentRef[] {
  const { context } = event;
  const run_id = runIdOf(event);
  const others = supersessionOf(event);
  if (run_id === null || !changesResults(event)) return [];
  const touched: DocumentRef[] = [runSummaryDocuments.at(run_id)];
  if (context !== undefined) {
    touched.push(entryDocuments.at(context.result.test_result_id), testDocuments.at(context.test_id));
    touched.push(projectSettingsDocuments.at(context.result.project_id));
    touched.push(...supersederRefs(event, context.result.test_result_id));
    if (context.former !== null) touched.push(formerEntryDocuments.atNew(event.id));
  }
  for (const id of others?.results ?? []) touched.push(entryDocuments.at(id), supersededDocuments.at(id));
  const reopened = reopenedBy(event);
  if (reopened !== null) touched.push(entryDocuments.at(reopened));
  return touched;
}

function follows(documents: Pick<Documents, 'get'>, event: EnrichedEvent): DocumentRef[][] | null {
  const run_id = changesResults(event) ? runIdOf(event) : null;
  const summary = run_id === null ? null : documents.get(runSummaryDocuments, run_id);
  if (run_id === null || summary === null) return null;
  const { context } = event;
  const others = supersessionOf(event);
  const chunks: DocumentRef[] = [];
  const add = (n: number | undefined) => {
    if (n !== undefined) chunks.push(runChunkDocuments.at(chunkId(run_id, n)));
  };
  const before =
    context === undefined || context.former === null ? null : documents.get(formerEntryDocuments, event.id);
  if (before !== null) add(before.entry.chunk);
  else if (context?.entry != null) {
    const { n, isNew } = lastChunk(summary);
    const id = chunkId(run_id, n);
    chunks.push(isNew ? runChunkDocuments.atNew(id) : runChunkDocuments.at(id));
  }
  for (const id of others?.results ?? []) add(documents.get(entryDocuments, id)?.chunk);
  const reopened = reopenedBy(event);
  if (reopened !== null) add(documents.get(entryDocuments, reopened)?.chunk);
  return chunks.length === 0 ? null : [chunks];
}

/** The chunk that takes the next result. */
function lastChunk({ chunks, lines }: Tally): { n: number; isNew: boolean } {
  const isNew = chunks === 0 || lines >= RESULTS_PER_CHUNK;
  return { n: isNew ? chunks : chunks - 1, isNew };
}

function apply(documents: Documents, event: EnrichedEvent): void {
  const run_id = changesResults(event) ? runIdOf(event) : null;
  const present = run_id === null ? null : documents.get(runSummaryDocuments, run_id);
  if (run_id === null || present === null) return;
  const { context } = event;
  const others = supersessionOf(event);
  const { chunks, lines, failing, known } = present;
  const tally: Tally = { chunks, lines, failing, known };
  if (context !== undefined) applyOwn(documents, event, { run_id, context, tally });
  for (const id of others?.results ?? []) {
    const chunk = documents.get(entryDocuments, id)?.chunk;
    const superseded = documents.get(supersededDocuments, id) !== null;
    if (chunk === undefined) continue;
    changeResult(documents, run_id, chunk, id, tally, (result) => ({ ...result, superseded }));
  }
  const reopened = reopenedBy(event);
  const open = reopened === null ? undefined : documents.get(entryDocuments, reopened)?.chunk;
  if (reopened !== null && open !== undefined) {
    changeResult(documents, run_id, open, reopened, tally, reopen);
  }
  // In place, because every result of a run changes its summary (docs/decisions/033).
  documents.change(runSummaryDocuments, run_id, tally);
}

/** The test stays in the run, but its result counts no more. */
function reopen({ test, result_id, superseded }: RunResult): RunResult {
  const flags = { known: false, flaky: false, slower: false };
  return { test, status: 'Open', superseded, ...flags, result_id };
}

/** What the results of a run change in its summary, counted for one event. */
type Tally = Pick<RunSummaryDocument, 'chunks' | 'lines' | 'failing' | 'known'>;

type Own = { run_id: string; context: ResultChange; tally: Tally };

/** Adds, changes or removes the result of the event itself. */
function applyOwn(documents: Documents, event: EnrichedEvent, { run_id, context, tally }: Own): void {
  const id = context.result.test_result_id;
  const before =
    context.former === null ? null : (documents.get(formerEntryDocuments, event.id)?.entry ?? null);
  if (context.entry === null) {
    if (before?.chunk !== undefined) {
      changeResult(documents, run_id, before.chunk, id, tally, () => null);
    }
    return;
  }
  const entry = documents.get(entryDocuments, id);
  if (entry === null) return;
  const superseded = supersederOf(documents, event, id) !== null;
  const result = resultOf(documents, context, entry, superseded);
  let chunk = before?.chunk;
  if (chunk === undefined) chunk = addResult(documents, run_id, tally, result);
  else changeResult(documents, run_id, chunk, id, tally, () => result);
  documents.change(entryDocuments, id, { chunk });
}

/** Also keeps the passes of the test on the default branch, by which later results are slower. */
function resultOf(
  documents: Documents,
  { test_id, result, entry: added }: ResultChange,
  entry: EntryDocument,
  superseded: boolean,
): RunResult {
  const { test_result_id: result_id, project_id, execution_time_ms: ms } = result;
  const status = added!.status;
  const place = placeIn(project_id, documents.get(testDocuments, test_id)!.number!);
  const state = testState(documents, place);
  const { passes } = state;
  const passed = status === 'Passed' && ms !== null;
  const branch = defaultBranchOf(documents.get(projectSettingsDocuments, project_id));
  if (passed && added!.branch === branch && !added!.again) {
    putTestState(documents, place, { ...state, passes: withPass(passes, ms) });
  }
  return {
    test: testKey(test_id),
    status,
    superseded,
    known: status === 'Failed' && entry.known,
    flaky: state.history.state === 'flaky',
    slower: passed && isSlower(ms, passes),
    result_id,
  };
}

/** Returns the number of the chunk. */
function addResult(documents: Documents, run_id: string, tally: Tally, result: RunResult): number {
  const { n, isNew } = lastChunk(tally);
  const id = chunkId(run_id, n);
  const present = isNew ? emptyChunk : (documents.get(runChunkDocuments, id) ?? emptyChunk);
  documents.put(runChunkDocuments, id, { run_id, ...withResult(bare(present), result) });
  tally.chunks = n + 1;
  tally.lines = isNew ? 1 : tally.lines + 1;
  count(tally, result, 1);
  return n;
}

function changeResult(
  documents: Documents,
  run_id: string,
  n: number,
  resultId: string,
  tally: Tally,
  change: (result: RunResult) => RunResult | null,
): void {
  const id = chunkId(run_id, n);
  const present = documents.get(runChunkDocuments, id);
  if (present === null) return;
  const changed = withChange(bare(present), resultId, (result) => {
    const after = change(result);
    count(tally, result, -1);
    if (after !== null) count(tally, after, 1);
    return after;
  });
  documents.put(runChunkDocuments, id, { run_id, ...changed });
}

function bare({ origins, lines }: Chunk): Chunk {
  return { origins, lines };
}

function count(tally: Tally, { status, superseded, known }: RunResult, n: 1 | -1): void {
  if (status !== 'Failed' || superseded) return;
  tally.failing += n;
  if (known) tally.known += n;
}

function runIdOf({ data }: EnrichedEvent): string | null {
  return 'run_id' in data ? (data.run_id ?? null) : null;
}
