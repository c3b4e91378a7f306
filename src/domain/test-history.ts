/** The history of a test, packed: what it remembers of its last results, and what follows from the next. */
import type { ResultStatus } from './result.js';

export type FinalStatus = Extract<ResultStatus, 'Passed' | 'Failed' | 'Skipped' | 'KnownFail'>;

/** One result, at the place where its final status was set last. */
export type TestEntry = {
  result_id: string;
  run_id: string | null;
  attempt: number;
  branch: string | null;
  commit: string | null;
  status: FinalStatus;
  /** The result had a final status before: it took the place of an entry of its own. */
  again: boolean;
};

export type TestHistory = {
  state: 'stable' | 'flaky';
  /** Packed entries: to be defined. */
  packed: string;
};

/** What follows from an entry, without what names the test. */
export type Transition =
  | { type: 'TestRecovered'; failure: string }
  | { type: 'TestBecameFlaky'; rule: 'same_commit' | 'later_attempt'; evidence: string[] }
  | { type: 'TestStabilised' };
