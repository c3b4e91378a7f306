/** The branches on which a test ran, each with the row of failures there. */
import type { Instant } from '../src/domain/event.js';
import { collection, type Documents } from '../src/domain/projection.js';
import type { EnrichedEvent, ResultChange } from '../src/domain/test-history/enriched-event.js';
import {
  newestFailure,
  noVerdicts,
  withVerdict,
  type FailingRow,
  type Verdict,
  type Verdicts,
} from '../src/domain/test-history/failing-row.js';
import {
  originsOfVerdicts,
  packVerdicts,
  renumberedVerdicts,
  verdictsIn,
  type VerdictOrigin,
} from '../src/domain/test-history/packed-verdicts.js';
import type { TestEntry } from '../src/domain/test-history/test-entry.js';
import type { Transition } from '../src/domain/test-history/test-history.js';
import type { Owners } from './owners.js';
import { withState, type Naming, type Page, type Place } from './pages.js';
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
export type BranchState = Verdicts & {
  /** The number of the test's entries on this branch. */
  entries: number;
  /** When its newest entry ran; null after a deletion, because then only the entries can show it. */
  last_result_at: Instant | null;
  owners: Owners;
  /** The number of the newest block of the page that has entries of the test on this branch; null without one. */
  block: number | null;
};

/** As it is stored: nearly all tests pass, and have no owner. */
type PackedState = Pick<BranchState, 'entries' | 'last_result_at' | 'block'> & {
  verdicts: string;
  before?: FailingRow;
  owners?: Owners;
};

/** By the page of the test and the branch (`branchPage`). */
export type BranchPageDocument = Page<PackedState, VerdictOrigin>;

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
  unique: [['project_id', 'branch', 'name']],
});

export const branchPageDocuments = collection<BranchPageDocument>({
  name: 'branch_pages',
  ids: 'project',
  indexes: [],
});

/** The id of the page of a test on a branch. */
export function branchPage({ page }: Place, branch: string | null): string {
  return branch === null ? `${page}#` : `${page}#=${branch}`;
}

const noBranch: BranchState = { ...noVerdicts, entries: 0, last_result_at: null, owners: [], block: null };

/** Without entries if the test did not run on the branch. */
export function branchStateIn(page: BranchPageDocument | null, slot: number): BranchState {
  const stored = page?.states[slot];
  if (page === null || stored == null) return noBranch;
  const { verdicts, before = noBranch.before, owners = [], ...rest } = stored;
  return { ...rest, verdicts: verdictsIn(verdicts, page.origins), before, owners };
}

export function branchState(
  documents: Pick<Documents, 'get'>,
  place: Place,
  branch: string | null,
): BranchState {
  return branchStateIn(documents.get(branchPageDocuments, branchPage(place, branch)), place.slot);
}

export function putBranchState(
  documents: Documents,
  place: Place,
  branch: string | null,
  { verdicts, before, owners, entries, last_result_at, block }: BranchState,
): void {
  const id = branchPage(place, branch);
  const present = documents.get(branchPageDocuments, id);
  const { text, origins } = packVerdicts(verdicts, present?.origins ?? []);
  const state: PackedState = { entries, last_result_at, block, verdicts: text };
  if (before.failing_since !== null || before.last_passed !== null) state.before = before;
  if (owners.length > 0) state.owners = owners;
  const changed = { state: entries === 0 ? null : state, origins };
  documents.put(branchPageDocuments, id, withState(present, place.slot, changed, naming));
}

const naming: Naming<PackedState> = {
  originsOf: ({ verdicts }) => originsOfVerdicts(verdicts),
  renumbered: (state, numbers) => ({ ...state, verdicts: renumberedVerdicts(state.verdicts, numbers) }),
};

/** The verdicts with that of the event's result, if it is one. */
export function withEntryOn(
  documents: Documents,
  event: EnrichedEvent,
  { entry, ran_at }: ResultChange,
  verdicts: Verdicts,
): Verdicts {
  if (entry === null || (entry.status !== 'Passed' && entry.status !== 'Failed')) return verdicts;
  const { status, result_id, run_id, commit } = entry;
  const moment = { run_id, commit, at: ran_at };
  const verdict: Verdict = { result_id, passed: status === 'Passed', moment };
  const superseded = supersederOf(documents, event, result_id) !== null;
  return withVerdict(verdicts, superseded ? { ...verdict, superseded } : verdict);
}

/**
 * A pass after a failure on the same branch, no matter how many results came between them on other branches. A result
 * that changes its own status is not a recovery.
 */
export function recovery([before]: readonly Verdict[], { status, again }: TestEntry): Transition[] {
  if (status !== 'Passed' || again || before === undefined || before.passed) return [];
  return [{ type: 'TestRecovered', failure: before.result_id }];
}

export function putBranch(documents: Documents, next: BranchDocument): void {
  const id = branchId(next.test_id, next.branch);
  const stored = documents.get(branchDocuments, id);
  const isSame =
    stored !== null &&
    stored.owner === next.owner &&
    stored.failing_test === next.failing_test &&
    stored.failed_at === next.failed_at;
  if (!isSame) documents.put(branchDocuments, id, next);
}

/** Whether the test fails on the branch now, as the document of the branch says it. */
export function failing(
  testId: string,
  verdicts: Verdicts,
): Pick<BranchDocument, 'failing_test' | 'failed_at'> {
  const failure = newestFailure(verdicts);
  return { failing_test: failure === null ? null : testId, failed_at: failure?.at ?? null };
}

export function branchId(testId: string, branch: string | null): string {
  return branch === null ? `${testId}#` : `${testId}#=${branch}`;
}
