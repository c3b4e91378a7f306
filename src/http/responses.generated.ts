/* Made from schemas/responses/ by `npm run generate`. Do not edit. */

export interface Responses {
  ArtifactDownload: ArtifactDownload;
  ArtifactRecord: ArtifactRecord;
  Comparison: Comparison;
  CountSnapshot: CountSnapshot;
  Counts: Counts;
  CreatedArtifact: CreatedArtifact;
  DeletedArtifact: DeletedArtifact;
  DeletedResult: DeletedResult;
  Delivery: Delivery;
  ErrorAnswer: ErrorAnswer;
  Event: Event;
  EventPage: EventPage;
  EventSchema: EventSchema;
  FailureGroup: FailureGroup;
  FieldError: FieldError;
  HistoryEntry: HistoryEntry;
  Key: Key;
  KnownFailure: KnownFailure;
  LastDelivery: LastDelivery;
  Liveness: Liveness;
  Me: Me;
  Moment: Moment;
  NewKey: NewKey;
  NewTeam: NewTeam;
  Pagination: Pagination;
  Ping: Ping;
  Problem: Problem;
  Project: Project;
  ProjectFailure: ProjectFailure;
  ProjectFailureGroup: ProjectFailureGroup;
  ProjectFailureGroupWithOutcomes: ProjectFailureGroupWithOutcomes;
  ProjectOverview: ProjectOverview;
  ProjectRecord: ProjectRecord;
  Readiness: Readiness;
  Recovery: Recovery;
  ResultRecord: ResultRecord;
  RunFailureGroup: RunFailureGroup;
  RunOfFailureGroup: RunOfFailureGroup;
  RunRecord: RunRecord;
  RunShards: RunShards;
  Status: Status;
  SubmittedRun: SubmittedRun;
  Test: Test;
  TestError: TestError;
  TestOutcome: TestOutcome;
  TestResult: TestResult;
  TestRun: TestRun;
  Webhook: Webhook;
  WebhookWithSecret: WebhookWithSecret;
}
/**
 * A signed URL from which the file can be downloaded
 */
export interface ArtifactDownload {
  download_url: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  expires_at: string;
}
/**
 * An artifact: a file of a result
 */
export interface ArtifactRecord {
  artifact_id: string;
  test_result_id: string;
  project_id: string;
  label: string;
  kind: 'Log' | 'Image' | 'Video' | 'Other';
  content_type: string;
  size_bytes: number;
  test_step: string | null;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  expires_at: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
}
/**
 * A run compared with its baseline; `baseline` is null where there is none
 */
export interface Comparison {
  baseline: {
    id: string;
    commit: string | null;
    /**
     * An RFC 3339 instant, normalised to UTC milliseconds
     */
    created_at: string;
  } | null;
  counts: {
    new_failures: number;
    still_failing: number;
    fixed: number;
    flaky: number;
    known: number;
    added: number;
    removed: number;
    slower: number;
  };
}
/**
 * The counts of a run at its last completion
 */
export interface CountSnapshot {
  total: number;
  pending: number;
  running: number;
  passed: number;
  failed: number;
  skipped: number;
  known_fail: number;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  at: string;
}
/**
 * Results of a run by status
 */
export interface Counts {
  total: number;
  pending: number;
  running: number;
  passed: number;
  failed: number;
  skipped: number;
  known_fail: number;
}
/**
 * An artifact that waits for its file
 */
export interface CreatedArtifact {
  artifact_id: string;
  test_result_id: string;
  project_id: string;
  label: string;
  kind: 'Log' | 'Image' | 'Video' | 'Other';
  content_type: string;
  size_bytes: number;
  test_step: string | null;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  expires_at: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  upload_url: string;
  upload_method: 'PUT';
  /**
   * Headers that a client should send
   */
  upload_headers: {
    [k: string]: string;
  };
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  upload_expires_at: string;
}
/**
 * The artifact is deleted
 */
export interface DeletedArtifact {
  artifact_id: string;
  deleted: true;
}
/**
 * The result is deleted, with its artifacts
 */
export interface DeletedResult {
  test_result_id: string;
  deleted: true;
}
/**
 * A message on its way to a webhook
 */
export interface Delivery {
  id: string;
  webhook_id: string;
  event_id: string;
  type: 'test.failed' | 'test.recovered' | 'test.flaky' | 'run.completed' | 'webhook.ping';
  state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  attempts: {
    /**
     * An RFC 3339 instant, normalised to UTC milliseconds
     */
    at: string;
    status: number | null;
    duration_ms: number;
    error: string | null;
    response: string | null;
  }[];
  next_attempt_at: string | null;
}
/**
 * An error of Surface B
 */
export interface ErrorAnswer {
  error: {
    code: string;
    message: string;
    details: {
      reason?: string;
      errors?: FieldError[];
      request_id: string;
    };
  };
}
/**
 * One wrong field of a request
 */
export interface FieldError {
  /**
   * A JSON pointer into the body, `?name` for the query, or the name of a header
   */
  pointer: string;
  code: string;
  detail: string;
}
/**
 * An event of the log: a CloudEvents 1.0 object
 */
export interface Event {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  time: string;
  datacontenttype: 'application/json';
  dataschema: string;
  position: string;
  correlationid: string;
  actor: string;
  /**
   * Has the form of the schema that `dataschema` names
   */
  data: {
    [k: string]: unknown;
  };
}
/**
 * A page of the replay. Only `caught_up` means the end
 */
export interface EventPage {
  data: Event[];
  next: string;
  caught_up: boolean;
}
/**
 * The schema of a version of an event type
 */
export interface EventSchema {
  type: string;
  version: number;
  url: string;
}
/**
 * A group of failures that have the same cause
 */
export interface FailureGroup {
  id: string;
  kind: 'hook' | 'selector' | 'frame' | 'message';
  title: string;
}
/**
 * An event of a run or a result
 */
export interface HistoryEntry {
  id: string;
  type: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  at: string;
  actor: string;
  /**
   * One sentence for people
   */
  text: string;
  changes: {
    field: string;
    from: unknown;
    to: unknown;
    shortened?: true;
  }[];
  changes_left_out?: number;
  deliveries?: {
    id: string;
    webhook_id: string;
    state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  }[];
}
/**
 * An API key
 */
export interface Key {
  id: string;
  name: string;
  role: 'viewer' | 'member' | 'admin' | 'owner';
  prefix: string;
  created_by: string | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}
/**
 * A failure of a test that does not fail the gate
 */
export interface KnownFailure {
  reason: string;
  /**
   * The name of the key that set it, or its id where the name is no longer kept
   */
  by: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  at: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  expires_at: string;
  branch: string | null;
  hidden_results: number;
}
/**
 * The last attempt to deliver to a webhook
 */
export interface LastDelivery {
  id: string;
  event_id: string;
  type: 'test.failed' | 'test.recovered' | 'test.flaky' | 'run.completed' | 'webhook.ping';
  state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  at: string;
  status: number | null;
}
/**
 * The process runs
 */
export interface Liveness {
  status: 'ok';
}
/**
 * The key of the request and its team
 */
export interface Me {
  key: {
    id: string;
    name: string;
    role: 'viewer' | 'member' | 'admin' | 'owner';
  };
  team: {
    id: string;
    name: string;
  };
}
/**
 * Where and when something was seen in a project; `run_id` is null for a result without a run
 */
export interface Moment {
  run_id: string | null;
  commit: string | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  at: string;
}
/**
 * A new API key
 */
export interface NewKey {
  id: string;
  name: string;
  role: 'viewer' | 'member' | 'admin' | 'owner';
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  /**
   * The key itself, shown this once
   */
  key: string;
}
/**
 * A new team and its first owner's key
 */
export interface NewTeam {
  id: string;
  name: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  /**
   * The key itself, shown this once
   */
  key: string;
}
/**
 * The place of a page in its list
 */
export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}
/**
 * A ping is on its way
 */
export interface Ping {
  /**
   * The `webhook-id` of the ping
   */
  event_id: string;
}
/**
 * An error of Surface A: an RFC 9457 problem document
 */
export interface Problem {
  /**
   * The path of a page about the error
   */
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: FieldError[];
  request_id: string;
}
/**
 * A project
 */
export interface Project {
  id: string;
  name: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  description: string | null;
  default_branch: string;
  status: 'active' | 'inactive';
}
/**
 * A group of failures with the runs in which it was seen, in pages
 */
export interface ProjectFailure {
  data: ProjectFailureGroupWithOutcomes;
  runs: RunOfFailureGroup[];
  pagination: Pagination;
}
/**
 * A group of failures in a project, with its outcome in each of the last 20 runs
 */
export interface ProjectFailureGroupWithOutcomes {
  group: string;
  kind: 'hook' | 'selector' | 'frame' | 'message';
  title: string;
  runs: number;
  results: number;
  first_seen: Moment;
  last_seen: Moment;
  example: TestResult | null;
  /**
   * @maxItems 20
   */
  outcomes: {
    run_id: string;
    outcome: 'failed' | 'passed' | null;
  }[];
}
/**
 * A test result. `failing_since`, `last_passed`, `also_fails_on` and `group` are null unless it failed
 */
export interface TestResult {
  id: string;
  project_id: string;
  test_run_id: string | null;
  name: string;
  status: 'passed' | 'failed' | 'skipped' | 'known_fail' | 'pending' | 'running';
  duration_ms: number | null;
  error_message: string | null;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  file: string | null;
  line: number | null;
  suite: string | null;
  owner: string | null;
  error: TestError | null;
  attempt: number;
  superseded_by: string | null;
  started_at: string | null;
  finished_at: string | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  failing_since: Moment | null;
  last_passed: Moment | null;
  /**
   * @maxItems 10
   */
  also_fails_on: string[] | null;
  group: FailureGroup | null;
  known: boolean;
}
/**
 * The error of a result, from its metadata and its error message
 */
export interface TestError {
  type: string | null;
  message: string | null;
  stack: string | null;
  expected: string | null;
  actual: string | null;
  hook: string | null;
}
/**
 * A run in which a group of failures was seen
 */
export interface RunOfFailureGroup {
  run_id: string | null;
  commit: string | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  at: string;
  results: number;
  tests: number;
}
/**
 * A group of failures in a project
 */
export interface ProjectFailureGroup {
  group: string;
  kind: 'hook' | 'selector' | 'frame' | 'message';
  title: string;
  runs: number;
  results: number;
  first_seen: Moment;
  last_seen: Moment;
  example: TestResult | null;
}
/**
 * How a project stands: its last completed runs, and its tests that need somebody
 */
export interface ProjectOverview {
  project_id: string;
  /**
   * The branch of `runs`: the default branch, or null for all branches where it has no completed run
   */
  branch: string | null;
  /**
   * @maxItems 20
   */
  runs: {
    id: string;
    outcome: 'failed' | 'passed' | 'skipped' | null;
    /**
     * An RFC 3339 instant, normalised to UTC milliseconds
     */
    created_at: string;
    passed: number;
    failed: number;
  }[];
  run_count: number;
  last_run_at: string | null;
  runs_a_day: number;
  tests: {
    flaky: number;
    broken: number;
    failing: number;
  };
}
/**
 * A project, as Surface A shows it
 */
export interface ProjectRecord {
  project_id: string;
  name: string;
  description: string | null;
  status: 'Active' | 'Inactive';
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
}
/**
 * The server can take writes. `degraded`: the read models of some teams are stuck at an event
 */
export interface Readiness {
  status: 'ok' | 'degraded';
  stuck?: {
    projection: string;
    partitions: string;
    event_id: string | null;
    /**
     * An RFC 3339 instant, normalised to UTC milliseconds
     */
    since: string;
  }[];
}
/**
 * The deliveries that were made
 */
export interface Recovery {
  count: number;
}
/**
 * A test result, as Surface A shows it
 */
export interface ResultRecord {
  test_result_id: string;
  project_id: string;
  test_run_id: string | null;
  test_name: string;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  error_message: string | null;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  started_at: string | null;
  finished_at: string | null;
  execution_time_ms: number | null;
  test_run_label: string | null;
  attempt: number;
  superseded_by: string | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  updated_at: string;
}
/**
 * A group of failures in a run
 */
export interface RunFailureGroup {
  group: string;
  kind: 'hook' | 'selector' | 'frame' | 'message';
  title: string;
  results: number;
  tests: number;
  new: boolean;
  first_seen: Moment;
  last_seen: Moment;
  example: TestResult | null;
  /**
   * Only with `details=true`
   *
   * @maxItems 20
   */
  outcomes?: {
    run_id: string;
    outcome: 'failed' | 'passed' | null;
  }[];
  /**
   * Only with `details=true`
   *
   * @maxItems 5
   */
  first_results?: {
    id: string;
    name: string;
  }[];
}
/**
 * A test run, as Surface A shows it
 */
export interface RunRecord {
  test_run_id: string;
  project_id: string;
  run_key: string | null;
  label: string | null;
  status: 'Pending' | 'Running' | 'Completed';
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  started_at: string | null;
  finished_at: string | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  updated_at: string;
  counts: Counts;
  count_snapshot: CountSnapshot | null;
}
/**
 * The shards of a run, with an entry for each attempt that came
 */
export interface RunShards {
  total: number;
  received: {
    index: number;
    attempt: number;
    results: number;
    duration_ms: number;
    /**
     * An RFC 3339 instant, normalised to UTC milliseconds
     */
    at: string;
  }[];
}
/**
 * The event log and the read models answer
 */
export interface Status {
  status: 'ok';
  version: string;
}
/**
 * The run that the submission made or reached
 */
export interface SubmittedRun {
  id: string;
  status: 'pending' | 'running' | 'completed';
  test_count: number;
  /**
   * The id of the n-th result of the call, from 0, is this prefix and n. Null for a call without results
   */
  result_id_prefix: string | null;
}
/**
 * A test: a project and a test name
 */
export interface Test {
  id: string;
  project_id: string;
  name: string;
  state: 'stable' | 'flaky' | 'broken';
  /**
   * @maxItems 20
   */
  last_outcomes: ('passed' | 'failed' | 'skipped' | 'known_fail')[];
  failure_rate: number;
  last_result_at: string | null;
  owner: string | null;
  known_failure: KnownFailure | null;
}
/**
 * One entry of the history of a test, without the metadata of its result
 */
export interface TestOutcome {
  result_id: string;
  test_run_id: string | null;
  status: 'passed' | 'failed' | 'skipped' | 'known_fail';
  attempt: number;
  duration_ms: number | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  at: string;
  branch: string | null;
  group: FailureGroup | null;
  known: boolean;
  superseded_by: string | null;
}
/**
 * A test run
 */
export interface TestRun {
  id: string;
  project_id: string;
  run_key: string | null;
  label: string | null;
  status: 'pending' | 'running' | 'completed';
  outcome: 'failed' | 'passed' | 'skipped' | null;
  test_count: number;
  counts: Counts;
  standing_counts: Counts1;
  duration_ms: number | null;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  branch: string | null;
  commit: string | null;
  pull_request: string | null;
  ci_url: string | null;
  actor: string | null;
  tool: string | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  shards: RunShards | null;
  gate: 'failed' | 'passed' | null;
  new_failures: number | null;
}
/**
 * Results of a run by status
 */
export interface Counts1 {
  total: number;
  pending: number;
  running: number;
  passed: number;
  failed: number;
  skipped: number;
  known_fail: number;
}
/**
 * A URL that receives messages
 */
export interface Webhook {
  id: string;
  url: string;
  events: ('test.failed' | 'test.flaky' | 'test.recovered' | 'run.completed' | '*')[];
  enabled: boolean;
  disabled_reason: 'requested' | 'gone' | 'failing' | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  last_delivery: LastDelivery | null;
}
/**
 * A webhook with its new secret
 */
export interface WebhookWithSecret {
  id: string;
  url: string;
  events: ('test.failed' | 'test.flaky' | 'test.recovered' | 'run.completed' | '*')[];
  enabled: boolean;
  disabled_reason: 'requested' | 'gone' | 'failing' | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  created_at: string;
  last_delivery: LastDelivery | null;
  /**
   * Signs the messages. Shown this once
   */
  secret: string;
}
