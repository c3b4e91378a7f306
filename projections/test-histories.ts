/** The history of each test: its state, its entries one by one, and the branches on which it ran. */
import type { Instant, Position } from '../src/domain/event.js';
import type { EnrichedEvent, Enrichment, ResultChange } from '../src/domain/test-history/enriched-event.js';
import type { EventType } from '../src/domain/events.js';
import { bulkOriginOf } from '../src/domain/ids.js';
import { collection, type DocumentRef, type Documents } from '../src/domain/projection.js';
import {
  newestFailure,
  noVerdicts,
  withoutVerdict,
  withSuperseded,
  withVerdict,
  type Verdict,
  type Verdicts,
} from '../src/domain/test-history/failing-row.js';
import { statusWords, type StatusWord } from '../src/domain/result.js';
import {
  noHistory,
  withEntry,
  without,
  type TestEntry,
  type TestHistory,
  type Transition,
} from '../src/domain/test-history/test-history.js';
import { projection, type Handler } from './projection.js';
import { othersOf, supersededDocuments, supersederOf, supersederRefs } from './superseding.js';

/** By test id. */
export type TestDocument = {
  team_id: string;
  project_id: string;
  name: string;
  /** The project that lists the test; null while the test has no final result. */
  listed_in: string | null;
  /** The number of entries of its history, including the entries that no longer fit into `history`. */
  entries: number;
  /** The number of events in its stream. */
  transitions: number;
  /** When the status of its newest entry was set; null after a deletion, because then only the entries can show it. */
  last_result_at: Instant | null;
  history: TestHistory;
};

/**
 * By test id, `#` and the branch: the test ran on this branch. Its verdicts are the last results on this branch that
 * passed or failed: a pass after a failure is a recovery.
 */
export type BranchDocument = Verdicts & {
  project_id: string;
  test_id: string;
  branch: string | null;
  name: string;
  /** The number of the test's entries on this branch. Never 0. */
  entries: number;
  /** The test, if its newest verdict on this branch failed; else null. */
  failing_test: string | null;
  /** When it failed last; null unless `failing_test` is set. */
  failed_at: Instant | null;
};

/** By result id: one entry of a test's history. */
export type EntryDocument = {
  result_id: string;
  test_id: string;
  branch: string | null;
  /** The position of the event that set its final status. */
  placed: Position;
  status: Extract<StatusWord, 'passed' | 'failed' | 'skipped' | 'known_fail'>;
  at: Instant;
};

/**
 * By event id: the transitions that follow from an event. This collection is never stored: the messages are made of it,
 * and the outbox projector appends it to the test's stream.
 */
export type TransitionsDocument = {
  event: EnrichedEvent;
  transitions: readonly Transition[];
  /** The number of events that the test's stream has before these. */
  before: number;
};

export const testDocuments = collection<TestDocument>({
  name: 'tests',
  ids: 'test',
  indexes: [['listed_in', 'name']],
  totals: [['listed_in']],
});

export const branchDocuments = collection<BranchDocument>({
  name: 'branches',
  ids: 'test',
  indexes: [
    ['project_id', 'branch', 'name'],
    ['failing_test', 'failed_at'],
  ],
  totals: [['project_id', 'branch']],
});

export const entryDocuments = collection<EntryDocument>({
  name: 'entries',
  ids: 'result',
  rarelyRead: true,
  indexes: [
    ['test_id', 'placed'],
    ['test_id', 'branch', 'placed'],
  ],
});

/** Never stored: see `TransitionsDocument`. */
export const transitionDocuments = collection<TransitionsDocument>({
  name: 'transitions',
  ids: 'event',
  indexes: [],
});

const changes: Handler<EventType, Enrichment> = { touches, follows, apply };

export const testHistories = projection<Enrichment>({
  name: 'tests',
  version: 1,
  collections: [testDocuments, branchDocuments, entryDocuments],
  on: {
    ResultCreated: changes,
    ResultSubmitted: changes,
    ResultStarted: changes,
    ResultFinished: changes,
    ResultUpdated: changes,
    ResultDeleted: changes,
  },
});

function touches(event: EnrichedEvent): DocumentRef[] {
  const { id, context } = event;
  const touched: DocumentRef[] = othersOf(event).flatMap((each) => [
    entryDocuments.at(each),
    supersededDocuments.at(each),
  ]);
  if (context === undefined) return touched;
  const { test_id, result, entry, former } = context;
  touched.push(testDocuments.at(test_id), {
    ...entryDocuments.at(result.test_result_id),
    isNew: former === null,
  });
  if (entry !== null) {
    if (mayBeSuperseded(event, context)) touched.push(...supersederRefs(event, result.test_result_id));
    touched.push(branchDocuments.at(branchId(test_id, entry.branch)));
    touched.push({ ...transitionDocuments.at(id), isNew: true });
  }
  if (former !== null) touched.push(branchDocuments.at(branchId(test_id, former.branch)));
  return touched;
}

/** The branches of results that the event supersedes or restores. */
function* follows(documents: Pick<Documents, 'get'>, event: EnrichedEvent): Iterable<readonly DocumentRef[]> {
  const ids = othersOf(event);
  if (ids.length === 0) return;
  yield ids.flatMap((id) => {
    const entry = documents.get(entryDocuments, id);
    return entry === null ? [] : [branchDocuments.at(branchId(entry.test_id, entry.branch))];
  });
}

function apply(documents: Documents, event: EnrichedEvent): void {
  for (const id of othersOf(event)) changeStanding(documents, id);
  const { context } = event;
  if (context === undefined) return;
  if (context.former !== null) removeEntry(documents, event, context, context.former.branch);
  if (context.entry !== null) addEntry(documents, event, context, context.entry);
}

function addEntry(documents: Documents, event: EnrichedEvent, context: ResultChange, entry: TestEntry): void {
  const { position, meta } = event;
  const { test_id, result } = context;
  const { project_id, test_name: name, test_result_id } = result;
  const { branch } = entry;
  const present = documents.get(testDocuments, test_id);
  const onBranch = documents.get(branchDocuments, branchId(test_id, branch));
  const verdicts = onBranch ?? noVerdicts;
  const { history, transitions: flakiness } = withEntry(present?.history ?? noHistory, entry);
  const transitions = [...recovery(verdicts.verdicts, entry), ...flakiness];
  const before = present?.transitions ?? 0;
  documents.put(testDocuments, test_id, {
    team_id: meta.team_id,
    project_id,
    name,
    listed_in: project_id,
    entries: (present?.entries ?? 0) + 1,
    transitions: before + transitions.length,
    last_result_at: meta.at,
    history,
  } satisfies TestDocument);
  documents.put(entryDocuments, test_result_id, {
    result_id: test_result_id,
    test_id,
    branch,
    placed: position,
    status: statusWords[entry.status],
    at: meta.at,
  } satisfies EntryDocument);
  documents.put(branchDocuments, branchId(test_id, branch), {
    project_id,
    test_id,
    branch,
    name,
    entries: (onBranch?.entries ?? 0) + 1,
    ...shown(test_id, withEntryOn(verdicts, entry, meta.at, isSuperseded(documents, event, context))),
  } satisfies BranchDocument);
  if (transitions.length > 0) {
    documents.put(transitionDocuments, event.id, {
      event,
      transitions,
      before,
    } satisfies TransitionsDocument);
  }
}

/**
 * A pass after a failure on the same branch, no matter how many results came between them on other branches. A result
 * that changes its own status is not a recovery.
 */
function recovery([before]: readonly Verdict[], { status, again }: TestEntry): Transition[] {
  if (status !== 'Passed' || again || before === undefined || before.passed) return [];
  return [{ type: 'TestRecovered', failure: before.result_id }];
}

function withEntryOn(verdicts: Verdicts, entry: TestEntry, at: Instant, superseded: boolean): Verdicts {
  const { status, result_id, run_id, commit } = entry;
  if (status !== 'Passed' && status !== 'Failed') return verdicts;
  const verdict: Verdict = { result_id, passed: status === 'Passed', run_id, commit, at };
  return withVerdict(verdicts, superseded ? { ...verdict, superseded } : verdict);
}

/** The fields of a branch that follow from its verdicts. */
function shown(testId: string, { verdicts, before }: Verdicts) {
  const failure = newestFailure({ verdicts, before });
  const failing = { failing_test: failure === null ? null : testId, failed_at: failure?.at ?? null };
  return { verdicts, before, ...failing };
}

/** Nearly every pass is the only final status of its result, and nothing superseded it: it needs no look. */
function mayBeSuperseded({ type }: EnrichedEvent, { entry, former, retried, result }: ResultChange): boolean {
  if (type === 'ResultCreated' || type === 'ResultSubmitted') return true;
  return (
    entry?.status === 'Failed' || former !== null || retried || bulkOriginOf(result.test_result_id) !== null
  );
}

function isSuperseded(documents: Documents, event: EnrichedEvent, context: ResultChange): boolean {
  const id = context.result.test_result_id;
  return mayBeSuperseded(event, context) && supersederOf(documents, event, id) !== null;
}

/** A result that is superseded, or restored, leaves or joins the row of failures on its branch. */
function changeStanding(documents: Documents, resultId: string): void {
  const entry = documents.get(entryDocuments, resultId);
  if (entry === null) return;
  const id = branchId(entry.test_id, entry.branch);
  const onBranch = documents.get(branchDocuments, id);
  if (onBranch === null) return;
  const superseded = documents.get(supersededDocuments, resultId) !== null;
  const left = shown(entry.test_id, withSuperseded(onBranch, resultId, superseded));
  documents.put(branchDocuments, id, { ...onBranch, ...left } satisfies BranchDocument);
}

/** Removes the entry of a result that was deleted, or that gets a new entry. */
function removeEntry(
  documents: Documents,
  { type }: EnrichedEvent,
  { test_id, result }: ResultChange,
  branch: string | null,
): void {
  documents.remove(entryDocuments, result.test_result_id);
  const onBranch = documents.get(branchDocuments, branchId(test_id, branch));
  if (onBranch !== null && onBranch.entries > 1) {
    const left = shown(test_id, withoutVerdict(onBranch, result.test_result_id));
    const entries = onBranch.entries - 1;
    documents.put(branchDocuments, branchId(test_id, branch), {
      ...onBranch,
      entries,
      ...left,
    } satisfies BranchDocument);
  } else documents.remove(branchDocuments, branchId(test_id, branch));
  const present = documents.get(testDocuments, test_id);
  if (present === null) return;
  const entries = present.entries - 1;
  const isDeleted = type === 'ResultDeleted';
  documents.put(testDocuments, test_id, {
    ...present,
    entries,
    listed_in: entries === 0 ? null : present.listed_in,
    // Only the entries can show which one is the newest now.
    last_result_at: isDeleted ? null : present.last_result_at,
    // If the result gets a new entry, `withEntry` removes the former one itself.
    history: isDeleted ? without(present.history, result.test_result_id) : present.history,
  } satisfies TestDocument);
}

export function branchId(testId: string, branch: string | null): string {
  return branch === null ? `${testId}#` : `${testId}#=${branch}`;
}
