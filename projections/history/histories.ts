/**
 * The history of each test: its state, whatever the branch and on each branch, and the list of its entries. States and
 * entries are in buckets of many tests; a test, and a test on a branch, have a document of their own for lists of them.
 */
import type {
  HistoryEvent,
  HistoryChange,
  ResultChange,
} from '../../src/domain/test-history/result-change.js';
import type { EventType } from '../../src/domain/events.js';
import { covers } from '../../src/domain/known-failure.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { withSuperseded, withoutVerdict } from '../../src/domain/test-history/failing-row.js';
import { unpacked, withVerdicts } from '../../src/domain/test-history/packed-verdicts.js';
import type { TestEntry } from '../../src/domain/test-history/test-entry.js';
import { withEntry, without } from '../../src/domain/test-history/test-history.js';
import {
  branchDocuments,
  branchId,
  branchBucket,
  branchBucketDocuments,
  branchState,
  mayChangeBranch,
  putBranch,
  putBranchState,
  recovery,
  withEntryOn,
  type BranchState,
} from './branches.js';
import { chunkRefs, entryOf } from './entries.js';
import { failureDocuments } from './failure-documents.js';
import { blocksUntil, historyBlockDocuments, listEntry, nextBlocks, unlistEntry } from './history-blocks.js';
import { ownerIn, withOwner, withoutOwner } from './owners.js';
import { placeIn, type Place } from './buckets.js';
import { ofResults, projection, type Handler } from '../projection.js';
import { supersededDocuments, supersederRefs } from './superseding.js';
import { othersOf } from '../../src/domain/supersession.js';
import { putTestState, testBucketDocuments, testState } from './test-buckets.js';
import {
  newTest,
  placeOf,
  placeOfKnown,
  projectTestsDocuments,
  putIfChanged,
  testDocuments,
  type KnownFailureOfTest,
  type TestDocument,
} from './tests.js';
import { transitionDocuments, type TransitionsDocument } from './transitions.js';
import { troubleOf } from './troubled-tests.js';

const changes: Handler<EventType, HistoryChange> = { touches, follows, apply };

/** Goes after `knownFailures`, which make the documents of tests too. */
export const testHistories = projection<HistoryChange>({
  name: 'tests',
  version: 1,
  collections: [testBucketDocuments, branchDocuments, branchBucketDocuments, historyBlockDocuments],
  on: ofResults(changes),
});

function touches(event: HistoryEvent): DocumentRef[] {
  const { id, change } = event;
  const touched: DocumentRef[] = othersOf(event).flatMap((each) => [
    ...chunkRefs(each),
    supersededDocuments.at(each),
  ]);
  if (change === undefined) return touched;
  const { test_id, result, entry, former } = change;
  const resultId = result.test_result_id;
  touched.push(testDocuments.at(test_id), projectTestsDocuments.at(result.project_id));
  if (entry !== null) {
    touched.push(...supersederRefs(event, resultId));
    touched.push(transitionDocuments.atNew(id));
  }
  if (former !== null) {
    touched.push(branchDocuments.at(branchId(test_id, former.branch)), failureDocuments.at(resultId));
  }
  return touched;
}

/**
 * The buckets of the test and the block that takes the entry; the block that has the former entry; the branches of results
 * that the event supersedes or restores.
 */
function follows(documents: ReadableDocuments, event: HistoryEvent): Iterable<readonly DocumentRef[]> | null {
  const { change } = event;
  if (change === undefined && othersOf(event).length === 0) return null;
  return stepsOf(documents, event);
}

function* stepsOf(documents: ReadableDocuments, event: HistoryEvent): Generator<readonly DocumentRef[]> {
  const { change } = event;
  if (change !== undefined) {
    const { test_id, result, entry, former } = change;
    const place = placeOf(documents, test_id, result.project_id);
    const buckets = [testBucketDocuments.at(place.bucket)];
    if (entry !== null) buckets.push(branchBucketDocuments.at(branchBucket(place, entry.branch)));
    if (former !== null) buckets.push(branchBucketDocuments.at(branchBucket(place, former.branch)));
    yield buckets;
    if (entry !== null) {
      const blocks = nextBlocks(documents, place);
      const changes = mayChangeBranch(branchState(documents, place, entry.branch), change);
      yield changes ? [...blocks, branchDocuments.at(branchId(test_id, entry.branch))] : blocks;
    }
    if (former !== null) {
      for (const id of blocksUntil(documents, place, former.branch, result.test_result_id))
        yield [historyBlockDocuments.at(id)];
    }
  }
  const others = othersOf(event).flatMap((id) => entryOf(documents, event, id) ?? []);
  if (others.length === 0) return;
  yield others.map(({ test_id }) => testDocuments.at(test_id));
  yield others.flatMap(({ test_id, branch }) => {
    const place = placeOfKnown(documents, test_id);
    const branches = [branchDocuments.at(branchId(test_id, branch))];
    return place === null ? [] : [...branches, branchBucketDocuments.at(branchBucket(place, branch))];
  });
}

function apply(documents: Documents, event: HistoryEvent): void {
  for (const id of othersOf(event)) changeStanding(documents, event, id);
  const { change } = event;
  if (change === undefined) return;
  const { former, entry, result } = change;
  const wasKnown = former !== null && documents.get(failureDocuments, result.test_result_id)?.known === true;
  if (former !== null) removeEntry(documents, event, change, former.branch);
  if (entry !== null) addEntry(documents, event, change, entry, wasKnown);
}

function addEntry(
  documents: Documents,
  event: HistoryEvent,
  change: ResultChange,
  entry: TestEntry,
  wasKnown: boolean,
): void {
  const { meta } = event;
  const { test_id, result, ran_at, owner } = change;
  const { project_id, test_name: name, test_result_id } = result;
  const { branch } = entry;
  const stored = documents.get(testDocuments, test_id);
  const test = stored ?? newTest(documents, { team_id: meta.team_id, project_id, name });
  const place = placeIn(project_id, test.number);
  const state = testState(documents, place);
  const onBranch = branchState(documents, place, branch);
  const { history, transitions: flakiness } = withEntry(state.history, entry);
  const transitions = [...recovery(onBranch, entry), ...flakiness];
  const { transitions: before, known_failure } = test;
  const known =
    entry.status === 'Failed' && known_failure !== null && covers(known_failure, { branch, at: meta.at });
  const named = { result_id: test_result_id, owner };
  const owners = withOwner(state.owners, named);
  const block = listEntry(documents, place, entry, { ofTest: state.block, onBranch: onBranch.block });
  putTestState(documents, place, {
    entries: state.entries + 1,
    last_result_at: ran_at,
    owners,
    history,
    passes: state.passes,
    block,
  });
  putIfChanged(documents, test_id, stored, {
    ...test,
    ...troubleOf(project_id, history),
    listed_in: project_id,
    transitions: before + transitions.length,
    owner: ownerIn(owners),
    // A result counts once, however often it fails.
    known_failure: known && !wasKnown ? withHidden(known_failure) : known_failure,
  });
  const { verdicts } = withEntryOn(documents, event, change, onBranch);
  const after: BranchState = {
    verdicts,
    entries: onBranch.entries + 1,
    last_result_at: ran_at,
    owners: withOwner(onBranch.owners, named),
    block,
  };
  putBranchState(documents, place, branch, after);
  putBranch(documents, { project_id, test_id, branch, name }, onBranch, after);
  if (transitions.length > 0 || known) {
    const follows: TransitionsDocument = { event, transitions, before, known };
    documents.put(transitionDocuments, event.id, follows);
  }
}

/** With one more result that is known through it. */
function withHidden(known: KnownFailureOfTest): KnownFailureOfTest {
  return { ...known, hidden_results: known.hidden_results + 1 };
}

/** A result that is superseded, or restored, leaves or joins the row of failures on its branch. */
function changeStanding(documents: Documents, event: HistoryEvent, resultId: string): void {
  const entry = entryOf(documents, event, resultId);
  const test = entry === null ? null : documents.get(testDocuments, entry.test_id);
  if (entry === null || test === null) return;
  const { test_id, branch } = entry;
  const { project_id, name } = test;
  const place = placeIn(project_id, test.number);
  const state = branchState(documents, place, branch);
  if (state.entries === 0) return;
  const superseded = documents.get(supersededDocuments, resultId) !== null;
  const changed = withSuperseded(unpacked(state.verdicts), resultId, superseded);
  const after = { ...state, verdicts: withVerdicts(state.verdicts, changed.verdicts) };
  putBranchState(documents, place, branch, after);
  putBranch(documents, { project_id, test_id, branch, name }, state, after);
}

/** Removes the entry of a result that was deleted, or that gets a new entry. */
function removeEntry(
  documents: Documents,
  { type }: HistoryEvent,
  { test_id, result }: ResultChange,
  branch: string | null,
): void {
  const { test_result_id: id } = result;
  const present = documents.get(testDocuments, test_id);
  if (present === null) return;
  const place = placeIn(present.project_id, present.number);
  unlistEntry(documents, place, branch, id);
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
  putIfChanged(documents, test_id, present, {
    ...present,
    listed_in,
    owner: ownerIn(owners),
    ...troubleOf(listed_in, history),
  });
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
  const left = withoutVerdict(unpacked(state.verdicts), result_id);
  const verdicts = withVerdicts(state.verdicts, left.verdicts);
  const after: BranchState = { ...state, verdicts, last_result_at: null, entries, owners };
  putBranchState(documents, place, branch, after);
  if (entries === 0) return documents.remove(branchDocuments, branchId(test_id, branch));
  putBranch(documents, { project_id, test_id, branch, name }, state, after);
}
