/* Made from schemas/requests/ by `npm run generate`. Do not edit. */

export interface Requests {
  ArtifactQuery: ArtifactQuery;
  ArtifactsQuery: ArtifactsQuery;
  AsOfQuery: AsOfQuery;
  AuditQuery: AuditQuery;
  BatchArtifact: BatchArtifact;
  ChangeFailureGroup: ChangeFailureGroup;
  ChangeProject: ChangeProject;
  ChangeTeam: ChangeTeam;
  ChangeTestRun: ChangeTestRun;
  ChangeWebhook: ChangeWebhook;
  ComparedResultsQuery: ComparedResultsQuery;
  ComparisonQuery: ComparisonQuery;
  ConfirmArtifacts: ConfirmArtifacts;
  CreateArtifact: CreateArtifact;
  CreateArtifacts: CreateArtifacts;
  CreateBadge: CreateBadge;
  CreateKey: CreateKey;
  CreateLink: CreateLink;
  CreateProject: CreateProject;
  CreateResult: CreateResult;
  CreateRun: CreateRun;
  CreateTeam: CreateTeam;
  CreateTrust: CreateTrust;
  CreateWebhook: CreateWebhook;
  DeliveriesQuery: DeliveriesQuery;
  EventsQuery: EventsQuery;
  ExchangeToken: ExchangeToken;
  ExportQuery: ExportQuery;
  FailureResultsQuery: FailureResultsQuery;
  FailuresQuery: FailuresQuery;
  FinishResult: FinishResult;
  ListProjectsQuery: ListProjectsQuery;
  McpMessage: McpMessage;
  Nothing: Nothing;
  PageQuery: PageQuery;
  ProjectsQuery: ProjectsQuery;
  PurgeQuery: PurgeQuery;
  RecoverWebhook: RecoverWebhook;
  Redact: Redact;
  RedactText: RedactText;
  ResultQuery: ResultQuery;
  ResultsQuery: ResultsQuery;
  RetentionQuery: RetentionQuery;
  RunFailuresQuery: RunFailuresQuery;
  RunQuery: RunQuery;
  RunResultsQuery: RunResultsQuery;
  RunsQuery: RunsQuery;
  SearchQuery: SearchQuery;
  SetKnownFailure: SetKnownFailure;
  StatisticsQuery: StatisticsQuery;
  SubmitItem: SubmitItem;
  SubmitRun: SubmitRun;
  TestHistoryQuery: TestHistoryQuery;
  TestOutcomesQuery: TestOutcomesQuery;
  TestQuery: TestQuery;
  TestRunsQuery: TestRunsQuery;
  TestsQuery: TestsQuery;
  TodayQuery: TodayQuery;
  UpdateResult: UpdateResult;
  UpdateRun: UpdateRun;
}
/**
 * DELETE /artifact/
 */
export interface ArtifactQuery {
  artifact_id?: string;
}
/**
 * GET /artifact/
 */
export interface ArtifactsQuery {
  test_result_id: string;
}
/**
 * GET /v1/test-runs/:id and GET /v1/test-results/:id
 */
export interface AsOfQuery {
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
}
/**
 * GET /v1/audit; `actor` is the id of a person or a key; `type` is a type of entries; `since` selects entries of that instant and later ones
 */
export interface AuditQuery {
  actor?: string;
  type?: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  since?: string;
  page?: number;
  per_page?: number;
}
/**
 * An artifact of POST /artifact/batch
 */
export interface BatchArtifact {
  test_result_id: string;
  label: string;
  kind: 'Log' | 'Image' | 'Video' | 'Other';
  /**
   * type/subtype, with optional parameters
   */
  content_type: string;
  size_bytes: number;
  test_step?: string | null;
  metadata?: Metadata | null;
  /**
   * The file in base64 (RFC 4648, section 4), of up to 64 KiB: it is stored, and the artifact confirmed, in this call
   */
  content?: string | null;
}
/**
 * Any JSON object of up to 65,536 bytes, 32 levels and 5,000 values
 */
export interface Metadata {
  [k: string]: unknown;
}
/**
 * PATCH /v1/projects/:id/failures/:group
 */
export interface ChangeFailureGroup {
  owner?: string | null;
  note?: string | null;
  ticket?: string | null;
  state?: 'open' | 'fixed';
}
/**
 * PATCH /v1/projects/:id
 */
export interface ChangeProject {
  name?: string;
  description?: string | null;
  status?: 'active' | 'inactive';
  default_branch?: string;
  repo_url?: string | null;
  /**
   * Null takes back all settings of the project, so that those of the team hold
   */
  gate?: GateChange | null;
  retention?: RetentionChange;
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
 * PATCH /v1/team
 */
export interface ChangeTeam {
  /**
   * Null takes back all settings of the team
   */
  gate?: GateChange | null;
}
/**
 * PATCH /v1/test-runs/:id
 */
export interface ChangeTestRun {
  /**
   * What a person says of the run as a baseline: `fit` accepts it, `unfit` sets it aside, null leaves it to the rules
   */
  baseline?: ('fit' | 'unfit') | null;
  /**
   * All of a pinned run is kept, whatever the retention of its project says
   */
  pinned?: boolean;
}
/**
 * PATCH /v1/webhooks/:id
 */
export interface ChangeWebhook {
  /**
   * An http or https URL without user, password and fragment
   */
  url?: string;
  /**
   * @minItems 1
   */
  events?: [
    (
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
    ),
    ...(
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
    )[]
  ];
  enabled?: boolean;
  /**
   * The projects whose messages the webhook gets; null for all of the team
   */
  project_ids?: [string, ...string[]] | null;
  /**
   * Which of its messages the webhook gets; null for all. Without a field, or with null, a list chooses all.
   */
  filter?: {
    /**
     * The projects whose messages the webhook gets; null for all of the team
     */
    project_ids?: [string, ...string[]] | null;
    /**
     * Branches. `*` stands for any text without a slash, `**` for any text.
     */
    branches?: [string, ...string[]] | null;
    /**
     * Keys of environments, such as `browser=firefox,os=linux`, with the same wildcards
     */
    environments?: [string, ...string[]] | null;
    /**
     * Owners of tests, as their results name them
     */
    owners?: [string, ...string[]] | null;
    /**
     * Known failures too; without it they are left out
     */
    known?: boolean;
    /**
     * Only failures of tests that did not fail before, and of groups that the baseline of the run does not have
     */
    only_new?: boolean;
  } | null;
  /**
   * What it gets a message of, for failures: each test, each group of failures of a run, or each run
   */
  per?: 'test' | 'group' | 'run';
  /**
   * The form of its messages: as described here, or as an endpoint of Slack or Microsoft Teams takes them
   */
  format?: 'standard' | 'slack' | 'teams';
}
/**
 * GET /v1/test-runs/:id/comparison/:kind
 */
export interface ComparedResultsQuery {
  baseline?: string;
  page?: number;
  per_page?: number;
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
}
/**
 * GET /v1/test-runs/:id/comparison
 */
export interface ComparisonQuery {
  baseline?: string;
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
}
/**
 * POST /artifact/batch/confirm
 */
export interface ConfirmArtifacts {
  /**
   * @minItems 1
   * @maxItems 100
   */
  artifact_ids: [string, ...string[]];
}
/**
 * POST /artifact/
 */
export interface CreateArtifact {
  test_result_id: string;
  label: string;
  kind: 'Log' | 'Image' | 'Video' | 'Other';
  /**
   * type/subtype, with optional parameters
   */
  content_type: string;
  size_bytes: number;
  test_step?: string | null;
  metadata?: Metadata | null;
}
/**
 * POST /artifact/batch
 */
export interface CreateArtifacts {
  /**
   * @minItems 1
   * @maxItems 100
   */
  artifacts: [BatchArtifact, ...BatchArtifact[]];
}
/**
 * POST /v1/projects/:id/badges
 */
export interface CreateBadge {
  branch: string;
}
/**
 * POST /v1/keys
 */
export interface CreateKey {
  name: string;
  role: 'reporter' | 'viewer' | 'member' | 'admin' | 'owner';
  /**
   * When the key ends; null for one that does not end by itself
   */
  expires_at?: string | null;
  /**
   * The projects that the key sees and writes; null for all of the team
   */
  project_ids?: [string, ...string[]] | null;
}
/**
 * POST /v1/test-runs/:id/links
 */
export interface CreateLink {
  /**
   * When the link ends, at most 30 days ahead; in 7 days where it is null or left out
   */
  expires_at?: string | null;
}
/**
 * POST /v1/projects
 */
export interface CreateProject {
  name: string;
  description?: string | null;
  default_branch?: string | null;
}
/**
 * POST /result/
 */
export interface CreateResult {
  project_id: string;
  test_name: string;
  status: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  test_run_id?: string | null;
  started_at?: string | null;
  metadata?: Metadata | null;
  attempt?: number;
  retry_of?: string;
}
/**
 * POST /run/
 */
export interface CreateRun {
  project_id: string;
  run_key?: string | null;
  label?: string | null;
  metadata?: Metadata | null;
}
/**
 * POST /v1/teams
 */
export interface CreateTeam {
  name: string;
}
/**
 * POST /v1/projects/:id/trusts
 */
export interface CreateTrust {
  /**
   * The https URL of the issuer, as its tokens name it
   */
  issuer: string;
  /**
   * For whom the token must be made
   */
  audience: string;
  /**
   * A pattern for each claim that the token must have: `*` stands for any text without a slash, `**` for any text
   */
  claims: {
    [k: string]: string;
  };
}
/**
 * POST /v1/webhooks
 */
export interface CreateWebhook {
  /**
   * An http or https URL without user, password and fragment
   */
  url: string;
  /**
   * @minItems 1
   */
  events: [
    (
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
    ),
    ...(
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
    )[]
  ];
  /**
   * The projects whose messages the webhook gets; null for all of the team
   */
  project_ids?: [string, ...string[]] | null;
  /**
   * Which of its messages the webhook gets; null for all. Without a field, or with null, a list chooses all.
   */
  filter?: {
    /**
     * The projects whose messages the webhook gets; null for all of the team
     */
    project_ids?: [string, ...string[]] | null;
    /**
     * Branches. `*` stands for any text without a slash, `**` for any text.
     */
    branches?: [string, ...string[]] | null;
    /**
     * Keys of environments, such as `browser=firefox,os=linux`, with the same wildcards
     */
    environments?: [string, ...string[]] | null;
    /**
     * Owners of tests, as their results name them
     */
    owners?: [string, ...string[]] | null;
    /**
     * Known failures too; without it they are left out
     */
    known?: boolean;
    /**
     * Only failures of tests that did not fail before, and of groups that the baseline of the run does not have
     */
    only_new?: boolean;
  } | null;
  /**
   * What it gets a message of, for failures: each test, each group of failures of a run, or each run
   */
  per?: 'test' | 'group' | 'run';
  /**
   * The form of its messages: as described here, or as an endpoint of Slack or Microsoft Teams takes them
   */
  format?: 'standard' | 'slack' | 'teams';
}
/**
 * GET /v1/webhooks/:id/deliveries
 */
export interface DeliveriesQuery {
  state?: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  page?: number;
  per_page?: number;
}
/**
 * GET /v1/events; `types` holds event names with commas between them
 */
export interface EventsQuery {
  after?: string;
  limit?: number;
  types?: string;
  project_id?: string;
}
/**
 * POST /v1/ci-token
 */
export interface ExchangeToken {
  /**
   * The token that the CI service gave the build: a JWT
   */
  token: string;
  project_id: string;
  /**
   * How long the key lives, as an ISO 8601 duration: `PT15M` without it, `PT6H` at most
   */
  ttl?: string;
}
/**
 * GET /v1/exports/results and GET /v1/exports/runs; `contents=true` adds the messages and the metadata of results
 */
export interface ExportQuery {
  format?: 'csv' | 'parquet';
  after?: string;
  until?: string;
  project_id?: string;
  contents?: 'true';
}
/**
 * GET /v1/test-runs/:id/failures/:group
 */
export interface FailureResultsQuery {
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
  page?: number;
  per_page?: number;
}
/**
 * GET /v1/projects/:id/failures; `q` is words of the title, in any order
 */
export interface FailuresQuery {
  branch?: string;
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  since?: string;
  state?: 'open' | 'known' | 'fixed' | 'came_back';
  owner?: string;
  q?: string;
  sort?: 'runs' | 'last_seen';
  order?: 'asc' | 'desc';
  page?: number;
  per_page?: number;
}
/**
 * POST /result/{test_result_id}/finish
 */
export interface FinishResult {
  status?: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  error_message?: string | null;
  metadata?: Metadata | null;
}
/**
 * GET /project/
 */
export interface ListProjectsQuery {
  page_size?: number;
  page_token?: string;
}
/**
 * POST /mcp; one message of JSON-RPC 2.0, as the Model Context Protocol has them
 */
export interface McpMessage {
  jsonrpc: '2.0';
  id?: string | number | null;
  method?: string;
  params?: {
    [k: string]: unknown;
  };
  result?: {
    [k: string]: unknown;
  };
  error?: {
    [k: string]: unknown;
  };
}
/**
 * A request that takes no fields
 */
export interface Nothing {}
/**
 * the lists of Surface B
 */
export interface PageQuery {
  page?: number;
  per_page?: number;
}
/**
 * GET /v1/projects
 */
export interface ProjectsQuery {
  status?: 'active' | 'inactive';
  q?: string;
  page?: number;
  per_page?: number;
}
/**
 * DELETE of a run or a project for good
 */
export interface PurgeQuery {
  /**
   * What is deleted, named once more: the id of the run, or the name of the project
   */
  confirm?: string;
}
/**
 * POST /v1/webhooks/:id/recover
 */
export interface RecoverWebhook {
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  since: string;
}
/**
 * POST /v1/test-results/:id/redact, POST /v1/test-runs/:id/redact
 */
export interface Redact {
  /**
   * Why, for the history. It is kept, so it must not repeat what is redacted
   */
  reason: string;
}
/**
 * POST /v1/redactions
 */
export interface RedactText {
  /**
   * The text to find, exactly. It is not kept
   */
  text: string;
  /**
   * Why, for the history. It is kept, so it must not repeat the text
   */
  reason: string;
  /**
   * Only in this project
   */
  project_id?: string | null;
  /**
   * Shows the places, and changes nothing
   */
  dry_run?: boolean;
}
/**
 * POST and DELETE /result/
 */
export interface ResultQuery {
  test_result_id?: string;
}
/**
 * GET /result/
 */
export interface ResultsQuery {
  test_run_id?: string;
  status?: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  page_size?: number;
  page_token?: string;
}
/**
 * GET /v1/projects/:id/retention: a policy to try, with `forever` for no end. What is left out is as the project has it
 */
export interface RetentionQuery {
  /**
   * Of results that did not pass: an ISO 8601 duration, or `forever`
   */
  contents?: string;
  /**
   * Of results that passed: an ISO 8601 duration, or `forever`
   */
  passed_contents?: string;
  /**
   * Of artifacts: an ISO 8601 duration, or `forever`
   */
  artifacts?: string;
  /**
   * Of the place of runs in lists: an ISO 8601 duration, or `forever`
   */
  runs?: string;
}
/**
 * GET /v1/test-runs/:id/failures; `baseline` is another run of the project, `details=true` adds outcomes and first results
 */
export interface RunFailuresQuery {
  baseline?: string;
  details?: 'true';
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  page?: number;
  per_page?: number;
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
}
/**
 * POST /run/
 */
export interface RunQuery {
  test_run_id?: string;
}
/**
 * GET /v1/test-runs/:id/results; `q` is a part of the name of the test; `sort` orders those that count by status, with the failed ones first, or by their duration
 */
export interface RunResultsQuery {
  status?: 'passed' | 'failed' | 'skipped' | 'known_fail';
  q?: string;
  tag?: string;
  not_tag?: string;
  owner?: string;
  sort?: 'status' | 'duration';
  order?: 'asc' | 'desc';
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  around?: string;
  page?: number;
  per_page?: number;
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
}
/**
 * GET /run/
 */
export interface RunsQuery {
  project_id?: string;
  status?: 'Pending' | 'Running' | 'Completed';
  page_size?: number;
  page_token?: string;
}
/**
 * GET /v1/search; `q` is one or more words
 */
export interface SearchQuery {
  q: string;
}
/**
 * PUT /v1/projects/:id/tests/:test/known-failure
 */
export interface SetKnownFailure {
  reason: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  expires_at: string;
  /**
   * The environment in which the failures are known; null or left out: in all
   */
  environment?: {
    [k: string]: unknown;
  } | null;
  environment_key?: string | null;
  branch?: string | null;
}
/**
 * GET /v1/projects/:id/stats and GET /v1/stats; `from` and `to` are days, both included; `branch_class` takes the runs of the default branch, or those of all others
 */
export interface StatisticsQuery {
  /**
   * A day of UTC, like 2026-11-21
   */
  from?: string;
  /**
   * A day of UTC, like 2026-11-21
   */
  to?: string;
  branch?: string;
  branch_class?: 'default' | 'others';
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  tool?: string;
  by?: 'day' | 'week';
}
/**
 * One result of POST /v1/test-runs
 */
export interface SubmitItem {
  name: string;
  status: 'passed' | 'failed' | 'skipped' | 'known_fail' | 'pending' | 'running';
  duration_ms?: number | null;
  error_message?: string | null;
  metadata?: Metadata | null;
  started_at?: string | null;
  attempt?: number;
}
/**
 * POST /v1/test-runs
 */
export interface SubmitRun {
  project_id: string;
  run_key?: string | null;
  shard?: {
    index: number;
    total: number;
    attempt?: number;
  } | null;
  complete?: boolean;
  /**
   * Names the call in its run, for ever. The same results under the same name add nothing again
   */
  submission_key?: string | null;
  label?: string | null;
  metadata?: Metadata | null;
  started_at?: string | null;
  finished_at?: string | null;
  report?: {
    /**
     * The report is not whole: it was cut, a part of it could not be read, or its test command broke off
     */
    partial?: boolean;
    /**
     * The failures that the report counts and that are no results
     */
    failures_unread?: number;
  } | null;
  /**
   * @maxItems 50000
   */
  results?: SubmitItem[];
}
/**
 * GET /v1/projects/:id/tests/:test/history
 */
export interface TestHistoryQuery {
  branch?: string;
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  page?: number;
  per_page?: number;
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
}
/**
 * GET /v1/projects/:id/tests/:test/outcomes
 */
export interface TestOutcomesQuery {
  branch?: string;
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  around?: string;
  page?: number;
  per_page?: number;
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
}
/**
 * GET /v1/projects/:id/tests/:test
 */
export interface TestQuery {
  branch?: string;
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  /**
   * An RFC 3339 instant or a position: the answer as it was then
   */
  as_of?: string;
}
/**
 * GET /v1/test-runs; `passed`, `failed` and `skipped` select by outcome; `q` is words of what says what the run is, in any order, ignoring case; `since` selects runs that ran at that instant or later
 */
export interface TestRunsQuery {
  project_id: string;
  status?: 'passed' | 'failed' | 'skipped' | 'pending' | 'running' | 'completed';
  branch?: string;
  commit?: string;
  pull_request?: string;
  build?: string;
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  tool?: string;
  actor?: string;
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  since?: string;
  order?: 'asc' | 'desc';
  page?: number;
  per_page?: number;
  run_key?: string;
  q?: string;
}
/**
 * GET /v1/projects/:id/tests; `q` is a part of the name; `known_failure=true` means the tests with a known failure in force; `trouble` selects tests that are flaky or broken, or whose newest result failed; `not_run_since` selects tests whose newest result ran earlier; `sort` orders tests by what is counted of them from `from` to `to`, or by `name`
 */
export interface TestsQuery {
  branch?: string;
  /**
   * The pairs of an environment as `name=value`, joined by commas; empty for none
   */
  environment?: string;
  owner?: string;
  q?: string;
  tag?: string;
  not_tag?: string;
  known_failure?: 'true';
  trouble?: 'any' | 'flaky' | 'broken' | 'failing';
  /**
   * An RFC 3339 instant, normalised to UTC milliseconds
   */
  not_run_since?: string;
  sort?: 'name' | 'duration' | 'failure_rate' | 'flaky' | 'lost' | 'last_result_at';
  order?: 'asc' | 'desc';
  branch_class?: 'default' | 'others';
  /**
   * A day of UTC, like 2026-11-21
   */
  from?: string;
  /**
   * A day of UTC, like 2026-11-21
   */
  to?: string;
  details?: 'true';
  page?: number;
  per_page?: number;
}
/**
 * GET /v1/today; `days` back from now, `who` is up to 20 names of owners or authors, separated by commas
 */
export interface TodayQuery {
  days?: number;
  who?: string;
}
/**
 * POST /result/{test_result_id}
 */
export interface UpdateResult {
  status?: 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
  error_message?: string | null;
  metadata?: Metadata | null;
  started_at?: string | null;
  finished_at?: string | null;
  execution_time_ms?: number | null;
}
/**
 * POST /run/{test_run_id}
 */
export interface UpdateRun {
  label?: string | null;
  status?: 'Pending' | 'Running' | 'Completed';
  metadata?: Metadata | null;
}
