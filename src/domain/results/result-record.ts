/** The state of a result, as its decider folds it. */
import type { Artifact } from '../artifact/artifact.js';
import type { Named } from '../contents.js';
import type { Instant } from '../event.js';
import type { Gone, None, Present } from '../life.js';
import type { ResultContext } from '../test-history/result-facts.js';

type Metadata = Record<string, unknown>;

export const resultStatuses = ['Pending', 'Running', 'Passed', 'Failed', 'Skipped', 'KnownFail'] as const;
export type ResultStatus = (typeof resultStatuses)[number];

/** The statuses as counts and Surface B write them. */
export const statusWords = {
  Pending: 'pending',
  Running: 'running',
  Passed: 'passed',
  Failed: 'failed',
  Skipped: 'skipped',
  KnownFail: 'known_fail',
} as const satisfies Record<ResultStatus, string>;
export type StatusWord = (typeof statusWords)[ResultStatus];

export type ResultRecord = {
  test_result_id: string;
  project_id: string;
  test_run_id: string | null;
  test_name: string;
  status: ResultStatus;
  error_message: string | null;
  metadata: Metadata | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  execution_time_ms: number | null;
  attempt: number;
  retry_of: string | null;
  created_at: Instant;
  updated_at: Instant;
};

/** A result is gone if it was deleted, or if its id was given up before a result was recorded under it. */
export type Result = None | Gone | PresentResult;

/** What it names is stored apart. */
export type PresentResult = Present<ResultRecord> &
  Named & {
    claim: RetryClaim | null;
    /** The ordinals of the items of the same submission that this item superseded. Absent if there are none. */
    supersedes?: readonly number[];
    /** The results of lower attempts of the same shard that this item replaces. Absent if there are none. */
    replaces?: readonly string[];
    /** Of its test, where the name from which it was made is redacted. */
    test_id?: string;
    /** Since when it is redacted; absent if it is not. */
    redacted_at?: Instant;
    /** In order of creation. Absent if there are none. */
    artifacts?: readonly Artifact[];
    /** For the history of its test. The read models have none. */
    context?: ResultContext;
  };

/** Which retry may supersede the result, and since when. It supersedes the result once it is recorded. */
export type RetryClaim = { by: string; at: Instant };

/** Whether a result of this status is over. */
export function isFinal(status: ResultStatus): boolean {
  return status !== 'Pending' && status !== 'Running';
}
