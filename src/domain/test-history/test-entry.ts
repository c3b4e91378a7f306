import type { EnvironmentKey } from '../environment.js';
import type { ResultStatus } from '../results/result.js';

export type FinalStatus = Extract<ResultStatus, 'Passed' | 'Failed' | 'Skipped' | 'KnownFail'>;

/** One result, by the event that set its final status last. */
export type TestEntry = {
  result_id: string;
  run_id: string | null;
  /** Its place among the attempts of the test in its run, as `attemptInRun` gives it. */
  attempt: number;
  branch: string | null;
  environment: EnvironmentKey;
  commit: string | null;
  status: FinalStatus;
  /** The result had a final status before: this entry replaces its former one. */
  again: boolean;
};
