/**
 * The history of each test: its state, its entries one by one, the branches on which it ran, and its known failure, by
 * which new failures are known. States are in pages of many tests; a test has a document of its own for what lists of tests
 * show, and for what seldom changes.
 */
import type { Instant, Position } from '../src/domain/event.js';
import type { EnrichedEvent, Enrichment, ResultChange } from '../src/domain/test-history/enriched-event.js';
import type { EventType } from '../src/domain/events.js';
import { covers } from '../src/domain/known-failure.js';
import { collection, type DocumentRef, type Documents } from '../src/domain/projection.js';
import { statusWords, type StatusWord } from '../src/domain/result.js';
import type { TestEntry } from '../src/domain/test-history/test-entry.js';
import { withEntry, without } from '../src/domain/test-history/test-history.js';
import {
  knownFailureDocuments,
  withHidden,
  type KnownFailureDocument,
  type KnownFailureOfTest,
} from './known-failures.js';
import { ownerIn, withOwner, withoutOwner } from './owners.js';
import { placeIn, type Place } from './pages.js';
import { ofResults, projection, type Handler } from './projection.js';
import { numberOf, projectTestsDocuments, putTestState, testPageDocuments, testState } from './test-pages.js';
import { transitionDocuments, type TransitionsDocument } from './transitions.js';
import { troubleOf, type Trouble } from './troubled-tests.js';
import {
  branchDocuments,
  branchId,
  branchPage,
  branchPageDocuments,
  branchState,
  failing,
  putBranchState,
  recovery,
  withEntryOn,
  type BranchDocument,
} from './branches.js';
import { withSuperseded, withoutVerdict } from '../src/domain/test-history/failing-row.js';
import { othersOf, supersededDocuments, supersederRefs } from './superseding.js';

/** By test id. */
export type TestDocument = Trouble & {
  team_id: string;
  project_id: string;
  name: string;
  /** Its number in the project; null before its first result. Its state is at this place (`pages.ts`). */
  number: number | null;
  /** The project that lists the test; null while the test has no final result. */
  listed_in: string | null;
  /** The number of events in its stream. */
  transitions: number;
  /** That of its newest result. */
  owner: string | null;
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
  collections: [
    testDocuments,
    projectTestsDocuments,
    testPageDocuments,
    branchDocuments,
    branchPageDocuments,
    entryDocuments,
    knownFailureDocuments,
  ],
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
    number: null,
    listed_in: null,
    transitions: 0,
    owner: null,
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
  touched.push(testDocuments.at(test_id), projectTestsDocuments.at(result.project_id));
  touched.push(former === null ? entryDocuments.atNew(resultId) : entryDocuments.at(resultId));
  if (entry !== null) {
    touched.push(...supersederRefs(event, resultId));
    touched.push(branchDocuments.at(branchId(test_id, entry.branch)));
    touched.push(transitionDocuments.atNew(id));
  }
  if (former !== null) touched.push(branchDocuments.at(branchId(test_id, former.branch)));
  return touched;
}

/** The pages of the test, and the branches of results that the event supersedes or restores. */
function follows(
  documents: Pick<Documents, 'get'>,
  event: EnrichedEvent,
): Iterable<readonly DocumentRef[]> | null {
  const ids = othersOf(event);
  const { context } = event;
  const own = context === undefined ? [] : pagesOf(documents, context);
  if (ids.length === 0) return own.length === 0 ? null : [own];
  return withOthers(documents, ids, own);
}

function pagesOf(
  documents: Pick<Documents, 'get'>,
  { test_id, result, entry, former }: ResultChange,
): DocumentRef[] {
  const place = placeOf(documents, test_id, result.project_id);
  const pages = [testPageDocuments.at(place.page)];
  if (entry !== null) pages.push(branchPageDocuments.at(branchPage(place, entry.branch)));
  if (former !== null) pages.push(branchPageDocuments.at(branchPage(place, former.branch)));
  return pages;
}

/** A test without a number gets the next one of its project. */
function placeOf(documents: Pick<Documents, 'get'>, testId: string, projectId: string): Place {
  const number = documents.get(testDocuments, testId)?.number;
  return placeIn(projectId, numberOf(documents, projectId, number));
}

function* withOthers(
  documents: Pick<Documents, 'get'>,
  ids: readonly string[],
  own: readonly DocumentRef[],
): Generator<readonly DocumentRef[]> {
  const entries = ids.flatMap((id) => documents.get(entryDocuments, id) ?? []);
  yield [...own, ...entries.map(({ test_id }) => testDocuments.at(test_id))];
  yield entries.flatMap(({ test_id, branch }) => {
    const place = placeOfEntry(documents, test_id);
    const branches = [branchDocuments.at(branchId(test_id, branch))];
    return place === null ? [] : [...branches, branchPageDocuments.at(branchPage(place, branch))];
  });
}

/** Null for a test that is gone. */
function placeOfEntry(documents: Pick<Documents, 'get'>, testId: string): Place | null {
  const test = documents.get(testDocuments, testId);
  return test?.number == null ? null : placeIn(test.project_id, test.number);
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
  const stored = documents.get(testDocuments, test_id);
  const test = stored ?? newTest({ team_id: meta.team_id, project_id, name });
  const number = numberOf(documents, project_id, test.number);
  if (test.number === null) documents.put(projectTestsDocuments, project_id, { tests: number + 1 });
  const place = placeIn(project_id, number);
  const state = testState(documents, place);
  const onBranch = branchState(documents, place, branch);
  const { history, transitions: flakiness } = withEntry(state.history, entry);
  const transitions = [...recovery(onBranch.verdicts, entry), ...flakiness];
  const { transitions: before, known_failure } = test;
  const known =
    entry.status === 'Failed' && known_failure !== null && covers(known_failure, { branch, at: meta.at });
  const named = { result_id: test_result_id, owner };
  const owners = withOwner(state.owners, named);
  const { entries, passes } = state;
  putTestState(documents, place, {
    entries: entries + 1,
    last_result_at: ran_at,
    owners,
    history,
    passes,
  });
  putIfChanged(documents, test_id, stored, {
    ...test,
    ...troubleOf(project_id, history),
    number,
    listed_in: project_id,
    transitions: before + transitions.length,
    owner: ownerIn(owners),
    // A result counts once, however often it fails.
    known_failure: known && !wasKnown ? withHidden(known_failure) : known_failure,
  });
  documents.put(entryDocuments, test_result_id, {
    result_id: test_result_id,
    test_id,
    branch,
    placed: position,
    status: statusWords[entry.status],
    at: ran_at,
    known,
  } satisfies EntryDocument);
  const verdicts = withEntryOn(documents, event, context, onBranch);
  const ownersThere = withOwner(onBranch.owners, named);
  putBranchState(documents, place, branch, {
    ...verdicts,
    entries: onBranch.entries + 1,
    owners: ownersThere,
  });
  putBranch(documents, { project_id, test_id, branch, name, owner: ownerIn(ownersThere), ...failing(test_id, verdicts) });
  if (transitions.length > 0) {
    documents.put(transitionDocuments, event.id, {
      event,
      transitions,
      before,
    } satisfies TransitionsDocument);
  }
}

/** A passing test changes its state only: to write its document too would cost more than all else here. */
function putIfChanged(
  documents: Documents,
  id: string,
  stored: TestDocument | null,
  next: TestDocument,
): void {
  const isSame =
    stored !== null &&
    stored.number === next.number &&
    stored.listed_in === next.listed_in &&
    stored.transitions === next.transitions &&
    stored.owner === next.owner &&
    stored.known_failure === next.known_failure &&
    stored.troubled_in === next.troubled_in &&
    stored.state === next.state &&
    stored.newest === next.newest &&
    stored.impact === next.impact;
  if (!isSame) documents.put(testDocuments, id, next);
}

function putBranch(documents: Documents, next: BranchDocument): void {
  const id = branchId(next.test_id, next.branch);
  const stored = documents.get(branchDocuments, id);
  const isSame =
    stored !== null &&
    stored.owner === next.owner &&
    stored.failing_test === next.failing_test &&
    stored.failed_at === next.failed_at;
  if (!isSame) documents.put(branchDocuments, id, next);
}

/** A result that is superseded, or restored, leaves or joins the row of failures on its branch. */
function changeStanding(documents: Documents, resultId: string): void {
  const entry = documents.get(entryDocuments, resultId);
  if (entry === null) return;
  const { test_id, branch } = entry;
  const place = placeOfEntry(documents, test_id);
  const stored = place === null ? null : documents.get(branchDocuments, branchId(test_id, branch));
  if (place === null || stored === null) return;
  const superseded = documents.get(supersededDocuments, resultId) !== null;
  const state = branchState(documents, place, branch);
  const verdicts = withSuperseded(state, resultId, superseded);
  putBranchState(documents, place, branch, { ...state, ...verdicts });
  putBranch(documents, { ...stored, ...failing(test_id, verdicts) });
}

/** Removes the entry of a result that was deleted, or that gets a new entry. */
function removeEntry(
  documents: Documents,
  { type }: EnrichedEvent,
  { test_id, result }: ResultChange,
  branch: string | null,
): void {
  const { test_result_id: id } = result;
  documents.remove(entryDocuments, id);
  const present = documents.get(testDocuments, test_id);
  if (present?.number == null) return;
  const place = placeIn(present.project_id, present.number);
  removeFromBranch(documents, place, present, { branch, test_id, result_id: id });
  const state = testState(documents, place);
  const entries = state.entries - 1;
  const isDeleted = type === 'ResultDeleted';
  const listed_in = entries === 0 ? null : present.listed_in;
  // If the result gets a new entry, `withEntry` removes the former one itself.
  const history = isDeleted ? without(state.history, id) : state.history;
  const owners = isDeleted ? withoutOwner(state.owners, id) : state.owners;
  putTestState(documents, place, {
    ...state,
    entries,
    // Only the entries can show which one is the newest now.
    last_result_at: isDeleted ? null : state.last_result_at,
    owners,
    history,
  });
  documents.put(testDocuments, test_id, {
    ...present,
    listed_in,
    owner: ownerIn(owners),
    ...troubleOf(listed_in, history),
  } satisfies TestDocument);
}

/** The branch goes with its only entry. */
function removeFromBranch(
  documents: Documents,
  place: Place,
  { project_id, name }: TestDocument,
  { branch, test_id, result_id }: { branch: string | null; test_id: string; result_id: string },
): void {
  const state = branchState(documents, place, branch);
  const entries = state.entries - 1;
  const owners = withoutOwner(state.owners, result_id);
  const verdicts = withoutVerdict(state, result_id);
  putBranchState(documents, place, branch, { ...verdicts, entries, owners });
  if (entries === 0) return documents.remove(branchDocuments, branchId(test_id, branch));
  putBranch(documents, { project_id, test_id, branch, name, owner: ownerIn(owners), ...failing(test_id, verdicts) });
}
