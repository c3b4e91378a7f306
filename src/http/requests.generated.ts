/* Made from schemas/requests/ by `npm run generate`. Do not edit. */
import type {
  BatchArtifact,
  ChangeFailureGroup,
  ChangeProject,
  ChangeTeam,
  ChangeTestRun,
  ChangeWebhook,
  ConfirmArtifacts,
  CreateArtifact,
  CreateArtifacts,
  CreateBadge,
  CreateKey,
  CreateLink,
  CreateProject,
  CreateResult,
  CreateRun,
  CreateTeam,
  CreateTrust,
  CreateWebhook,
  ExchangeToken,
  FinishResult,
  McpMessage,
  RecoverWebhook,
  Redact,
  RedactText,
  SetKnownFailure,
  SubmitItem,
  SubmitRun,
  UpdateResult,
  UpdateRun
} from '../client/api.generated.js';

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
 * GET /project/
 */
export interface ListProjectsQuery {
  page_size?: number;
  page_token?: string;
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
