/**
 * Entries that leave the document of their test as it is: of tests that pass, as nearly all do, and are in no trouble. Their
 * fold does not load it.
 */
import type { Documents, ReadableDocuments } from '../../src/domain/projection.js';
import type { HistoryEvent, ResultChange } from '../../src/domain/test-history/result-change.js';
import type { TestEntry } from '../../src/domain/test-history/test-entry.js';
import { othersOf } from '../../src/domain/supersession.js';
import { withEntry, type TestHistory } from '../../src/domain/test-history/test-history.js';
import { branchState, putOnBranch, recovery, type BranchState } from './branches.js';
import type { Place } from './buckets.js';
import { listEntry } from './history-blocks.js';
import { placesFor } from './lines.js';
import { ownedBy, ownerIn, tagsOf, withOwner } from './owners.js';
import { putTestState, testState, type TestState } from './test-buckets.js';
import { troubleOf } from './troubled-tests.js';

/** The states before the entry, and the history after it. */
export type QuietEntry = { whole: Place; state: TestState; onBranch: BranchState; history: TestHistory };

/** Null for an entry after which the document of the test may say something else. What it reads is there after `bucketsOf`. */
function quietEntry(
  documents: ReadableDocuments,
  event: HistoryEvent,
  { former, owner, tags }: ResultChange,
  entry: TestEntry,
  whole: Place,
): QuietEntry | null {
  if (entry.environment !== '' || entry.status === 'Failed' || former !== null) return null;
  // What it supersedes leaves the row of failures first, and so changes the states that are read here.
  if (othersOf(event).length > 0) return null;
  const state = testState(documents, whole);
  const { entries, plain, owners } = state;
  // Without entries it is new, or not listed. Where it has lines, its trouble is that of all of them.
  if (entries === 0 || plain !== null || ownerIn(owners) !== owner || tagsOf(owners) !== tags) return null;
  const onBranch = branchState(documents, whole, entry.branch);
  if (troubleOf(state.history) !== null || recovery(onBranch, entry).length > 0) return null;
  const { history, transitions } = withEntry(state.history, entry);
  // A test whose newest entries were all deleted is in no trouble, but may be flaky again with this one.
  if (transitions.length > 0 || troubleOf(history) !== null) return null;
  return { whole, state, onBranch, history };
}

/** From `follows` to `apply`, which come one after the other for each event. `documents`: those of one batch. */
let ahead: { documents: ReadableDocuments; change: ResultChange; quiet: QuietEntry | null } | null = null;

/** In `follows`. */
export function isQuiet(
  documents: ReadableDocuments,
  event: HistoryEvent,
  change: ResultChange,
  entry: TestEntry,
  whole: Place,
): boolean {
  const quiet = quietEntry(documents, event, change, entry, whole);
  ahead = { documents, change, quiet };
  return quiet !== null;
}

/** In `apply`. */
export function takeQuiet(
  documents: Documents,
  event: HistoryEvent,
  change: ResultChange,
  entry: TestEntry,
): QuietEntry | null {
  const taken = ahead;
  ahead = null;
  // Another batch may have come between, while this one loaded documents.
  if (taken?.documents === documents && taken.change === change) return taken.quiet;
  const { project_id } = change.result;
  const { whole } = placesFor(documents, change.test_id, { project_id, environment: '' });
  return quietEntry(documents, event, change, entry, whole);
}

/** Adds it, in all that its test has beside its document. */
export function addQuietly(
  documents: Documents,
  event: HistoryEvent,
  change: ResultChange,
  entry: TestEntry,
  { whole, state, onBranch, history }: QuietEntry,
): void {
  const { ran_at: last_result_at } = change;
  const block = listEntry(documents, whole, entry, { ofTest: state.block, onBranch: onBranch.block });
  const owners = withOwner(state.owners, ownedBy(change));
  const { passes, plain } = state;
  const entries = state.entries + 1;
  putTestState(documents, whole, { entries, last_result_at, owners, history, passes, block, plain });
  putOnBranch(documents, event, change, { entry, block, whole, line: whole, onBranch, lineOn: onBranch });
}
