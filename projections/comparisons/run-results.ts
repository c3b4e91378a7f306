/** What the results of a run change in its summary and chunks. */
import { testGroup, testKey, suiteHash } from '../../src/domain/comparison/test-keys.js';
import { RESULTS_PER_CHUNK, withChange, withResults } from '../../src/domain/comparison/packed-results.js';
import type { RunResult } from '../../src/domain/comparison/packed-line.js';
import { isSlower, withPass } from '../../src/domain/comparison/slower.js';
import type { EventType, LedgerEvent } from '../../src/domain/events.js';
import { resultEnvironment } from '../../src/domain/environment.js';
import { bulkOriginOf } from '../../src/domain/ids.js';
import type {
  HistoryEvent,
  HistoryChange,
  ResultChange,
} from '../../src/domain/test-history/result-change.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import type { BeginningFacts } from '../../src/domain/test-history/result-facts.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { chunkOf, chunkRefs } from '../history/entries.js';
import { isKnown } from '../history/transitions.js';
import type { Handler } from '../projection.js';
import {
  addedChunks,
  chunkId,
  chunkOfLine,
  runCallDocuments,
  runChunkDocuments,
  type RunCallDocument,
} from './run-chunks.js';
import {
  defaultBranchOf,
  projectSettingsDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from './run-summary-documents.js';
import { isJudged, judgeAgain, judgingRefs, type ResultInRun } from './run-gate.js';
import { reopenedBy } from '../history/reopened.js';
import { durationAfter, retimedBy } from '../history/retimed.js';
import { supersededDocuments, supersederOf, supersederRefs } from '../history/superseding.js';
import { othersOf } from '../../src/domain/supersession.js';
import { putTestState, testState } from '../history/test-buckets.js';
import { placesFor } from '../history/lines.js';
import { isKnownSomewhere } from '../history/known-failures.js';

/** A result is flaky or known as its test says, so this goes after `testHistories`. */
export const results: Handler<EventType, HistoryChange> = { touches, follows, apply };

/** Whether an event changes a final result of a run, or whether such results count. Each item has a line from the start. */
function changesResults(event: HistoryEvent): boolean {
  return (
    event.type === 'ResultSubmitted' ||
    event.change !== undefined ||
    othersOf(event).length > 0 ||
    reopenedBy(event) !== null ||
    retimedBy(event) !== null
  );
}

/** The results of the run that the event changes, beside one that it adds. */
function changedBy(event: HistoryEvent): readonly string[] {
  if (isCreation(event)) return othersOf(event);
  const changed = [...othersOf(event)];
  const only = reopenedBy(event) ?? retimedBy(event);
  if (only !== null) changed.push(only);
  else if (event.change !== undefined) {
    changed.push(event.change.result.test_result_id);
  }
  return changed;
}

function isCreation({ type }: HistoryEvent): boolean {
  return type === 'ResultCreated' || type === 'ResultSubmitted';
}

/** The test, its numbers and its state are documents of the histories. */
function touches(event: HistoryEvent): DocumentRef[] {
  const { change } = event;
  const run_id = runIdOf(event);
  if (run_id === null || !changesResults(event)) return [];
  const touched: DocumentRef[] = [runSummaryDocuments.at(run_id)];
  if (change !== undefined) {
    touched.push(projectSettingsDocuments.at(change.result.project_id));
    touched.push(...supersederRefs(event, change.result.test_result_id));
  }
  for (const id of othersOf(event)) touched.push(supersededDocuments.at(id));
  for (const id of changedBy(event)) touched.push(...chunkRefs(id));
  if (event.type === 'ResultSubmitted') touched.push(...callOf(event));
  return touched;
}

/** The first item of a call begins the document of the call. */
function callOf({ data }: LedgerEvent<'ResultSubmitted'>): DocumentRef[] {
  const { submission_id, ordinal } = bulkOriginOf(data.result_id)!;
  return ordinal === 0 ? [runCallDocuments.atNew(submission_id)] : [];
}

function follows(documents: ReadableDocuments, event: HistoryEvent): Iterable<readonly DocumentRef[]> | null {
  const run_id = changesResults(event) ? runIdOf(event) : null;
  const summary = run_id === null ? null : documents.get(runSummaryDocuments, run_id);
  if (run_id === null || summary === null) return null;
  // A result that was not final has no chunk, unless it is an item.
  const chunks = addedChunks(run_id, summary.lines, event.lines?.length ?? 1);
  for (const id of changedBy(event)) {
    const n = chunkOf(documents, id);
    if (n !== undefined) chunks.push(runChunkDocuments.at(chunkId(run_id, n)));
  }
  return isJudged(summary) ? chunksAndGate(chunks, documents, event, { run_id, summary }) : [chunks];
}

function* chunksAndGate(
  chunks: readonly DocumentRef[],
  documents: ReadableDocuments,
  event: HistoryEvent,
  run: { run_id: string; summary: RunSummaryDocument },
): Iterable<readonly DocumentRef[]> {
  yield chunks;
  yield* judgingRefs(documents, event, run);
}

function apply(documents: Documents, event: HistoryEvent): void {
  const run_id = changesResults(event) ? runIdOf(event) : null;
  const present = run_id === null ? null : documents.get(runSummaryDocuments, run_id);
  if (run_id === null || present === null) return;
  const { change } = event;
  const { lines } = present;
  const tally: Tally = { lines, changes: isJudged(present) ? [] : null };
  if (event.type === 'ResultSubmitted') beginCall(documents, event, lines);
  if (change !== undefined) applyOwn(documents, event, { run_id, change, tally });
  else if (event.type === 'ResultSubmitted')
    addResults(documents, run_id, tally, event.lines ?? [unfinished(event)]);
  for (const id of othersOf(event)) {
    const chunk = chunkOf(documents, id);
    const superseded = documents.get(supersededDocuments, id) !== null;
    if (chunk === undefined) continue;
    changeResult(documents, run_id, chunk, id, tally, (result) => ({ ...result, superseded }));
  }
  const reopened = reopenedBy(event);
  const open = reopened === null ? undefined : chunkOf(documents, reopened);
  if (reopened !== null && open !== undefined) {
    changeResult(documents, run_id, open, reopened, tally, reopen);
  }
  const retimed = retimedBy(event);
  const timed = retimed === null ? undefined : chunkOf(documents, retimed);
  if (retimed !== null && timed !== undefined) {
    const duration_ms = durationAfter(event) ?? null;
    changeResult(documents, run_id, timed, retimed, tally, (result) => ({ ...result, duration_ms }));
  }
  // In place, because every result of a run changes its summary (docs/decisions/033).
  documents.change(runSummaryDocuments, run_id, { lines: tally.lines });
  if (tally.changes !== null) judgeAgain(documents, event, run_id, tally.changes);
}

function beginCall(
  documents: Documents,
  { data, meta }: LedgerEvent<'ResultSubmitted'>,
  first: number,
): void {
  const { submission_id, ordinal } = bulkOriginOf(data.result_id)!;
  if (ordinal > 0) return;
  const environment = meta.facts?.environment;
  documents.put(runCallDocuments, submission_id, {
    first,
    branch: data.run_branch,
    ...(environment !== undefined && { environment }),
  } satisfies RunCallDocument);
}

/** An item that is not final yet has its place already: the places of items follow from their ordinals. */
function unfinished({ data, meta }: LedgerEvent<'ResultSubmitted'>): RunResult {
  const { project_id, test_name, result_id, metadata } = data;
  const { test_id = testIdOf(project_id, test_name) } = (meta.facts ?? {}) as BeginningFacts;
  const test = testKey(test_id, test_name);
  const environment = resultEnvironment(meta.facts?.environment ?? '', metadata);
  const group = testGroup(suiteHash(metadata), environment);
  const unknown = { ordinal: 0, duration_ms: null };
  return { test, group, status: 'Unfinished', superseded: false, ...noFlags, ...unknown, result_id };
}

const noFlags = { known: false, known_elsewhere: false, flaky: false, slower: false };

/** The test stays in the run, but its result counts no more. */
function reopen({ test, group, result_id, superseded, ordinal, duration_ms }: RunResult): RunResult {
  return { test, group, status: 'Open', superseded, ...noFlags, ordinal, duration_ms, result_id };
}

/** What one event changes in a run. `changes`: null while the gate does not judge the run. */
type Tally = { lines: number; changes: ResultInRun[] | null };

type Own = { run_id: string; change: ResultChange; tally: Tally };

/** Adds, changes or removes the result of the event itself. */
function applyOwn(documents: Documents, event: HistoryEvent, { run_id, change, tally }: Own): void {
  const id = change.result.test_result_id;
  const chunk = isCreation(event) ? undefined : chunkOf(documents, id);
  const result = change.entry === null ? null : resultOf(documents, event, change);
  if (chunk !== undefined) changeResult(documents, run_id, chunk, id, tally, () => result);
  else if (result !== null) addResults(documents, run_id, tally, [result]);
}

/** Also keeps the passes of the test on the default branch, by which later results are slower. */
function resultOf(
  documents: Documents,
  event: HistoryEvent,
  { test_id, result, entry, suite }: ResultChange,
): RunResult {
  const { test_result_id: result_id, project_id, execution_time_ms: ms } = result;
  const { status, branch, environment, again } = entry!;
  const { line, known: numbers } = placesFor(documents, test_id, { project_id, environment });
  const state = testState(documents, line);
  const { passes } = state;
  const passed = status === 'Passed' && ms !== null;
  const ofDefault = branch === defaultBranchOf(documents.get(projectSettingsDocuments, project_id));
  if (passed && ofDefault && !again) {
    putTestState(documents, line, { ...state, passes: withPass(passes, ms) });
  }
  const known = isKnown(event);
  return {
    test: testKey(test_id, result.test_name),
    group: testGroup(suite, environment),
    status,
    superseded: supersederOf(documents, event, result_id) !== null,
    known,
    known_elsewhere: status === 'Failed' && !known && isKnownSomewhere(documents, event, test_id),
    flaky: state.history.state === 'flaky',
    slower: passed && isSlower(ms, passes),
    ordinal: numbers!.ordinal,
    duration_ms: ms,
    result_id,
  };
}

function addResults(documents: Documents, run_id: string, tally: Tally, results: readonly RunResult[]): void {
  for (let done = 0; done < results.length;) {
    const open = documents.edit(runChunkDocuments, chunkId(run_id, chunkOfLine(tally.lines)));
    const room = RESULTS_PER_CHUNK - (tally.lines % RESULTS_PER_CHUNK);
    const added = results.slice(done, done + room);
    Object.assign(open, { run_id, ...withResults(open, added) });
    tally.lines += added.length;
    tally.changes?.push(...added.map((after) => ({ before: null, after })));
    done += added.length;
  }
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
  const open = documents.edit(runChunkDocuments, id);
  const changed = withChange(open, resultId, (result) => {
    const after = change(result);
    tally.changes?.push({ before: result, after });
    return after;
  });
  Object.assign(open, changed);
}

function runIdOf({ data }: HistoryEvent): string | null {
  return 'run_id' in data ? (data.run_id ?? null) : null;
}
