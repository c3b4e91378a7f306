/** The states of tests and their lines on branches, each with its row of failures there, in buckets. */
import type { Instant } from '../../src/domain/event.js';
import type { Documents, ReadableDocuments } from '../../src/domain/projection.js';
import type { HistoryEvent, ResultChange } from '../../src/domain/test-history/result-change.js';
import type { Verdict } from '../../src/domain/test-history/failing-row.js';
import {
  newestFailedIn,
  originsOfVerdicts,
  renumberedVerdicts,
  withNewest,
  type PackedVerdicts,
  type VerdictOrigin,
} from '../../src/domain/test-history/packed-verdicts.js';
import type { TestEntry } from '../../src/domain/test-history/test-entry.js';
import type { Transition } from '../../src/domain/test-history/test-history.js';
import { putFailingLine } from './failing-lines.js';
import { inListing, list, type Listing } from './listings.js';
import { withOwner, type Owners } from './owners.js';
import {
  bucketCollection,
  rememberingLast,
  setState,
  type Naming,
  type Bucket,
  type Place,
} from './buckets.js';
import { supersederOf } from './superseding.js';

/**
 * What changes with each result of a test, or of a line, on a branch. The verdicts are always those of one line: the last results
 * that passed or failed. A pass after a failure is a recovery.
 */
export type BranchState = {
  verdicts: PackedVerdicts;
  /** The number of the test's entries on this branch. */
  entries: number;
  /** When its newest entry ran; null after a deletion, because then only the entries can show it. */
  last_result_at: Instant | null;
  owners: Owners;
  /** The number of the newest block of the bucket that has entries of the test on this branch; null without one, and for a line. */
  block: number | null;
  /** Of a test that ran in environments on this branch: the number of its entries without one. */
  plain_entries: number | null;
};

/** As it is stored: nearly all tests pass, and have no owner. */
type PackedState = Pick<BranchState, 'entries' | 'last_result_at' | 'block'> & {
  verdicts: string;
  before?: string;
  owners?: Owners;
  plain_entries?: number;
};

/** By the bucket of the test and the branch (`branchBucket`). */
export type BranchBucketDocument = Bucket<PackedState, VerdictOrigin>;

export const branchBucketDocuments = bucketCollection<PackedState, VerdictOrigin>('branch_buckets');

/** The id of the bucket of a test on a branch. */
export function branchBucket({ bucket }: Place, branch: string | null): string {
  return bucketOnBranch(bucket, branch);
}

const bucketOnBranch = rememberingLast((bucket: string, branch: string | null) =>
  inListing(bucket, { branch }),
);

/** Without entries if the test did not run on the branch. */
export function branchStateIn(bucket: BranchBucketDocument | null, slot: number): BranchState {
  const origins = bucket?.origins ?? [];
  const stored = bucket?.states[slot];
  if (stored == null) {
    const verdicts = { text: '', before: '', origins };
    return { verdicts, entries: 0, last_result_at: null, owners: [], block: null, plain_entries: null };
  }
  const {
    verdicts: text,
    before = '',
    entries,
    last_result_at,
    owners = [],
    block,
    plain_entries = null,
  } = stored;
  return { verdicts: { text, before, origins }, entries, last_result_at, owners, block, plain_entries };
}

export function branchState(documents: ReadableDocuments, place: Place, branch: string | null): BranchState {
  return branchStateIn(documents.open(branchBucketDocuments, branchBucket(place, branch)), place.slot);
}

export function putBranchState(
  documents: Documents,
  place: Place,
  branch: string | null,
  { verdicts, owners, entries, last_result_at, block, plain_entries }: BranchState,
): void {
  const { text, before, origins } = verdicts;
  const state: PackedState = { entries, last_result_at, block, verdicts: text };
  if (before !== '') state.before = before;
  if (owners.length > 0) state.owners = owners;
  if (plain_entries !== null) state.plain_entries = plain_entries;
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
function withEntryOn(
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

/** `whole`, `line`: the places of the test and its line. `onBranch`, `lineOn`: their states on the branch, as they were. */
type Added = {
  entry: TestEntry;
  block: number;
  whole: Place;
  line: Place;
  onBranch: BranchState;
  lineOn: BranchState;
};

/** Puts the states of a test and its line on a branch after an entry, and the test into the lists there. */
export function putOnBranch(
  documents: Documents,
  event: HistoryEvent,
  change: ResultChange,
  { entry, block, whole, line, onBranch: before, lineOn: ofLine }: Added,
): void {
  const { test_id, result, ran_at: last_result_at, owner } = change;
  const { branch, environment } = entry;
  const { project_id } = result;
  const test = { test_id, project_id, whole };
  const named = { result_id: result.test_result_id, owner };
  const { plain_entries: plain } = before;
  const entries = before.entries + 1;
  const all = withOwner(before.owners, named);
  if (environment === '') {
    const { verdicts } = withEntryOn(documents, event, change, before);
    const plain_entries = plain === null ? null : plain + 1;
    const after: BranchState = { verdicts, entries, last_result_at, owners: all, block, plain_entries };
    putBranchState(documents, whole, branch, after);
    listOnBranch(documents, test, branch, before, after);
    return putFailingLine(documents, { test_id, environment, branch }, before, after);
  }
  const { verdicts } = withEntryOn(documents, event, change, ofLine);
  const counted = { entries, last_result_at, owners: all, block, plain_entries: plain ?? before.entries };
  const after: BranchState = { ...before, ...counted };
  putBranchState(documents, whole, branch, after);
  listOnBranch(documents, test, branch, before, after);
  const owners = withOwner(ofLine.owners, named);
  const own: BranchState = { ...ofLine, entries: ofLine.entries + 1, last_result_at, owners, verdicts };
  putBranchState(documents, line, branch, own);
  listLineOnBranch(documents, test, { environment, branch }, ofLine, own);
}

/** A test whose state on a branch was put. `whole`: its place. */
type ListedTest = { test_id: string; project_id: string; whole: Place };

/** Puts a test into the lists of a branch, or takes it out: that of all its results, and that of those without an environment. */
export function listOnBranch(
  documents: Documents,
  { project_id, whole: place }: ListedTest,
  branch: string | null,
  before: BranchState,
  after: BranchState,
): void {
  const test = { project_id, place };
  list(documents, test, { branch }, { before: before.entries > 0, after: after.entries > 0 });
  const plain = { before: ranPlain(before), after: ranPlain(after) };
  list(documents, test, { environment: '', branch }, plain);
}

/** The same of its line in an environment; and where the line fails. */
export function listLineOnBranch(
  documents: Documents,
  { test_id, project_id, whole: place }: ListedTest,
  { environment, branch }: Required<Listing>,
  before: BranchState,
  after: BranchState,
): void {
  const listed = { before: before.entries > 0, after: after.entries > 0 };
  list(documents, { project_id, place }, { environment, branch }, listed);
  putFailingLine(documents, { test_id, environment, branch }, before, after);
}

/** Whether it has results on the branch without an environment. */
export function ranPlain({ entries, plain_entries }: BranchState): boolean {
  return entries > 0 && plain_entries !== 0;
}
