/**
 * The history of each test: the states of its lines, whatever the branch and on each branch, and the list of its entries. States
 * and entries are in buckets of many tests; a test has a document of its own, and one for each list of tests that it is in.
 */
import type {
  HistoryEvent,
  HistoryChange,
  ResultChange,
} from '../../src/domain/test-history/result-change.js';
import type { Instant } from '../../src/domain/event.js';
import type { EventType } from '../../src/domain/events.js';
import { covers } from '../../src/domain/known-failure.js';
import type { Documents } from '../../src/domain/projection.js';
import { withSuperseded } from '../../src/domain/test-history/failing-row.js';
import { unpacked, withVerdicts } from '../../src/domain/test-history/packed-verdicts.js';
import type { TestEntry } from '../../src/domain/test-history/test-entry.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { withEntry } from '../../src/domain/test-history/test-history.js';
import { branchBucketDocuments, branchState, putBranchState, putOnBranch, recovery } from './branches.js';
import { placeIn } from './buckets.js';
import { entryOf } from './entries.js';
import { failureDocuments } from './failure-documents.js';
import { historyBlockDocuments, listEntry } from './history-blocks.js';
import { forget, removeEntry } from './former-entries.js';
import { forgottenFor, numberOf, placeOfLine, troubleWith, withLine } from './lines.js';
import { failingLineDocuments, putFailingLine } from './failing-lines.js';
import { list, listingDocuments } from './listings.js';
import { ownedBy, ownerIn, tagsOf, withOwner } from './owners.js';
import { ofResults, projection, type Handler } from '../projection.js';
import { addQuietly, takeQuiet } from './quiet-entries.js';
import { supersededDocuments } from './superseding.js';
import { othersOf } from '../../src/domain/supersession.js';
import { putTestState, testBucketDocuments, testState, type TestState } from './test-buckets.js';
import { newTest, putIfChanged, testDocuments, type KnownFailureOfTest, type TestDocument } from './tests.js';
import { follows, touches } from './touched.js';
import { addTransitions } from './transitions.js';
import { troubleOf } from './troubled-tests.js';

const changes: Handler<EventType, HistoryChange> = { touches, follows, apply };

/** Goes after `knownFailures`, which make the documents of tests too. */
export const testHistories = projection<HistoryChange>({
  name: 'tests',
  version: 7,
  collections: [
    testBucketDocuments,
    listingDocuments,
    failingLineDocuments,
    branchBucketDocuments,
    historyBlockDocuments,
  ],
  on: ofResults(changes),
});

function apply(documents: Documents, event: HistoryEvent): void {
  for (const id of othersOf(event)) changeStanding(documents, event, id);
  const { change } = event;
  if (change === undefined) return;
  const { former, entry, result } = change;
  const wasKnown = former !== null && documents.get(failureDocuments, result.test_result_id)?.known === true;
  if (former !== null) removeEntry(documents, change, former);
  const quiet = entry === null ? null : takeQuiet(documents, event, change, entry);
  if (quiet !== null) return addQuietly(documents, event, change, entry!, quiet);
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
  const { test_id, result, ran_at: at, owner } = change;
  const { project_id, test_name: name, test_result_id } = result;
  const { branch, environment } = entry;
  const stored = documents.get(testDocuments, test_id);
  // Without this fact, the id has just been made from the name, and to make it again would take long.
  const hasOwnName = meta.facts?.test_id === undefined || test_id === testIdOf(project_id, name);
  const before =
    stored ?? newTest(documents, test_id, { team_id: meta.team_id, project_id, name, hasOwnName });
  const forgotten = forgottenFor(before, environment);
  if (forgotten !== null) forget(documents, before, forgotten);
  const test = withLine(documents, before, environment);
  const isPlain = environment === '';
  const whole = placeIn(project_id, test.number);
  const line = isPlain ? whole : placeIn(project_id, numberOf(test, environment)!);
  const named = { result_id: test_result_id, owner };

  const state = testState(documents, whole);
  const ofLine = isPlain ? state : testState(documents, line);
  const onBranch = branchState(documents, whole, branch);
  const lineOn = isPlain ? onBranch : branchState(documents, line, branch);
  const { history, transitions: flakiness } = withEntry(ofLine.history, entry);
  const transitions = [...recovery(lineOn, entry), ...flakiness];
  const block = listEntry(documents, whole, entry, { ofTest: state.block, onBranch: onBranch.block });
  const owners = withOwner(state.owners, ownedBy(change));
  const { passes } = state;
  const entries = state.entries + 1;
  // Written out, here and below: made for each result (docs/decisions/033).
  if (isPlain) {
    const plain = plainAfter(state, at);
    putTestState(documents, whole, { entries, last_result_at: at, owners, history, passes, block, plain });
  } else {
    // The test goes before its line: both may be in one bucket, and the line has the newer list of its origins.
    const counted = { entries, last_result_at: at, owners, block };
    putTestState(documents, whole, { ...state, ...counted, plain: plainOf(state) });
    const own = { entries: ofLine.entries + 1, last_result_at: at, owners: withOwner(ofLine.owners, named) };
    putTestState(documents, line, { ...ofLine, ...own, history });
    const listed = { before: ofLine.entries > 0, after: true };
    list(documents, { project_id, place: whole }, { environment }, listed);
  }
  putOnBranch(documents, event, change, { entry, block, whole, line, onBranch, lineOn });

  const { transitions: earlier, known_failure } = test;
  const known =
    entry.status === 'Failed' &&
    known_failure !== null &&
    covers(known_failure, { branch, environment, at: meta.at });
  const next: TestDocument = {
    ...test,
    ...troubleWith(test, project_id, environment, troubleOf(history)),
    listed_in: project_id,
    transitions: earlier + transitions.length,
    owner: ownerIn(owners),
    tags: tagsOf(owners),
    // A result counts once, however often it fails.
    known_failure: known && !wasKnown ? withHidden(known_failure) : known_failure,
  };
  putIfChanged(documents, test_id, stored, next);
  if (transitions.length > 0 || known) {
    addTransitions(documents, { event, transitions, before: earlier, known });
  }
}

/** What the results of a test without an environment are, once there are others. */
function plainOf({ plain, entries, last_result_at }: TestState): NonNullable<TestState['plain']> {
  return plain ?? { entries, last_result_at };
}

/** The same after one more of them. */
function plainAfter({ plain }: TestState, last_result_at: Instant): TestState['plain'] {
  return plain && { entries: plain.entries + 1, last_result_at };
}

/** With one more result that is known through it. */
function withHidden(known: KnownFailureOfTest): KnownFailureOfTest {
  return { ...known, hidden_results: known.hidden_results + 1 };
}

/** A result that is superseded, or restored, leaves or joins the row of failures of its line on its branch. */
function changeStanding(documents: Documents, event: HistoryEvent, resultId: string): void {
  const entry = entryOf(documents, event, resultId);
  const test = entry === null ? null : documents.get(testDocuments, entry.test_id);
  if (entry === null || test === null) return;
  const { test_id, branch, environment } = entry;
  const line = placeOfLine(documents, test_id, environment);
  const state = line === null ? null : branchState(documents, line, branch);
  if (line === null || state === null || state.entries === 0) return;
  const superseded = documents.get(supersededDocuments, resultId) !== null;
  const changed = withSuperseded(unpacked(state.verdicts), resultId, superseded);
  const after = { ...state, verdicts: withVerdicts(state.verdicts, changed.verdicts) };
  putBranchState(documents, line, branch, after);
  putFailingLine(documents, { test_id, environment, branch }, state, after);
}
