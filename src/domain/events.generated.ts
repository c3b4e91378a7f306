/* Made from schemas/events/ by `npm run generate`. Do not edit. */

export interface AllEventData {
  current: EventData;
  past: PastEventData;
}
export interface EventData {
  ActCounted: ActCounted;
  ActRecorded: ActRecorded;
  ArtifactAssigned: ArtifactAssigned;
  ArtifactConfirmed: ArtifactConfirmed;
  ArtifactCreated: ArtifactCreated;
  ArtifactDeleted: ArtifactDeleted;
  CauseCameBack: CauseCameBack;
  CauseChanged: CauseChanged;
  CauseFixed: CauseFixed;
  DayClosed: DayClosed;
  GroupAppeared: GroupAppeared;
  GroupReturned: GroupReturned;
  GroupWentAway: GroupWentAway;
  ItemsReceived: ItemsReceived;
  ItemsSubmitted: ItemsSubmitted;
  KeyCreated: KeyCreated;
  KeyRevoked: KeyRevoked;
  KeyTakenOver: KeyTakenOver;
  KnownFailureEnded: KnownFailureEnded;
  KnownFailureSet: KnownFailureSet;
  MainTurnedGreen: MainTurnedGreen;
  MainTurnedRed: MainTurnedRed;
  MemberAdded: MemberAdded;
  MemberRemoved: MemberRemoved;
  MemberRoleChanged: MemberRoleChanged;
  ProjectCreated: ProjectCreated;
  ProjectDescribed: ProjectDescribed;
  ProjectPurged: ProjectPurged;
  ProjectStatusChanged: ProjectStatusChanged;
  ResultCreated: ResultCreated;
  ResultDeleted: ResultDeleted;
  ResultFinished: ResultFinished;
  ResultRedacted: ResultRedacted;
  ResultRetryClaimed: ResultRetryClaimed;
  ResultStarted: ResultStarted;
  ResultSubmitted: ResultSubmitted;
  ResultUpdated: ResultUpdated;
  ResultVoided: ResultVoided;
  RunCompleted: RunCompleted;
  RunCreated: RunCreated;
  RunDescribed: RunDescribed;
  RunFoundIncomplete: RunFoundIncomplete;
  RunPurged: RunPurged;
  RunRedacted: RunRedacted;
  RunReturnedToPending: RunReturnedToPending;
  RunStarted: RunStarted;
  TeamCreated: TeamCreated;
  TeamSettingsChanged: TeamSettingsChanged;
  TestBecameBroken: TestBecameBroken;
  TestBecameFlaky: TestBecameFlaky;
  TestRecovered: TestRecovered;
  TestStabilised: TestStabilised;
  TextRedacted: TextRedacted;
  TrustCreated: TrustCreated;
  TrustRemoved: TrustRemoved;
  WebhookChanged: WebhookChanged;
  WebhookCreated: WebhookCreated;
  WebhookDeleted: WebhookDeleted;
  WebhookDisabled: WebhookDisabled;
  WebhookEnabled: WebhookEnabled;
  WebhookPinged: WebhookPinged;
  WebhookReserved: WebhookReserved;
  WebhookSecretRotated: WebhookSecretRotated;
}
/**
 * An act that is told once an hour happened several times: `count` is the number for the whole hour. `entry_id` is the id of the event that told it first.
 */
export interface ActCounted {
  entry_id: string;
  count: number;
}
/**
 * Somebody did something that no other event tells: they signed in, or made a link. `act` says what, `subject` to whom or what, and `details` the rest. Where they did it from is not in the data: it is sealed with a key of the person, and never shown here.
 */
export interface ActRecorded {
  act: string;
  subject: {
    type: string;
    id: string;
  };
  details: {
    [k: string]: string | number | null;
  };
}
/**
 * The id of an artifact was assigned to a result. This event is in a stream of that id and leads to the result. The artifact exists once the stream of the result says so.
 */
export interface ArtifactAssigned {
  artifact_id: string;
  result_id: string;
  project_id: string;
  run_id: string | null;
}
/**
 * The bytes of an artifact are stored, and it is visible. `stored_as` names the version of the bytes that is kept, whatever is uploaded later.
 */
export interface ArtifactConfirmed {
  result_id: string;
  project_id: string;
  run_id: string | null;
  artifact_id: string;
  stored_as: string;
}
/**
 * An artifact of a result was announced. Its bytes may be uploaded until `upload_expires_at`. It becomes visible when it is confirmed.
 */
export interface ArtifactCreated {
  result_id: string;
  project_id: string;
  run_id: string | null;
  artifact_id: string;
  label: string;
  kind: 'Log' | 'Image' | 'Video' | 'Other';
  /**
   * type/subtype, with optional parameters
   */
  content_type: string;
  size_bytes: number;
  test_step: string | null;
  metadata: Metadata | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  expires_at: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  upload_expires_at: string;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * Any JSON object of up to 65,536 bytes, 32 levels and 5,000 values
 */
export interface Metadata {
  [k: string]: unknown;
}
/**
 * An artifact was deleted, and its bytes will be deleted. `confirmed` says whether it was visible; then `size_bytes` of storage become free.
 */
export interface ArtifactDeleted {
  result_id: string;
  project_id: string;
  run_id: string | null;
  artifact_id: string;
  reason: 'requested' | 'result_deleted' | 'expired' | 'never_confirmed' | 'redacted';
  confirmed: boolean;
  size_bytes: number;
}
/**
 * A group of failures that was fixed since `fixed_at` failed again.
 */
export interface CauseCameBack {
  group: string;
  project_id: string;
  run_id: string | null;
  result_id: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  fixed_at: string;
}
/**
 * Somebody changed the owner, the note or the ticket of a group of failures, or said that it is fixed or open. It has only the fields that it sets.
 */
export interface CauseChanged {
  group: string;
  project_id: string;
  owner?: string | null;
  note?: string | null;
  ticket?: string | null;
  state?: 'open' | 'fixed';
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * A group of failures stayed away for longer than the longest time between two of its failures. `run_id`: the run at whose completion this was seen. `last_failed_at`: when it failed last.
 */
export interface CauseFixed {
  group: string;
  project_id: string;
  run_id: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  last_failed_at: string;
}
/**
 * A day of UTC is over, and the digest of the project tells of it. `due_at`: when it was due.
 */
export interface DayClosed {
  project_id: string;
  day: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  due_at: string;
}
/**
 * A group of failures was seen for the first time in its project. `result_id`: the result that failed with it.
 */
export interface GroupAppeared {
  group: string;
  project_id: string;
  run_id: string | null;
  result_id: string;
}
/**
 * A group of failures that was gone failed again on the default branch. `run_id`: the run at whose completion this was seen. `gone_at`: when it was seen that the group is gone.
 */
export interface GroupReturned {
  group: string;
  project_id: string;
  run_id: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  gone_at: string;
}
/**
 * A group of failures is gone from the default branch: in the newest complete run of each tool and environment, every test that failed with it ran, and none failed with it. `run_id`: the run at whose completion this was seen. `tests`: how many tests failed with it there since it was gone last.
 */
export interface GroupWentAway {
  group: string;
  project_id: string;
  run_id: string;
  tests: number;
}
/**
 * The last event of a call that submitted items to a run with a key: from here on, readers see what the call changed.
 */
export interface ItemsReceived {
  run_id: string;
  project_id: string;
  submission_id: string;
}
/**
 * A call submitted `items` results to a run with a key. They follow this event, and `ItemsReceived` comes after them. `replaced` is the number of results that count no more. `items_hash` is the SHA-256 of the items of a shard, or of a call with a `submission_key`. `duration_ms` is the sum of their execution times. `completes`: the same append completes the run. `report`: its report was cut, or counts failures that are no results.
 */
export interface ItemsSubmitted {
  run_id: string;
  project_id: string;
  submission_id: string;
  items: number;
  item_counts: {
    pending: number;
    running: number;
    passed: number;
    failed: number;
    skipped: number;
    known_fail: number;
  };
  replaced: number;
  shard: Shard | null;
  items_hash: string | null;
  duration_ms: number;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  finished_at: string;
  completes: boolean;
  report?: Report;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
export interface Shard {
  index: number;
  total: number;
  attempt: number;
}
/**
 * What the reports of a run say of themselves
 */
export interface Report {
  /**
   * The report is not whole: it was cut, a part of it could not be read, or its test command broke off
   */
  partial: boolean;
  /**
   * The failures that the report counts and that are no results
   */
  failures_unread: number;
}
/**
 * An API key was created. The log also holds the SHA-256 of the key, in hex, as `hash`; it is never shown. The key itself is not stored.
 */
export interface KeyCreated {
  key_id: string;
  name: string;
  role: 'reporter' | 'viewer' | 'member' | 'admin' | 'owner';
  hash: string;
  prefix: string;
  /**
   * When the key ends; null for one that does not end by itself
   */
  expires_at: string | null;
  /**
   * The projects that the key sees and writes; null for all of the team
   */
  project_ids: [string, ...string[]] | null;
  person_id: string | null;
  created_by: string | null;
}
/**
 * An API key was revoked. From then on it is refused.
 */
export interface KeyRevoked {
  key_id: string;
}
/**
 * An API key got another person, as if they had made it: it follows their role from then on.
 */
export interface KeyTakenOver {
  key_id: string;
  person_id: string;
}
/**
 * The failures of a test are no longer known: the time is over, or somebody asked for the end.
 */
export interface KnownFailureEnded {
  test_id: string;
  project_id: string;
  test_name: string;
  ended: 'expired' | 'requested';
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * The failures of a test are known until `expires_at`, on one branch or, where `branch` is null, on all. It replaces the known failure that the test had.
 */
export interface KnownFailureSet {
  test_id: string;
  project_id: string;
  test_name: string;
  reason: string;
  /**
   * The group of failures for all of whose tests it was set; absent: for this test alone
   */
  group?: string;
  branch: string | null;
  /**
   * The environment in which the failures are known; without pairs: in none; absent or null: in all
   */
  environment?: {
    [k: string]: string;
  } | null;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  expires_at: string;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * A run of the default branch passed, and the one before it of the same tool and environment had failed. `red_run_id`, `red_since`: the first failed run since it passed last, and when that was completed.
 */
export interface MainTurnedGreen {
  project_id: string;
  run_id: string;
  red_run_id: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  red_since: string;
}
/**
 * A run of the default branch failed, and the one before it of the same tool and environment did not.
 */
export interface MainTurnedRed {
  project_id: string;
  run_id: string;
}
/**
 * A person became a member of the team. The log also holds their name and e-mail, encrypted, as `sealed`; it is never shown, and it cannot be read any more once the person is forgotten.
 */
export interface MemberAdded {
  person_id: string;
  role: 'viewer' | 'member' | 'admin' | 'owner';
  sealed: string;
}
/**
 * A person is no member of the team any more. The keys that they made are refused from then on.
 */
export interface MemberRemoved {
  person_id: string;
}
/**
 * A member got another role. The keys that they made have at most this role from then on.
 */
export interface MemberRoleChanged {
  person_id: string;
  role: 'viewer' | 'member' | 'admin' | 'owner';
}
/**
 * A project was created. It is active.
 */
export interface ProjectCreated {
  project_id: string;
  name: string;
  description: string | null;
  default_branch: string;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * The name, description, default branch, repository, gate or retention of a project changed. The event has only the fields that changed; `gate` and `retention` have all settings that the project has set itself.
 */
export interface ProjectDescribed {
  project_id: string;
  name?: string;
  description?: string | null;
  default_branch?: string;
  repo_url?: string | null;
  gate?: GateChange;
  retention?: RetentionChange;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * Settings of the gate. Those that are left out stay as they are
 */
export interface GateChange {
  /**
   * The failures that fail the gate: new ones, any, any and flaky results, or none. Known failures count for `max_known` alone
   */
  fail_on?: 'new' | 'any' | 'flaky' | 'none';
  /**
   * The number of tests of the baseline that may be missing, a share of them such as `10%`, null for any number, or `default`: 10 %, and at least 20
   */
  max_removed?: string | number | null;
  /**
   * The number of tests that must run; null for any number
   */
  min_tests?: number | null;
  /**
   * The number of known failures that may be there; null for any number
   */
  max_known?: number | null;
}
/**
 * How long things are kept: ISO 8601 durations from `P1D` to `P10Y`; null keeps for ever. Those that are left out stay as they are
 */
export interface RetentionChange {
  /**
   * Messages, errors and metadata of results that did not pass
   */
  contents?: string | null;
  /**
   * The same of results that passed
   */
  passed_contents?: string | null;
  /**
   * Artifacts
   */
  artifacts?: string | null;
  /**
   * Runs in lists
   */
  runs?: string | null;
}
/**
 * A project was deleted for good, with all that is in it. Every event of it shows `contents: deleted` from then on, and no texts.
 */
export interface ProjectPurged {
  project_id: string;
}
/**
 * A project became active or inactive.
 */
export interface ProjectStatusChanged {
  project_id: string;
  previous_status: 'Active' | 'Inactive';
  status: 'Active' | 'Inactive';
}
/**
 * A result was created. `run_branch` and `run_commit` are those of its run at that moment; the result's own metadata takes precedence. `retry_of` is the result that this one supersedes.
 */
export interface ResultCreated {
  result_id: string;
  project_id: string;
  run_id: string | null;
  test_name: string;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  started_at: string | null;
  metadata: Metadata | null;
  /**
   * Present where the contents of the event are gone: why. The error message is then null, and the metadata have the keys of the verdict only
   */
  contents?: 'expired' | 'redacted' | 'deleted';
  attempt: number;
  retry_of: string | null;
  run_branch: string | null;
  run_commit: string | null;
}
/**
 * A result was deleted. The results that it had superseded count again: `retry_of`, or, when it was submitted, the items of its submission with the ordinals in `supersedes`. So do the results in `replaces` that no other result replaces.
 */
export interface ResultDeleted {
  result_id: string;
  project_id: string;
  run_id: string | null;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  retry_of: string | null;
  supersedes?: number[];
  replaces?: string[];
}
/**
 * A result was finished. `execution_time_ms` is null when the result was never started or the span does not fit.
 */
export interface ResultFinished {
  result_id: string;
  project_id: string;
  run_id: string | null;
  test_name: string;
  previous_status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  finished_at: string;
  execution_time_ms: number | null;
  error_message?: string | null;
  metadata?: Metadata | null;
  /**
   * Present where the contents of the event are gone: why. The error message is then null, and the metadata have the keys of the verdict only
   */
  contents?: 'expired' | 'redacted' | 'deleted';
}
/**
 * What a result says beyond its verdict was redacted, with its artifacts: `fields` names what it had. Earlier events of the result show `contents: redacted` from then on.
 */
export interface ResultRedacted {
  result_id: string;
  project_id: string;
  run_id: string | null;
  reason: string;
  fields: ('error_message' | 'metadata' | 'artifacts')[];
}
/**
 * The right to retry this result was given to `retry_id`. The result is superseded once that retry is recorded.
 */
export interface ResultRetryClaimed {
  result_id: string;
  project_id: string;
  run_id: string | null;
  retry_id: string;
}
/**
 * A result was started. The fields that an earlier finish had set are cleared.
 */
export interface ResultStarted {
  result_id: string;
  project_id: string;
  run_id: string | null;
  previous_status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  started_at: string;
}
/**
 * A result was submitted, as the item with this ordinal of a submission. `superseded_by` is the first item of the submission with the same name and the next higher attempt. `supersedes` holds the ordinals of the items that this item supersedes. `replaces` holds the results of the same name in lower attempts of the shard, and `replaced_by` those in higher attempts that replace this one: a replaced result does not count, as long as one that replaces it exists. `metadata` may hold a long error message besides what a client may send.
 */
export interface ResultSubmitted {
  result_id: string;
  project_id: string;
  run_id: string;
  test_name: string;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  error_message: string | null;
  metadata: ItemMetadata | null;
  /**
   * Present where the contents of the event are gone: why. The error message is then null, and the metadata have the keys of the verdict only
   */
  contents?: 'expired' | 'redacted' | 'deleted';
  started_at: string | null;
  finished_at: string | null;
  execution_time_ms: number | null;
  attempt: number;
  superseded_by: string | null;
  supersedes: number[];
  run_branch: string | null;
  run_commit: string | null;
  replaces?: string[];
  replaced_by?: string[];
}
/**
 * Metadata of a submitted result: what was sent, and its long error message
 */
export interface ItemMetadata {
  [k: string]: unknown;
}
/**
 * Fields of a result were set. The event has only the fields that changed, besides its ids, statuses and `test_name`.
 */
export interface ResultUpdated {
  result_id: string;
  project_id: string;
  run_id: string | null;
  test_name: string;
  previous_status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  error_message?: string | null;
  metadata?: Metadata | null;
  /**
   * Present where the contents of the event are gone: why. The error message is then null, and the metadata have the keys of the verdict only
   */
  contents?: 'expired' | 'redacted' | 'deleted';
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
 * A run was completed, for the `completion`-th time. Its counts at this point of the log are its snapshot. `shards`: all shards of the run are there.
 */
export interface RunCompleted {
  run_id: string;
  project_id: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  finished_at: string;
  completion: number;
  reason: 'requested' | 'idle' | 'shards';
}
/**
 * A run was created. It is pending. `run_key` is the key that joins calls to it. `items` is the number of results that were submitted with a run without a key, and `item_counts` is their number by status. `with_items`: the same append goes on with `ItemsSubmitted`. `report`: the report of the submission was cut, or counts failures that are no results.
 */
export interface RunCreated {
  run_id: string;
  project_id: string;
  run_key: string | null;
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
  with_items?: true;
  report?: Report;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * The label or metadata of a run changed, or a person said whether it is fit as a baseline, or pinned it. The event has only the fields that changed; `baseline` is null where the rules decide again.
 */
export interface RunDescribed {
  run_id: string;
  project_id: string;
  label?: string | null;
  metadata?: Metadata | null;
  baseline?: ('fit' | 'unfit') | null;
  pinned?: boolean;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * A run was completed though shards are missing. `missing`: the indexes of those that did not come.
 */
export interface RunFoundIncomplete {
  run_id: string;
  project_id: string;
  total: number;
  missing: number[];
}
/**
 * A run was deleted for good, with all that is in it. Every event of it shows `contents: deleted` from then on, and no texts.
 */
export interface RunPurged {
  run_id: string;
  project_id: string;
}
/**
 * A run was redacted, with its results and their artifacts: `fields` names what it had. Earlier events show it redacted from then on. A later event says what came since.
 */
export interface RunRedacted {
  run_id: string;
  project_id: string;
  reason: string;
  fields: ('label' | 'metadata' | 'results' | 'artifacts')[];
}
/**
 * A run is pending again. Its instants stay.
 */
export interface RunReturnedToPending {
  run_id: string;
  project_id: string;
}
/**
 * A run is running, since `started_at`.
 */
export interface RunStarted {
  run_id: string;
  project_id: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  started_at: string;
}
/**
 * A team was created.
 */
export interface TeamCreated {
  team_id: string;
  name: string;
}
/**
 * The settings of a team changed, which hold for its projects that have set none. `gate` has all that the team has set.
 */
export interface TeamSettingsChanged {
  gate: GateChange;
}
/**
 * A test failed in each of its last 20 runs. `result_id` is the failure in the last of them.
 */
export interface TestBecameBroken {
  test_id: string;
  project_id: string;
  test_name: string;
  run_id: string | null;
  result_id: string;
  /**
   * The environment of the line of the test; absent or null: none
   */
  environment?: {
    [k: string]: string;
  } | null;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * A stable test became flaky. `evidence` holds the results that show it, by `rule`: it failed and passed at one commit, or failed and then passed in a later attempt of the same run.
 */
export interface TestBecameFlaky {
  test_id: string;
  project_id: string;
  test_name: string;
  run_id: string | null;
  result_id: string;
  /**
   * The environment of the line of the test; absent or null: none
   */
  environment?: {
    [k: string]: string;
  } | null;
  rule: 'same_commit' | 'later_attempt';
  evidence: string[];
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * A test passed after its last outcome on that branch was a failure. `result_id` is the result that passed, and `failure` is the failed result before it.
 */
export interface TestRecovered {
  test_id: string;
  project_id: string;
  test_name: string;
  run_id: string | null;
  result_id: string;
  /**
   * The environment of the line of the test; absent or null: none
   */
  environment?: {
    [k: string]: string;
  } | null;
  branch: string | null;
  failure: string;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * A flaky test is stable again: it had enough outcomes in a row without new evidence.
 */
export interface TestStabilised {
  test_id: string;
  project_id: string;
  test_name: string;
  run_id: string | null;
  result_id: string;
  /**
   * The environment of the line of the test; absent or null: none
   */
  environment?: {
    [k: string]: string;
  } | null;
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * A text was redacted wherever it was found. The event does not say which. `fields` names where it was, `places` how many there were.
 */
export interface TextRedacted {
  redaction_id: string;
  project_id: string | null;
  reason: string;
  places: number;
  fields: string[];
}
/**
 * The project trusts the tokens of an issuer that have these claims: their builds may have a key.
 */
export interface TrustCreated {
  project_id: string;
  trust_id: string;
  issuer: string;
  audience: string;
  claims: {
    [k: string]: string;
  };
  /**
   * Present where the run or project was deleted for good: the texts of the event are gone
   */
  contents?: 'deleted';
}
/**
 * A trust was removed. The keys that builds got by it have ended.
 */
export interface TrustRemoved {
  project_id: string;
  trust_id: string;
}
/**
 * The URL, the events or the projects of a webhook changed. The event has only the fields that changed; the URL as in `WebhookCreated`.
 */
export interface WebhookChanged {
  webhook_id: string;
  /**
   * Scheme and host of the URL
   */
  origin?: string;
  sealed?: string;
  events?: (
    | 'test.failed'
    | 'test.recovered'
    | 'test.flaky'
    | 'test.broken'
    | 'test.stabilised'
    | 'known_failure.set'
    | 'known_failure.ended'
    | 'group.new'
    | 'group.gone'
    | 'group.back'
    | 'run.completed'
    | 'run.incomplete'
    | 'main.red'
    | 'main.green'
    | 'digest.daily'
    | '*'
  )[];
  project_ids?: string[] | null;
  /**
   * Which of these messages it gets; null for all
   */
  filter?: {
    branches: string[] | null;
    environments: string[] | null;
    owners: string[] | null;
    known: boolean;
    only_new: boolean;
  } | null;
  per?: 'test' | 'group' | 'run';
  format?: 'standard' | 'slack' | 'teams';
}
/**
 * A webhook was registered. It is enabled. Its secret is not in the log. The log also holds its URL, encrypted, as `sealed`; it is never shown, and it cannot be read any more once the webhook is deleted.
 */
export interface WebhookCreated {
  webhook_id: string;
  /**
   * Scheme and host of the URL
   */
  origin: string;
  sealed: string;
  events: (
    | 'test.failed'
    | 'test.recovered'
    | 'test.flaky'
    | 'test.broken'
    | 'test.stabilised'
    | 'known_failure.set'
    | 'known_failure.ended'
    | 'group.new'
    | 'group.gone'
    | 'group.back'
    | 'run.completed'
    | 'run.incomplete'
    | 'main.red'
    | 'main.green'
    | 'digest.daily'
    | '*'
  )[];
  /**
   * The projects whose messages it gets; null for all of the team
   */
  project_ids: string[] | null;
  /**
   * Which of these messages it gets; absent for all
   */
  filter?: {
    branches: string[] | null;
    environments: string[] | null;
    owners: string[] | null;
    known: boolean;
    only_new: boolean;
  };
  /**
   * Absent where it is test
   */
  per?: 'test' | 'group' | 'run';
  /**
   * Absent where it is standard
   */
  format?: 'standard' | 'slack' | 'teams';
}
/**
 * A webhook was deleted.
 */
export interface WebhookDeleted {
  webhook_id: string;
}
/**
 * A webhook was disabled, and its pending deliveries are cancelled. `requested`: by a request; `gone`: its endpoint answered 410; `failing`: its endpoint failed for days without a success.
 */
export interface WebhookDisabled {
  webhook_id: string;
  reason: 'requested' | 'gone' | 'failing';
}
/**
 * A webhook was enabled again. It gets the events from here on.
 */
export interface WebhookEnabled {
  webhook_id: string;
}
/**
 * A ping of a webhook was requested.
 */
export interface WebhookPinged {
  webhook_id: string;
}
/**
 * A webhook that is about to be created took one of the places of its team. `released` lists the webhooks that no longer take one, because they are deleted or were never created.
 */
export interface WebhookReserved {
  webhook_id: string;
  released: string[];
}
/**
 * A webhook signs with a new secret. The former secret signs too, until `previous_until`.
 */
export interface WebhookSecretRotated {
  webhook_id: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  previous_until: string;
}
export interface PastEventData {}
/** The current version of every event type. */
export const eventVersions = {
  ActCounted: 1,
  ActRecorded: 1,
  ArtifactAssigned: 1,
  ArtifactConfirmed: 1,
  ArtifactCreated: 1,
  ArtifactDeleted: 1,
  CauseCameBack: 1,
  CauseChanged: 1,
  CauseFixed: 1,
  DayClosed: 1,
  GroupAppeared: 1,
  GroupReturned: 1,
  GroupWentAway: 1,
  ItemsReceived: 1,
  ItemsSubmitted: 1,
  KeyCreated: 1,
  KeyRevoked: 1,
  KeyTakenOver: 1,
  KnownFailureEnded: 1,
  KnownFailureSet: 1,
  MainTurnedGreen: 1,
  MainTurnedRed: 1,
  MemberAdded: 1,
  MemberRemoved: 1,
  MemberRoleChanged: 1,
  ProjectCreated: 1,
  ProjectDescribed: 1,
  ProjectPurged: 1,
  ProjectStatusChanged: 1,
  ResultCreated: 1,
  ResultDeleted: 1,
  ResultFinished: 1,
  ResultRedacted: 1,
  ResultRetryClaimed: 1,
  ResultStarted: 1,
  ResultSubmitted: 1,
  ResultUpdated: 1,
  ResultVoided: 1,
  RunCompleted: 1,
  RunCreated: 1,
  RunDescribed: 1,
  RunFoundIncomplete: 1,
  RunPurged: 1,
  RunRedacted: 1,
  RunReturnedToPending: 1,
  RunStarted: 1,
  TeamCreated: 1,
  TeamSettingsChanged: 1,
  TestBecameBroken: 1,
  TestBecameFlaky: 1,
  TestRecovered: 1,
  TestStabilised: 1,
  TextRedacted: 1,
  TrustCreated: 1,
  TrustRemoved: 1,
  WebhookChanged: 1,
  WebhookCreated: 1,
  WebhookDeleted: 1,
  WebhookDisabled: 1,
  WebhookEnabled: 1,
  WebhookPinged: 1,
  WebhookReserved: 1,
  WebhookSecretRotated: 1
};
