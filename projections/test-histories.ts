/**
 * The history of each test: its state, its entries one by one, the branches on which it ran, and its known failure, by
 * which new failures are known.
 */
import type { Instant, Position } from '../src/domain/event.js';
import type { EnrichedEvent, Enrichment, ResultChange } from '../src/domain/test-history/enriched-event.js';
import type { EventType } from '../src/domain/events.js';
import { covers } from '../src/domain/known-failure.js';
import { collection, type DocumentRef, type Documents } from '../src/domain/projection.js';
import { statusWords, type StatusWord } from '../src/domain/result.js';
import type { TestEntry } from '../src/domain/test-history/test-entry.js';
import { noHistory, withEntry, without, type TestHistory } from '../src/domain/test-history/test-history.js';
import {
  knownFailureDocuments,
  withHidden,
  type KnownFailureDocument,
  type KnownFailureOfTest,
} from './known-failures.js';
import { ownedBy, withOwner, withoutOwner, type Owners } from './owners.js';
import { ofResults, projection, type Handler } from './projection.js';
import { transitionDocuments, type TransitionsDocument } from './transitions.js';
import { troubleOf, type Trouble } from './troubled-tests.js';
import {
  branchDocuments,
  branchId,
  recovery,
  shown,
  verdictsOn,
  withEntryOn,
  withoutEntry,
  withStanding,
  type BranchDocument,
} from './branches.js';
import { othersOf, supersededDocuments, supersederRefs } from './superseding.js';

/** By test id. */
export type TestDocument = Trouble & {
  team_id: string;
  project_id: string;
  name: string;
  /** The project that lists the test; null while the test has no final result. */
  listed_in: string | null;
  /** The number of entries of its history, including the entries that no longer fit into `history`. */
  entries: number;
  /** The number of events in its stream. */
  transitions: number;
  /** When its newest entry ran; null after a deletion, because then only the entries can show it. */
  last_result_at: Instant | null;
  /** That of its newest result. */
  owner: string | null;
  owners: Owners;
  history: TestHistory;
  /** The durations of its last passes on the default branch in milliseconds, newest first. */
  passes?: readonly number[];
  /** Null where there is none in force. It stays for some seconds after `expires_at`, until its end is recorded. */
  known_failure: KnownFailureOfTest | null;
};

/** By result id: one entry of a test's history. */
export type EntryDocument = {
  result_id: string;
  test_id: string;
  branch: string | null;
  /** The position of the event that set its final status. */
  placed: Position;
  status: Extract<StatusWord, 'passed' | 'failed' | 'skipped' | 'known_fail'>;
  /** When it ran. */
  at: Instant;
  /** The chunk of its run that has the result (`run-summaries.ts`); absent without a run. */
  chunk?: number;
  /** A failure of which somebody knew when it was recorded. */
  known: boolean;
};

export const testDocuments = collection<TestDocument>({
  name: 'tests',
  ids: 'test',
  indexes: [
    ['listed_in', 'name'],
    ['troubled_in', 'impact'],
    ['troubled_in', 'state', 'impact'],
    ['troubled_in', 'newest', 'impact'],
  ],
  filterable: ['owner'],
  sparse: ['troubled_in'],
  totals: [
    ['listed_in'],
    ['listed_in', 'owner'],
    ['troubled_in'],
    ['troubled_in', 'state'],
    ['troubled_in', 'newest'],
  ],
  searchable: 'name',
  unique: [['listed_in', 'name']],
});

export const entryDocuments = collection<EntryDocument>({
  name: 'entries',
  ids: 'result',
  rarelyRead: true,
  indexes: [
    ['test_id', 'placed'],
    // The branch first: the entries of a run on a new branch then lie side by side, and not in a page for each test.
    ['branch', 'test_id', 'placed'],
  ],
  sparse: ['branch'],
  positions: ['placed'],
});

const changes: Handler<EventType, Enrichment> = { touches, follows, apply };

export const testHistories = projection<Enrichment>({
  name: 'tests',
  version: 1,
  collections: [testDocuments, branchDocuments, entryDocuments, knownFailureDocuments],
  on: {
    ...ofResults(changes),
    KnownFailureSet: {
      touches: ({ data }) => [testDocuments.at(data.test_id), knownFailureDocuments.at(data.test_id)],
      apply(documents, { data, meta: { team_id, actor, at } }) {
        const { test_id, project_id, test_name: name, reason, branch, expires_at } = data;
        documents.put(testDocuments, test_id, {
          ...(documents.get(testDocuments, test_id) ?? newTest({ team_id, project_id, name })),
          known_failure: { reason, branch, expires_at, actor, at, hidden_results: 0 },
        } satisfies TestDocument);
        documents.put(knownFailureDocuments, test_id, {
          team_id,
          project_id,
          test_id,
          in_force: true,
          expires_at,
        } satisfies KnownFailureDocument);
      },
    },
    KnownFailureEnded: {
      touches: ({ data }) => [testDocuments.at(data.test_id), knownFailureDocuments.at(data.test_id)],
      apply(documents, { data: { test_id } }) {
        const present = documents.get(testDocuments, test_id);
        if (present !== null) documents.put(testDocuments, test_id, { ...present, known_failure: null });
        documents.remove(knownFailureDocuments, test_id);
      },
    },
  },
});

/** A test without results. */
function newTest(named: Pick<TestDocument, 'team_id' | 'project_id' | 'name'>): TestDocument {
  const { team_id, project_id, name } = named;
  return {
    team_id,
    project_id,
    name,
    listed_in: null,
    entries: 0,
    transitions: 0,
    last_result_at: null,
    owner: null,
    owners: [],
    history: noHistory,
    troubled_in: null,
    state: null,
    newest: null,
    impact: null,
    known_failure: null,
  };
}

function touches(event: EnrichedEvent): DocumentRef[] {
  const { id, context } = event;
  const touched: DocumentRef[] = othersOf(event).flatMap((each) => [
    entryDocuments.at(each),
    supersededDocuments.at(each),
  ]);
  if (context === undefined) return touched;
  const { test_id, result, entry, former } = context;
  const resultId = result.test_result_id;
  touched.push(testDocuments.at(test_id));
  touched.push(former === null ? entryDocuments.atNew(resultId) : entryDocuments.at(resultId));
  if (entry !== null) {
    touched.push(...supersederRefs(event, resultId));
    touched.push(branchDocuments.at(branchId(test_id, entry.branch)));
    touched.push(transitionDocuments.atNew(id));
  }
  if (former !== null) touched.push(branchDocuments.at(branchId(test_id, former.branch)));
  return touched;
}

/** The branches of results that the event supersedes or restores. */
function follows(documents: Pick<Documents, 'get'>, event: EnrichedEvent): DocumentRef[][] | null {
  const ids = othersOf(event);
  if (ids.length === 0) return null;
  const branches = ids.flatMap((id) => {
    const entry = documents.get(entryDocuments, id);
    return entry === null ? [] : [branchDocuments.at(branchId(entry.test_id, entry.branch))];
  });
  return [branches];
}

function apply(documents: Documents, event: EnrichedEvent): void {
  for (const id of othersOf(event)) changeStanding(documents, id);
  const { context } = event;
  if (context === undefined) return;
  const { former, entry, result } = context;
  const wasKnown = former !== null && documents.get(entryDocuments, result.test_result_id)?.known === true;
  if (former !== null) removeEntry(documents, event, context, former.branch);
  if (entry !== null) addEntry(documents, event, context, entry, wasKnown);
}

function addEntry(
  documents: Documents,
  event: EnrichedEvent,
  context: ResultChange,
  entry: TestEntry,
  wasKnown: boolean,
): void {
  const { position, meta } = event;
  const { test_id, result, ran_at, owner } = context;
  const { project_id, test_name: name, test_result_id } = result;
  const { branch } = entry;
  const test = documents.get(testDocuments, test_id) ?? newTest({ team_id: meta.team_id, project_id, name });
  const idOfBranch = branchId(test_id, branch);
  const onBranch = documents.get(branchDocuments, idOfBranch);
  const verdicts = verdictsOn(onBranch);
  const { history, transitions: flakiness } = withEntry(test.history, entry);
  const transitions = [...recovery(verdicts.verdicts, entry), ...flakiness];
  const { transitions: before, known_failure } = test;
  const known =
    entry.status === 'Failed' && known_failure !== null && covers(known_failure, { branch, at: meta.at });
  const ofTest = ownedBy(withOwner(test.owners, { result_id: test_result_id, owner }));
  const trouble = troubleOf(project_id, history);
  // Written out, here and below: made for each result (docs/decisions/033).
  const next: TestDocument = {
    team_id: test.team_id,
    project_id: test.project_id,
    name: test.name,
    listed_in: project_id,
    entries: test.entries + 1,
    transitions: before + transitions.length,
    last_result_at: ran_at,
    owner: ofTest.owner,
    owners: ofTest.owners,
    history,
    troubled_in: trouble.troubled_in,
    state: trouble.state,
    newest: trouble.newest,
    impact: trouble.impact,
    // A result counts once, however often it fails.
    known_failure: known && !wasKnown ? withHidden(known_failure) : known_failure,
  };
  // Optional, so the compiler would not miss it: without it, no later pass of the test could be slower.
  if (test.passes !== undefined) next.passes = test.passes;
  documents.put(testDocuments, test_id, next);
  documents.put(entryDocuments, test_result_id, {
    result_id: test_result_id,
    test_id,
    branch,
    placed: position,
    status: statusWords[entry.status],
    at: ran_at,
    known,
  } satisfies EntryDocument);
  const after = shown(test_id, withEntryOn(documents, event, context, verdicts));
  const ofBranch = ownedBy(withOwner(onBranch?.owners ?? [], { result_id: test_result_id, owner }));
  documents.put(branchDocuments, idOfBranch, {
    project_id,
    test_id,
    branch,
    name,
    entries: (onBranch?.entries ?? 0) + 1,
    verdicts: after.verdicts,
    origins: after.origins,
    before: after.before,
    failing_test: after.failing_test,
    failed_at: after.failed_at,
    owner: ofBranch.owner,
    owners: ofBranch.owners,
  } satisfies BranchDocument);
  if (transitions.length > 0) {
    documents.put(transitionDocuments, event.id, {
      event,
      transitions,
      before,
    } satisfies TransitionsDocument);
  }
}

/** A result that is superseded, or restored, leaves or joins the row of failures on its branch. */
function changeStanding(documents: Documents, resultId: string): void {
  const entry = documents.get(entryDocuments, resultId);
  if (entry === null) return;
  const id = branchId(entry.test_id, entry.branch);
  const onBranch = documents.get(branchDocuments, id);
  if (onBranch === null) return;
  const superseded = documents.get(supersededDocuments, resultId) !== null;
  documents.put(branchDocuments, id, withStanding(onBranch, resultId, superseded));
}

/** Removes the entry of a result that was deleted, or that gets a new entry. */
function removeEntry(
  documents: Documents,
  { type }: EnrichedEvent,
  { test_id, result }: ResultChange,
  branch: string | null,
): void {
  documents.remove(entryDocuments, result.test_result_id);
  const id = branchId(test_id, branch);
  const onBranch = documents.get(branchDocuments, id);
  const left = onBranch === null ? null : withoutEntry(onBranch, result.test_result_id);
  if (left === null) documents.remove(branchDocuments, id);
  else documents.put(branchDocuments, id, left);
  const present = documents.get(testDocuments, test_id);
  if (present === null) return;
  const entries = present.entries - 1;
  const isDeleted = type === 'ResultDeleted';
  const listed_in = entries === 0 ? null : present.listed_in;
  // If the result gets a new entry, `withEntry` removes the former one itself.
  const history = isDeleted ? without(present.history, result.test_result_id) : present.history;
  documents.put(testDocuments, test_id, {
    ...present,
    entries,
    listed_in,
    // Only the entries can show which one is the newest now.
    last_result_at: isDeleted ? null : present.last_result_at,
    ...ownedBy(isDeleted ? withoutOwner(present.owners, result.test_result_id) : present.owners),
    history,
    ...troubleOf(listed_in, history),
  } satisfies TestDocument);
}
