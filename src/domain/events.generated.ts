/* Made from schemas/events/ by `npm run generate`. Do not edit. */

export interface EventData {
  ArtifactAssigned: ArtifactAssigned;
  ArtifactConfirmed: ArtifactConfirmed;
  ArtifactCreated: ArtifactCreated;
  ArtifactDeleted: ArtifactDeleted;
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
  ResultSubmitted: ResultSubmitted;
  ResultUpdated: ResultUpdated;
  ResultVoided: ResultVoided;
  RunCompleted: RunCompleted;
  RunCreated: RunCreated;
  RunDescribed: RunDescribed;
  RunReturnedToPending: RunReturnedToPending;
  RunStarted: RunStarted;
  TeamCreated: TeamCreated;
  TestBecameFlaky: TestBecameFlaky;
  TestRecovered: TestRecovered;
  TestStabilised: TestStabilised;
  WebhookChanged: WebhookChanged;
  WebhookCreated: WebhookCreated;
  WebhookDeleted: WebhookDeleted;
  WebhookDisabled: WebhookDisabled;
  WebhookEnabled: WebhookEnabled;
  WebhookPinged: WebhookPinged;
  WebhookSecretRotated: WebhookSecretRotated;
}
/**
 * An artifact's id was assigned to a result, in a stream of that id: from there the result is found. The artifact is there once the result's stream says so.
 */
export interface ArtifactAssigned {
  artifact_id: string;
  result_id: string;
  project_id: string;
  run_id: string | null;
}
/**
 * The bytes of an artifact are there, and it is visible. `stored_as` names the version of them that is kept, whatever is uploaded later.
 */
export interface ArtifactConfirmed {
  result_id: string;
  project_id: string;
  run_id: string | null;
  artifact_id: string;
  stored_as: string;
}
/**
 * An artifact of a result was announced: its bytes may be uploaded until `upload_expires_at`. It is not visible before it is confirmed.
 */
export interface ArtifactCreated {
  result_id: string;
  project_id: string;
  run_id: string | null;
  artifact_id: string;
  label: string;
  kind: 'Log' | 'Image' | 'Video' | 'Other';
  /**
   * type/subtype, with parameters if any
   */
  content_type: string;
  size_bytes: number;
  test_step: string | null;
  metadata: Metadata | null;
  /**
   * RFC 3339, normalised to UTC milliseconds
   */
  expires_at: string;
  /**
   * RFC 3339, normalised to UTC milliseconds
   */
  upload_expires_at: string;
}
/**
 * Any JSON object of up to 65,536 bytes and 32 levels
 */
export interface Metadata {
  [k: string]: unknown;
}
/**
 * An artifact is gone, and its bytes will be deleted. `confirmed`: it was visible, and `size_bytes` of storage become free.
 */
export interface ArtifactDeleted {
  result_id: string;
  project_id: string;
  run_id: string | null;
  artifact_id: string;
  reason: 'requested' | 'result_deleted' | 'expired' | 'never_confirmed';
  confirmed: boolean;
  size_bytes: number;
}
/**
 * An API key was made. The log also has the SHA-256 of the key, in hex, as `hash`, which is shown to nobody; the key itself is nowhere.
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
 * A result was deleted; what it had superseded counts again: `retry_of`, or the items of these ordinals where it was submitted with its run.
 */
export interface ResultDeleted {
  result_id: string;
  project_id: string;
  run_id: string | null;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  retry_of: string | null;
  supersedes?: number[];
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
 * A result that was submitted whole with its run, as the item of that ordinal. `superseded_by` is the first item of the same name and the next higher attempt; `supersedes` are the ordinals of the items that this one is it for.
 */
export interface ResultSubmitted {
  result_id: string;
  project_id: string;
  run_id: string;
  test_name: string;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  error_message: string | null;
  metadata: Metadata | null;
  started_at: string | null;
  finished_at: string | null;
  execution_time_ms: number | null;
  attempt: number;
  superseded_by: string | null;
  supersedes: number[];
  run_branch: string | null;
  run_commit: string | null;
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
 * A run began, pending. `items` is the number of results submitted with it, `item_counts` how many of them have each status.
 */
export interface RunCreated {
  run_id: string;
  project_id: string;
  label: string | null;
  metadata: Metadata | null;
  items: number;
  item_counts?: {
    pending: number;
    running: number;
    passed: number;
    failed: number;
    skipped: number;
    known_fail: number;
  };
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
/**
 * A stable test became flaky. `evidence` are the results that show it, by `rule`: it failed and passed at one commit, or failed and then passed in a later attempt of the same run.
 */
export interface TestBecameFlaky {
  test_id: string;
  project_id: string;
  test_name: string;
  run_id: string | null;
  result_id: string;
  rule: 'same_commit' | 'later_attempt';
  evidence: string[];
}
/**
 * A test passed whose last outcome on that branch was a failure: `result_id` passed, `failure` is the result that it ends.
 */
export interface TestRecovered {
  test_id: string;
  project_id: string;
  test_name: string;
  run_id: string | null;
  result_id: string;
  branch: string | null;
  failure: string;
}
/**
 * A flaky test is stable again: so many outcomes in a row gave no new evidence.
 */
export interface TestStabilised {
  test_id: string;
  project_id: string;
  test_name: string;
  run_id: string | null;
  result_id: string;
}
/**
 * A webhook was given another URL or other events; only what changed is here.
 */
export interface WebhookChanged {
  webhook_id: string;
  url?: string;
  events?: ('test.failed' | 'test.flaky' | 'test.recovered' | 'run.completed' | '*')[];
}
/**
 * A webhook was registered, enabled. Its secret is nowhere in the log.
 */
export interface WebhookCreated {
  webhook_id: string;
  url: string;
  events: ('test.failed' | 'test.flaky' | 'test.recovered' | 'run.completed' | '*')[];
}
/**
 * A webhook is gone.
 */
export interface WebhookDeleted {
  webhook_id: string;
}
/**
 * A webhook was disabled: what it was to get is cancelled. `gone`: its endpoint answered 410; `failing`: nothing but failure for days.
 */
export interface WebhookDisabled {
  webhook_id: string;
  reason: 'requested' | 'gone' | 'failing';
}
/**
 * A webhook was enabled again: it gets what happens from here on.
 */
export interface WebhookEnabled {
  webhook_id: string;
}
/**
 * Somebody asked that a webhook be sent a ping.
 */
export interface WebhookPinged {
  webhook_id: string;
}
/**
 * A webhook signs with a new secret, and with the former one too until `previous_until`.
 */
export interface WebhookSecretRotated {
  webhook_id: string;
  /**
   * RFC 3339, normalised to UTC milliseconds
   */
  previous_until: string;
}
