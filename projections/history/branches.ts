/** The branches on which a test ran, each with the row of failures there. */
import type { Instant } from '../../src/domain/event.js';
import { collection, type Documents, type ReadableDocuments } from '../../src/domain/projection.js';
import type { HistoryEvent, ResultChange } from '../../src/domain/test-history/result-change.js';
import { newestFailure, type Verdict } from '../../src/domain/test-history/failing-row.js';
import {
  isPassing,
  newestFailedIn,
  originsOfVerdicts,
  renumberedVerdicts,
  unpacked,
  withNewest,
  type PackedVerdicts,
  type VerdictOrigin,
} from '../../src/domain/test-history/packed-verdicts.js';
import type { TestEntry } from '../../src/domain/test-history/test-entry.js';
import type { Transition } from '../../src/domain/test-history/test-history.js';
import { ownerIn, type Owners } from './owners.js';
import { bucketCollection, setState, type Naming, type Bucket, type Place } from './buckets.js';
import { supersederOf } from './superseding.js';

/** By test id, `#` and the branch: the test ran on this branch. */
export type BranchDocument = {
  project_id: string;
  test_id: string;
  branch: string | null;
  name: string;
  /** That of the test's newest result on this branch. */
  owner: string | null;
  /** The test, if its newest verdict on this branch failed; else null. */
  failing_test: string | null;
  /** When it failed last; null unless `failing_test` is set. */
  failed_at: Instant | null;
};

/**
 * What changes with each result of a test on a branch. Its verdicts are the last results on this branch that passed or
 * failed: a pass after a failure is a recovery.
 */
export type BranchState = {
  verdicts: PackedVerdicts;
  /** The number of the test's entries on this branch. */
  entries: number;
  /** When its newest entry ran; null after a deletion, because then only the entries can show it. */
  last_result_at: Instant | null;
  owners: Owners;
  /** The number of the newest block of the bucket that has entries of the test on this branch; null without one. */
  block: number | null;
};

/** As it is stored: nearly all tests pass, and have no owner. */
type PackedState = Pick<BranchState, 'entries' | 'last_result_at' | 'block'> & {
  verdicts: string;
  before?: string;
  owners?: Owners;
};

/** By the bucket of the test and the branch (`branchBucket`). */
export type BranchBucketDocument = Bucket<PackedState, VerdictOrigin>;

export const branchDocuments = collection<BranchDocument>({
  name: 'branches',
  ids: 'test',
  indexes: [
    ['project_id', 'branch', 'name'],
    ['failing_test', 'failed_at'],
  ],
  filterable: ['owner'],
  sparse: ['failing_test'],
  totals: [
    ['project_id', 'branch'],
    ['project_id', 'branch', 'owner'],
  ],
  searchable: 'name',
});

export const branchBucketDocuments = bucketCollection<PackedState, VerdictOrigin>('branch_buckets');

/** The id of the bucket of a test on a branch. */
export function branchBucket({ bucket }: Place, branch: string | null): string {
  return branch === null ? `${bucket}#` : `${bucket}#=${branch}`;
}

/** Without entries if the test did not run on the branch. */
export function branchStateIn(bucket: BranchBucketDocument | null, slot: number): BranchState {
  const origins = bucket?.origins ?? [];
  const stored = bucket?.states[slot];
  if (stored == null) {
    const verdicts = { text: '', before: '', origins };
    return { verdicts, entries: 0, last_result_at: null, owners: [], block: null };
  }
  const { verdicts: text, before = '', entries, last_result_at, owners = [], block } = stored;
  return { verdicts: { text, before, origins }, entries, last_result_at, owners, block };
}

export function branchState(documents: ReadableDocuments, place: Place, branch: string | null): BranchState {
  return branchStateIn(documents.open(branchBucketDocuments, branchBucket(place, branch)), place.slot);
}

export function putBranchState(
  documents: Documents,
  place: Place,
  branch: string | null,
  { verdicts, owners, entries, last_result_at, block }: BranchState,
): void {
  const { text, before, origins } = verdicts;
  const state: PackedState = { entries, last_result_at, block, verdicts: text };
  if (before !== '') state.before = before;
  if (owners.length > 0) state.owners = owners;
  const bucket = documents.edit(branchBucketDocuments, branchBucket(place, branch));
  setState(bucket, place.slot, { state: entries === 0 ? null : state, origins }, naming);
}

const naming: Naming<PackedState> = {
  originsOf: ({ verdicts: text, before = '' }) => originsOfVerdicts({ text, before }),
  renumbered(state, numbers) {
    const { verdicts: text, before = '' } = state;
    const next = renumberedVerdicts({ text, before }, numbers);
    return { ...state, verdicts: next.text, ...(before !== '' && { before: next.before }) };
  },
};

/** The state with the verdict of the event's result, if it is one. */
export function withEntryOn(
  documents: Documents,
  event: HistoryEvent,
  { entry, ran_at }: ResultChange,
  state: BranchState,
): BranchState {
  if (entry === null || (entry.status !== 'Passed' && entry.status !== 'Failed')) return state;
  const { status, result_id, run_id, commit } = entry;
  const verdict: Verdict = {
    result_id,
    passed: status === 'Passed',
    moment: { run_id, commit, at: ran_at },
  };
  if (supersederOf(documents, event, result_id) !== null) verdict.superseded = true;
  return { ...state, verdicts: withNewest(state.verdicts, verdict) };
}

/**
 * A pass after a failure on the same branch, no matter how many results came between them on other branches. A result
 * that changes its own status is not a recovery.
 */
export function recovery(state: BranchState, { status, again }: TestEntry): Transition[] {
  if (status !== 'Passed' || again) return [];
  const failure = newestFailedIn(state.verdicts);
  return failure === null ? [] : [{ type: 'TestRecovered', failure }];
}

/** Whether an entry may change what the document of the branch says. A pass after a pass does not. */
export function mayChangeBranch(state: BranchState, { entry, former, owner }: ResultChange): boolean {
  if (entry === null || former !== null || state.entries === 0) return true;
  if (entry.status === 'Failed' || owner !== ownerIn(state.owners)) return true;
  return !isPassing(state.verdicts);
}

/** Puts the document of a branch if it has to say something else after a change of the state. */
export function putBranch(
  documents: Documents,
  named: Pick<BranchDocument, 'project_id' | 'test_id' | 'branch' | 'name'>,
  before: BranchState,
  after: BranchState,
): void {
  const { project_id, test_id, branch, name } = named;
  const owner = ownerIn(after.owners);
  const now = failing(test_id, after);
  if (before.entries > 0) {
    const { failing_test, failed_at } = failing(test_id, before);
    const isSame = now.failing_test === failing_test && now.failed_at === failed_at;
    if (isSame && owner === ownerIn(before.owners)) return;
  }
  documents.put(branchDocuments, branchId(test_id, branch), {
    project_id,
    test_id,
    branch,
    name,
    owner,
    ...now,
  } satisfies BranchDocument);
}

/** Whether the test fails on the branch now, as the document of the branch says it. */
function failing(testId: string, state: BranchState): Pick<BranchDocument, 'failing_test' | 'failed_at'> {
  const failure = isPassing(state.verdicts) ? null : newestFailure(unpacked(state.verdicts));
  return { failing_test: failure === null ? null : testId, failed_at: failure?.at ?? null };
}

export function branchId(testId: string, branch: string | null): string {
  return branch === null ? `${testId}#` : `${testId}#=${branch}`;
}
