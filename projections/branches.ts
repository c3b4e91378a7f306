/** The branches on which a test ran, each with the row of failures there. */
import type { Instant } from '../src/domain/event.js';
import { collection, type Documents } from '../src/domain/projection.js';
import type { EnrichedEvent, ResultChange } from '../src/domain/test-history/enriched-event.js';
import {
  newestFailure,
  noVerdicts,
  withoutVerdict,
  withSuperseded,
  withVerdict,
  type FailingRow,
  type Verdict,
  type Verdicts,
} from '../src/domain/test-history/failing-row.js';
import { packVerdicts, verdictsIn, type PackedVerdicts } from '../src/domain/test-history/packed-verdicts.js';
import type { TestEntry } from '../src/domain/test-history/test-entry.js';
import type { Transition } from '../src/domain/test-history/test-history.js';
import { ownedBy, withoutOwner, type Owners } from './owners.js';
import { supersederOf } from './superseding.js';

/**
 * By test id, `#` and the branch: the test ran on this branch. Its verdicts are the last results on this branch that
 * passed or failed: a pass after a failure is a recovery.
 */
export type BranchDocument = PackedVerdicts & {
  /** The row of failures as the verdicts before them left it. */
  before: FailingRow;
  project_id: string;
  test_id: string;
  branch: string | null;
  name: string;
  /** The number of the test's entries on this branch. Never 0. */
  entries: number;
  /** That of the test's newest result on this branch. */
  owner: string | null;
  owners: Owners;
  /** The test, if its newest verdict on this branch failed; else null. */
  failing_test: string | null;
  /** When it failed last; null unless `failing_test` is set. */
  failed_at: Instant | null;
};

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

/**
 * The fields of a branch that have its verdicts, and those that follow from them. Written out: made for each result
 * (docs/decisions/033).
 */
export function shown(testId: string, { verdicts, before }: Verdicts) {
  const failure = newestFailure({ verdicts, before });
  const { verdicts: lines, origins } = packVerdicts(verdicts);
  return {
    verdicts: lines,
    origins,
    before,
    failing_test: failure === null ? null : testId,
    failed_at: failure?.at ?? null,
  };
}

/** The branch without the entry of a result; null where it was the only one. */
export function withoutEntry(branch: BranchDocument, resultId: string): BranchDocument | null {
  if (branch.entries === 1) return null;
  return {
    ...branch,
    entries: branch.entries - 1,
    ...shown(branch.test_id, withoutVerdict(verdictsOn(branch), resultId)),
    ...ownedBy(withoutOwner(branch.owners, resultId)),
  };
}

/** The branch on which a result is superseded, or counts again. */
export function withStanding(branch: BranchDocument, resultId: string, superseded: boolean): BranchDocument {
  return { ...branch, ...shown(branch.test_id, withSuperseded(verdictsOn(branch), resultId, superseded)) };
}

/** None of a branch that has no document. */
export function verdictsOn(branch: BranchDocument | null): Verdicts {
  return branch === null ? noVerdicts : { verdicts: verdictsIn(branch), before: branch.before };
}

export function branchId(testId: string, branch: string | null): string {
  return branch === null ? `${testId}#` : `${testId}#=${branch}`;
}
