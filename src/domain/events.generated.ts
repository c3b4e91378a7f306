/* Made from schemas/events/ by `npm run generate`. Do not edit. */

export interface EventData {
  KeyCreated: KeyCreated;
  KeyRevoked: KeyRevoked;
  ProjectCreated: ProjectCreated;
  ProjectDescribed: ProjectDescribed;
  ProjectStatusChanged: ProjectStatusChanged;
  ResultCreated: ResultCreated;
  ResultDeleted: ResultDeleted;
  ResultFinished: ResultFinished;
  ResultRetryClaimed: ResultRetryClaimed;
  ResultStarted: ResultStarted;
  ResultUpdated: ResultUpdated;
  ResultVoided: ResultVoided;
  RunCompleted: RunCompleted;
  RunCreated: RunCreated;
  RunDescribed: RunDescribed;
  RunReturnedToPending: RunReturnedToPending;
  RunStarted: RunStarted;
  TeamCreated: TeamCreated;
}
/**
 * An API key was made. `hash` is the SHA-256 of the key, in hex; the key itself is nowhere.
 */
export interface KeyCreated {
  key_id: string;
  name: string;
  role: 'viewer' | 'member' | 'admin' | 'owner';
  hash: string;
  prefix: string;
  person_id: string | null;
  created_by: string | null;
}
/**
 * An API key was revoked: it is refused from then on.
 */
export interface KeyRevoked {
  key_id: string;
}
/**
 * A project began, active.
 */
export interface ProjectCreated {
  project_id: string;
  name: string;
  description: string | null;
}
/**
 * A project was given another name or description; only what changed is here.
 */
export interface ProjectDescribed {
  project_id: string;
  name?: string;
  description?: string | null;
}
/**
 * A project was made active or inactive.
 */
export interface ProjectStatusChanged {
  project_id: string;
  previous_status: 'Active' | 'Inactive';
  status: 'Active' | 'Inactive';
}
/**
 * A result was recorded. `run_branch` and `run_commit` are its run's at that moment; the result's own metadata goes before them. `retry_of` is the result that this one supersedes.
 */
export interface ResultCreated {
  result_id: string;
  project_id: string;
  run_id: string | null;
  test_name: string;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  started_at: string | null;
  metadata: Metadata | null;
  attempt: number;
  retry_of: string | null;
  run_branch: string | null;
  run_commit: string | null;
}
/**
 * Any JSON object of up to 65,536 bytes and 32 levels
 */
export interface Metadata {
  [k: string]: unknown;
}
/**
 * A result was deleted; what it had superseded counts again.
 */
export interface ResultDeleted {
  result_id: string;
  project_id: string;
  run_id: string | null;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  retry_of: string | null;
}
/**
 * A result was finished. `execution_time_ms` is null where it was never started or the span does not fit.
 */
export interface ResultFinished {
  result_id: string;
  project_id: string;
  run_id: string | null;
  previous_status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  /**
   * RFC 3339, normalised to UTC milliseconds
   */
  finished_at: string;
  execution_time_ms: number | null;
  error_message?: string | null;
  metadata?: Metadata | null;
}
/**
 * The right to retry this result was given to `retry_id`. It is superseded once that result is there.
 */
export interface ResultRetryClaimed {
  result_id: string;
  project_id: string;
  run_id: string | null;
  retry_id: string;
}
/**
 * A result was started: what an earlier finish set is cleared.
 */
export interface ResultStarted {
  result_id: string;
  project_id: string;
  run_id: string | null;
  previous_status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  /**
   * RFC 3339, normalised to UTC milliseconds
   */
  started_at: string;
}
/**
 * Fields of a result were set; only what changed is here.
 */
export interface ResultUpdated {
  result_id: string;
  project_id: string;
  run_id: string | null;
  previous_status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  error_message?: string | null;
  metadata?: Metadata | null;
  started_at?: string | null;
  finished_at?: string | null;
  execution_time_ms?: number | null;
}
/**
 * This id will never be a result: another retry took over before it was recorded.
 */
export interface ResultVoided {
  result_id: string;
}
/**
 * A run was completed, for the `completion`-th time. The counts as they stand here are its snapshot.
 */
export interface RunCompleted {
  run_id: string;
  project_id: string;
  /**
   * RFC 3339, normalised to UTC milliseconds
   */
  finished_at: string;
  completion: number;
  reason: 'requested' | 'idle';
}
/**
 * A run began, pending. `items` is the number of results submitted with it.
 */
export interface RunCreated {
  run_id: string;
  project_id: string;
  label: string | null;
  metadata: Metadata | null;
  items: number;
}
/**
 * A run was given another label or other metadata; only what changed is here.
 */
export interface RunDescribed {
  run_id: string;
  project_id: string;
  label?: string | null;
  metadata?: Metadata | null;
}
/**
 * A run is pending again; its instants stay.
 */
export interface RunReturnedToPending {
  run_id: string;
  project_id: string;
}
/**
 * A run is running, from `started_at` on.
 */
export interface RunStarted {
  run_id: string;
  project_id: string;
  /**
   * RFC 3339, normalised to UTC milliseconds
   */
  started_at: string;
}
/**
 * A team began.
 */
export interface TeamCreated {
  team_id: string;
  name: string;
}
