/**
 * What a comparison of runs needs: the final results of each run, packed in chunks; where each run comes from; and the
 * comparison of each completed run with its baseline, as it was at its last completion.
 *
 * A run costs what its own results cost, however many runs came before: at its completion, the fold reads the chunks of
 * the run and those of its baseline, and no other run.
 */
import { LRUCache } from 'lru-cache';
import {
  emptyChunk,
  RESULTS_PER_CHUNK,
  testKey,
  withChange,
  withResult,
  type Chunk,
  type RunResult,
} from '../src/domain/comparison/packed-results.js';
import { compare, countsOf, testsIn, type TestsOfRun } from '../src/domain/comparison/compare.js';
import {
  gateOf,
  type Baseline,
  type ComparisonSummary,
  type RunVerdict,
} from '../src/domain/comparison/verdict.js';
import { isSlower, withPass } from '../src/domain/comparison/slower.js';
import type { Instant, Position } from '../src/domain/event.js';
import type { EventType, LedgerEvent } from '../src/domain/events.js';
import type { EnrichedEvent, Enrichment, ResultChange } from '../src/domain/test-history/enriched-event.js';
import { collection, type DocumentRef, type Documents } from '../src/domain/projection.js';
import { understoodRun } from '../src/domain/understood.js';
import { projection, type Handler } from './projection.js';
import { supersessionOf } from './supersession.js';
import { entryDocuments, testDocuments, type EntryDocument } from './test-histories.js';

/** By run id. */
export type RunSummaryDocument = {
  team_id: string;
  project_id: string;
  branch: string | null;
  commit: string | null;
  tool: string | null;
  created_at: Instant;
  created_position: Position;
  /** The number of chunks, and of the lines that were ever added to the last one. */
  chunks: number;
  lines: number;
  /** The failing results that no later attempt supersedes, and those of them that are known. */
  failing: number;
  known: number;
  /** The comparison at the last completion; null before the first. */
  comparison: StoredComparison | null;
};

export type StoredComparison = ComparisonSummary & { completion: number };

/** By run id, `#` and the number of the chunk. */
export type RunChunkDocument = Chunk & { run_id: string };

/**
 * By project, branch and tool, or by project and branch (`completedRunsId`): the runs that were completed there, those
 * that were created last first.
 */
export type CompletedRunsDocument = { runs: readonly { id: string; created: Position }[] };

/** By project id. */
export type ProjectSettingsDocument = { default_branch: string };

/** By event id, never stored: the entry that a result had before the event. */
type FormerEntryDocument = { entry: EntryDocument };

export const runSummaryDocuments = collection<RunSummaryDocument>({
  name: 'run_summaries',
  ids: 'run',
  indexes: [],
});
export const runChunkDocuments = collection<RunChunkDocument>({
  name: 'run_chunks',
  ids: 'run',
  indexes: [],
});
export const completedRunsDocuments = collection<CompletedRunsDocument>({
  name: 'completed_runs',
  ids: 'project',
  indexes: [],
});
export const projectSettingsDocuments = collection<ProjectSettingsDocument>({
  name: 'project_settings',
  ids: 'project',
  indexes: [],
});
const formerEntryDocuments = collection<FormerEntryDocument>({
  name: 'former_entries',
  ids: 'event',
  indexes: [],
});

/** A run that is older than so many completed runs of the default branch has no baseline. */
const COMPLETED_KEPT = 100;
const DEFAULT_BRANCH = 'main';

const former: Handler<EventType, Enrichment> = {
  touches: ({ id, context }) =>
    context?.former == null
      ? []
      : [{ ...formerEntryDocuments.at(id), isNew: true }, entryDocuments.at(context.result.test_result_id)],
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
  collections: [runSummaryDocuments, runChunkDocuments, completedRunsDocuments, projectSettingsDocuments],
  on: {
    ProjectCreated: settings(),
    ProjectDescribed: settings(),
    RunCreated: {
      touches: ({ data }) => [{ ...runSummaryDocuments.at(data.run_id), isNew: true }],
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
          comparison: null,
        } satisfies RunSummaryDocument);
      },
    },
    RunDescribed: {
      touches: ({ data }) => (data.metadata === undefined ? [] : [runSummaryDocuments.at(data.run_id)]),
      follows: followsDescription,
      apply: applyDescription,
    },
    RunCompleted: { touches: touchesCompletion, follows: followsCompletion, apply: applyCompletion },
    ResultCreated: results,
    ResultSubmitted: results,
    ResultStarted: results,
    ResultFinished: results,
    ResultUpdated: results,
    ResultDeleted: results,
  },
});

function settings(): Handler<'ProjectCreated' | 'ProjectDescribed'> {
  return {
    touches: ({ data }) => [projectSettingsDocuments.at(data.project_id)],
    apply(documents, { data }) {
      const { project_id, default_branch } = data as { project_id: string; default_branch?: string };
      const present = documents.get(projectSettingsDocuments, project_id);
      if (default_branch === undefined || default_branch === present?.default_branch) return;
      documents.put(projectSettingsDocuments, project_id, { default_branch });
    },
  };
}

function originOf(metadata: Parameters<typeof understoodRun>[0]) {
  const { branch, commit, tool } = understoodRun(metadata);
  return { branch, commit, tool };
}

export function defaultBranchOf(stored: ProjectSettingsDocument | null): string {
  return stored?.default_branch ?? DEFAULT_BRANCH;
}

// --- The results of a run -------------------------------------------------------------------------------------------

export function chunkId(runId: string, n: number): string {
  return `${runId}#${n}`;
}

/** Whether an event changes a final result of a run, or whether such results count. */
function changesResults(event: EnrichedEvent): boolean {
  return event.context !== undefined || supersessionOf(event) !== null;
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
    if (context.former !== null) touched.push({ ...formerEntryDocuments.at(event.id), isNew: true });
  }
  for (const id of others?.results ?? []) touched.push(entryDocuments.at(id));
  return touched;
}

function* follows(documents: Pick<Documents, 'get'>, event: EnrichedEvent): Iterable<DocumentRef[]> {
  const run_id = changesResults(event) ? runIdOf(event) : null;
  const summary = run_id === null ? null : documents.get(runSummaryDocuments, run_id);
  if (run_id === null || summary === null) return;
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
    chunks.push({ ...runChunkDocuments.at(chunkId(run_id, n)), isNew });
  }
  for (const id of others?.results ?? []) add(documents.get(entryDocuments, id)?.chunk);
  if (chunks.length > 0) yield chunks;
}

/** The chunk that takes the next result. */
function lastChunk({ chunks, lines }: RunSummaryDocument): { n: number; isNew: boolean } {
  const isNew = chunks === 0 || lines >= RESULTS_PER_CHUNK;
  return { n: isNew ? chunks : chunks - 1, isNew };
}

function apply(documents: Documents, event: EnrichedEvent): void {
  const run_id = changesResults(event) ? runIdOf(event) : null;
  const present = run_id === null ? null : documents.get(runSummaryDocuments, run_id);
  if (run_id === null || present === null) return;
  const { context } = event;
  const others = supersessionOf(event);
  const summary = { ...present };
  if (context !== undefined) applyOwn(documents, event, { run_id, context, summary });
  for (const id of others?.results ?? []) {
    const entry = documents.get(entryDocuments, id);
    if (entry?.chunk === undefined || others === null) continue;
    // A result that another one superseded stays as it is.
    const holds = others.by === null ? entry.superseded_by === others.of : entry.superseded_by === undefined;
    if (!holds) continue;
    const { superseded_by: _, ...rest } = entry;
    documents.put(entryDocuments, id, others.by === null ? rest : { ...rest, superseded_by: others.by });
    changeResult(documents, run_id, entry.chunk, id, summary, (result) => ({
      ...result,
      superseded: others.by !== null,
    }));
  }
  documents.put(runSummaryDocuments, run_id, summary);
}

type Own = { run_id: string; context: ResultChange; summary: RunSummaryDocument };

/** Adds, changes or removes the result of the event itself. */
function applyOwn(documents: Documents, event: EnrichedEvent, { run_id, context, summary }: Own): void {
  const id = context.result.test_result_id;
  const before =
    context.former === null ? null : (documents.get(formerEntryDocuments, event.id)?.entry ?? null);
  if (context.entry === null) {
    if (before?.chunk !== undefined) {
      changeResult(documents, run_id, before.chunk, id, summary, () => null);
    }
    return;
  }
  const entry = documents.get(entryDocuments, id);
  if (entry === null) return;
  const superseded_by = before === null ? supersederOf(event, context) : before.superseded_by;
  const superseded = superseded_by !== undefined && superseded_by !== null;
  const result = { ...resultOf(documents, context, entry), superseded };
  let chunk = before?.chunk;
  if (chunk === undefined) chunk = addResult(documents, run_id, summary, result);
  else changeResult(documents, run_id, chunk, id, summary, () => result);
  documents.put(entryDocuments, id, superseded ? { ...entry, chunk, superseded_by } : { ...entry, chunk });
}

function supersederOf(event: EnrichedEvent, { retried_by }: ResultChange): string | null {
  if (event.type !== 'ResultSubmitted') return retried_by;
  const { superseded_by, replaced_by = null } = event.data as typeof event.data & { replaced_by?: string };
  return replaced_by ?? superseded_by;
}

/** Also keeps the passes of the test on the default branch, by which later results are slower. */
function resultOf(
  documents: Documents,
  { test_id, result, entry: added }: ResultChange,
  entry: EntryDocument,
): RunResult {
  const { test_result_id: result_id, project_id, execution_time_ms: ms } = result;
  const status = added!.status;
  const test = documents.get(testDocuments, test_id);
  const passes = test?.passes ?? [];
  const passed = status === 'Passed' && ms !== null;
  const branch = defaultBranchOf(documents.get(projectSettingsDocuments, project_id));
  if (passed && test !== null && added!.branch === branch && !added!.again) {
    documents.put(testDocuments, test_id, { ...test, passes: withPass(passes, ms) });
  }
  return {
    test: testKey(test_id),
    status,
    superseded: false,
    known: status === 'Failed' && entry.known,
    flaky: test?.history.state === 'flaky',
    slower: passed && isSlower(ms, passes),
    result_id,
  };
}

/** Returns the number of the chunk. */
function addResult(
  documents: Documents,
  run_id: string,
  summary: RunSummaryDocument,
  result: RunResult,
): number {
  const { n, isNew } = lastChunk(summary);
  const id = chunkId(run_id, n);
  const present = isNew ? emptyChunk : (documents.get(runChunkDocuments, id) ?? emptyChunk);
  documents.put(runChunkDocuments, id, { run_id, ...withResult(bare(present), result) });
  summary.chunks = n + 1;
  summary.lines = isNew ? 1 : summary.lines + 1;
  count(summary, result, 1);
  return n;
}

function changeResult(
  documents: Documents,
  run_id: string,
  n: number,
  resultId: string,
  summary: RunSummaryDocument,
  change: (result: RunResult) => RunResult | null,
): void {
  const id = chunkId(run_id, n);
  const present = documents.get(runChunkDocuments, id);
  if (present === null) return;
  const changed = withChange(bare(present), resultId, (result) => {
    const after = change(result);
    count(summary, result, -1);
    if (after !== null) count(summary, after, 1);
    return after;
  });
  documents.put(runChunkDocuments, id, { run_id, ...changed });
}

function bare({ origins, lines }: Chunk): Chunk {
  return { origins, lines };
}

function count(summary: RunSummaryDocument, { status, superseded, known }: RunResult, n: 1 | -1): void {
  if (status !== 'Failed' || superseded) return;
  summary.failing += n;
  if (known) summary.known += n;
}

function runIdOf({ data }: EnrichedEvent): string | null {
  return 'run_id' in data ? (data.run_id ?? null) : null;
}

// --- The description of a run ---------------------------------------------------------------------------------------

type Description = LedgerEvent<'RunDescribed'>;

/** The summary before and after a change of the metadata; null if it changes nothing here. */
function described(documents: Pick<Documents, 'get'>, { data: { run_id, metadata } }: Description) {
  const before = metadata === undefined ? null : documents.get(runSummaryDocuments, run_id);
  if (before === null || metadata === undefined) return null;
  const after = { ...before, ...originOf(metadata) };
  // A completed run that moves to another branch is the baseline of other runs from then on.
  const isListed = before.comparison !== null;
  return { before, after, lists: isListed ? [...listsOf(before), ...listsOf(after)] : [] };
}

function* followsDescription(documents: Pick<Documents, 'get'>, event: Description): Iterable<DocumentRef[]> {
  const lists = described(documents, event)?.lists ?? [];
  if (lists.length > 0) yield lists.map(completedRunsDocuments.at);
}

function applyDescription(documents: Documents, event: Description): void {
  const change = described(documents, event);
  if (change === null) return;
  const { run_id: id } = event.data;
  documents.put(runSummaryDocuments, id, change.after);
  const wanted = listsOf(change.after);
  for (const list of new Set(change.lists)) {
    const present = documents.get(completedRunsDocuments, list);
    const created = change.after.created_position;
    const runs = wanted.includes(list)
      ? withCompleted(present, { id, created }).runs
      : (present?.runs ?? []).filter((one) => one.id !== id);
    documents.put(completedRunsDocuments, list, { runs });
  }
}

// --- The completion of a run ----------------------------------------------------------------------------------------

/** `tool` null: of any tool. */
export function completedRunsId(projectId: string, branch: string, tool: string | null): string {
  return tool === null ? `${projectId}#=${branch}` : `${projectId}#${tool.length}${tool}=${branch}`;
}

/** The newest run of the list that was created before another run. */
export function newestBefore(
  completed: CompletedRunsDocument | null,
  { created_position }: Pick<RunSummaryDocument, 'created_position'>,
): string | null {
  return completed?.runs.find(({ created }) => created < created_position)?.id ?? null;
}

type Completion = LedgerEvent<'RunCompleted'>;

function touchesCompletion({ data: { run_id, project_id } }: Completion): DocumentRef[] {
  return [runSummaryDocuments.at(run_id), projectSettingsDocuments.at(project_id)];
}

function* followsCompletion(
  documents: Pick<Documents, 'get'>,
  { data: { run_id, project_id } }: Completion,
): Iterable<DocumentRef[]> {
  const summary = documents.get(runSummaryDocuments, run_id);
  if (summary === null) return;
  yield [candidatesId(documents, project_id, summary), ...listsOf(summary)].map(completedRunsDocuments.at);
  const baseline = baselineIn(documents, project_id, summary);
  if (baseline !== null) yield [runSummaryDocuments.at(baseline)];
  const compared = baseline === null ? null : documents.get(runSummaryDocuments, baseline);
  yield [
    ...chunksOf(run_id, summary),
    ...(baseline === null || compared === null || decoded.has(compared) ? [] : chunksOf(baseline, compared)),
  ];
}

function applyCompletion(
  documents: Documents,
  { data: { run_id, project_id, completion } }: Completion,
): void {
  const summary = documents.get(runSummaryDocuments, run_id);
  if (summary === null) return;
  const id = baselineIn(documents, project_id, summary);
  const compared = id === null ? null : documents.get(runSummaryDocuments, id);
  const baseline = id === null || compared === null ? null : baselineRef(id, compared);
  const before = id === null || compared === null ? null : decodedTests(documents, id, compared);
  const counts = countsOf(compare(testsIn(readChunks(documents, run_id, summary)), before));
  documents.put(runSummaryDocuments, run_id, { ...summary, comparison: { completion, baseline, counts } });
  for (const list of listsOf(summary)) {
    const present = documents.get(completedRunsDocuments, list);
    const { created_position: created } = summary;
    documents.put(completedRunsDocuments, list, withCompleted(present, { id: run_id, created }));
  }
}

export function baselineRef(id: string, { commit, created_at }: RunSummaryDocument): Baseline {
  return { id, commit, created_at };
}

/** Null before the first completion of the run. */
export function verdictOf(summary: RunSummaryDocument | null): RunVerdict | null {
  if (summary?.comparison == null) return null;
  const { baseline, counts } = summary.comparison;
  return { gate: gateOf(summary), comparison: { baseline, counts } };
}

/** The list that holds the baseline of a run. */
function candidatesId(
  documents: Pick<Documents, 'get'>,
  projectId: string,
  { tool }: RunSummaryDocument,
): string {
  const branch = defaultBranchOf(documents.get(projectSettingsDocuments, projectId));
  return completedRunsId(projectId, branch, tool);
}

function baselineIn(
  documents: Pick<Documents, 'get'>,
  projectId: string,
  summary: RunSummaryDocument,
): string | null {
  return newestBefore(
    documents.get(completedRunsDocuments, candidatesId(documents, projectId, summary)),
    summary,
  );
}

/** The lists that a run is in once it is completed. A run without a branch is the baseline of none. */
function listsOf({ project_id, branch, tool }: RunSummaryDocument): string[] {
  if (branch === null) return [];
  const any = completedRunsId(project_id, branch, null);
  return tool === null ? [any] : [any, completedRunsId(project_id, branch, tool)];
}

function withCompleted(
  present: CompletedRunsDocument | null,
  run: CompletedRunsDocument['runs'][number],
): CompletedRunsDocument {
  const others = (present?.runs ?? []).filter(({ id }) => id !== run.id);
  const later = others.filter(({ created }) => created > run.created);
  const runs = [...later, run, ...others.slice(later.length)].slice(0, COMPLETED_KEPT);
  return { runs };
}

export function chunkIdsOf(runId: string, { chunks }: Pick<RunSummaryDocument, 'chunks'>): string[] {
  return Array.from({ length: chunks }, (_, n) => chunkId(runId, n));
}

function chunksOf(runId: string, summary: RunSummaryDocument): DocumentRef[] {
  return chunkIdsOf(runId, summary).map(runChunkDocuments.at);
}

function readChunks(documents: Documents, runId: string, summary: RunSummaryDocument): Chunk[] {
  return chunkIdsOf(runId, summary).flatMap((id) => documents.get(runChunkDocuments, id) ?? []);
}

/**
 * The tests of recent baselines, by the documents of their runs: each change of a run makes a new document. Otherwise
 * each of a hundred small runs on one branch would read all results of the same baseline.
 */
const decoded = new LRUCache<RunSummaryDocument, TestsOfRun>({
  maxSize: 200_000,
  sizeCalculation: (tests) => tests.size + 1,
});

function decodedTests(documents: Documents, id: string, summary: RunSummaryDocument): TestsOfRun {
  let tests = decoded.get(summary);
  if (tests === undefined) {
    tests = testsIn(readChunks(documents, id, summary));
    decoded.set(summary, tests);
  }
  return tests;
}
