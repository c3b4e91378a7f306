/* Made from docs/openapi.json by `npm run generate`. Do not edit. */

export type Id = string;
/**
 * An RFC 3339 instant, normalised to UTC milliseconds
 */
export type Instant = string;
export type PageNumber = number;
export type PageSize = number;
export type EventCount = number;
export type Branch = string;
/**
 * The pairs of an environment as `name=value`, joined by commas; empty for none
 */
export type EnvironmentKey = string;
export type CauseOwner = string;
/**
 * A day of UTC, like 2026-11-21
 */
export type Day = string;
export type Tag = string;
/**
 * An RFC 3339 instant or a position: the answer as it was then
 */
export type AsOf = string;
export type RunKey = string;
export type PageToken = string;
export type ProjectStatus = 'Active' | 'Inactive';
export type Name = string;
export type ResultStatus = 'Pending' | 'Running' | 'Passed' | 'Failed' | 'Skipped' | 'KnownFail';
export type Attempt = number;
export type ErrorMessage = string;
export type Milliseconds = number;
export type RunStatus = 'Pending' | 'Running' | 'Completed';
export type ArtifactKind = 'Log' | 'Image' | 'Video' | 'Other';
export type ArtifactLabel = string;
export type SizeBytes = number;
/**
 * type/subtype, with optional parameters
 */
export type ContentType = string;
export type TestStep = string;
export type CauseNote = string;
export type TicketUrl = string;
export type Description = string;
/**
 * An http or https URL without user, password and fragment
 */
export type WebhookUrl = string;
export type WebhookEvent =
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
  | '*';
/**
 * The projects whose messages the webhook gets; null for all of the team
 */
export type WebhookProjects = Id[] | null;
/**
 * Which of its messages the webhook gets; null for all. Without a field, or with null, a list chooses all.
 */
export type WebhookFilter = {
  project_ids?: WebhookProjects1;
  /**
   * Branches. `*` stands for any text without a slash, `**` for any text.
   */
  branches?: string[] | null;
  /**
   * Keys of environments, such as `browser=firefox,os=linux`, with the same wildcards
   */
  environments?: string[] | null;
  /**
   * Owners of tests, as their results name them
   */
  owners?: string[] | null;
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
 * The projects whose messages the webhook gets; null for all of the team
 */
export type WebhookProjects1 = Id[] | null;
/**
 * What it gets a message of, for failures: each test, each group of failures of a run, or each run
 */
export type WebhookPer = 'test' | 'group' | 'run';
/**
 * The form of its messages: as described here, or as an endpoint of Slack or Microsoft Teams takes them
 */
export type WebhookFormat = 'standard' | 'slack' | 'teams';
export type Role = 'reporter' | 'viewer' | 'member' | 'admin' | 'owner';
/**
 * When the key ends; null for one that does not end by itself
 */
export type KeyEnd = Instant | null;
/**
 * The projects that the key sees and writes; null for all of the team
 */
export type KeyProjects = Id[] | null;
export type MessageType =
  | 'test.failed'
  | 'test.recovered'
  | 'test.flaky'
  | 'test.broken'
  | 'test.stabilised'
  | 'known_failure.set'
  | 'known_failure.ended'
  | 'group.failed'
  | 'group.new'
  | 'group.gone'
  | 'group.back'
  | 'run.completed'
  | 'run.incomplete'
  | 'main.red'
  | 'main.green'
  | 'digest.daily'
  | 'webhook.ping';
/**
 * Each reason for which the gate failed; empty if it passed
 */
export type GateReasons = (
  | 'new_failures'
  | 'failures'
  | 'flaky'
  | 'removed'
  | 'min_tests'
  | 'max_known'
  | 'empty'
  | 'incomplete'
  | 'report_failed'
)[];
/**
 * The pairs of an environment; null without one
 */
export type ShownEnvironment = {
  [k: string]: string;
} | null;
export type KnownFailureReason = string;
/**
 * An error message of a submitted item. Of a long one, the result has the first 1,024 characters in error_message, and the whole in metadata.error.message
 */
export type LongErrorMessage = string;
/**
 * Of its test; only where the name is redacted, from which it would follow
 */
export type Id1 = string;
export type ShardNumber = number;
export type WebhookBody =
  | DigestDailyMessage
  | GroupBackMessage
  | GroupFailedMessage
  | GroupGoneMessage
  | GroupNewMessage
  | KnownFailureEndedMessage
  | KnownFailureSetMessage
  | MainGreenMessage
  | MainRedMessage
  | PingMessage
  | RunCompletedMessage
  | RunIncompleteMessage
  | TestBrokenMessage
  | TestFailedMessage
  | TestFlakyMessage
  | TestRecoveredMessage
  | TestStabilisedMessage;

export interface Api {
  paths: Paths;
  components: Components;
  webhook_body: WebhookBody;
}
export interface Paths {
  '/asyncapi.json': {
    /**
     * Shows the AsyncAPI document of webhooks and the replay
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': {
              [k: string]: unknown;
            };
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/clients': {
    /**
     * Lists the clients of this version, as a page that `pip --find-links` reads
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'text/html': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/clients/{name}': {
    /**
     * The command line, the npm package or the pytest plugin of this version, or its checksum
     */
    get: {
      parameters: {
        path: {
          name: string;
        };
      };
      responses: {
        200: {
          content: {
            'text/javascript': string;
            'text/plain': string;
            'application/gzip': string;
            'application/zip': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/docs': {
    /**
     * Shows this document as a page
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'text/html': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/docs/start.js': {
    /**
     * Shows `start.js` of the page
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'text/javascript': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/docs/viewer.css': {
    /**
     * Shows `viewer.css` of the page
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'text/css': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/docs/viewer.js': {
    /**
     * Shows `viewer.js` of the page
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'text/javascript': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/livez': {
    /**
     * Shows that the process runs
     */
    get: {
      parameters: {};
      responses: {
        200: Json<Liveness>;
        default: RefusedPlainly;
      };
    };
  };
  '/mcp': {
    /**
     * Answers a message of the Model Context Protocol; docs/agents.md has its tools
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<McpMessage>;
      responses: {
        200: {
          content: {
            'application/json': {
              [k: string]: unknown;
            };
          };
        };
        202: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/metrics': {
    /**
     * Shows the metrics for Prometheus
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'text/plain': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/openapi.json': {
    /**
     * Shows this document
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'application/json': {
              [k: string]: unknown;
            };
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/problems': {
    /**
     * Lists all errors
     */
    get: {
      parameters: {};
      responses: {
        200: {
          content: {
            'text/html': string;
            'text/markdown': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/problems/{code}': {
    /**
     * Explains an error
     */
    get: {
      parameters: {
        path: {
          code: string;
        };
      };
      responses: {
        200: {
          content: {
            'text/html': string;
            'text/markdown': string;
          };
        };
        default: RefusedPlainly;
      };
    };
  };
  '/readyz': {
    /**
     * Shows whether the server can take writes
     */
    get: {
      parameters: {};
      responses: {
        200: Json<Readiness>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/audit': {
    /**
     * Lists who did what in the team, newest first
     */
    get: {
      parameters: {
        query?: {
          actor?: Id;
          type?: Id;
          since?: Instant;
          page?: PageNumber;
          per_page?: PageSize;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: AuditEntry[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/audit/forgotten': {
    /**
     * Lists what was deleted or redacted, by id and field: `testledger restore` takes it
     */
    get: {
      parameters: {
        header?: IfNoneMatch;
      };
      responses: {
        200: {
          content: {
            'application/jsonl': string;
          };
        };
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/blobs/{team}/{artifact}/{name}': {
    /**
     * Uploads the file of an artifact to its signed URL
     */
    put: {
      parameters: {
        path: {
          team: string;
          artifact: string;
          name: string;
        };
      };
      requestBody: {
        content: {
          '*/*': string;
        };
      };
      responses: {
        200: WithoutContent;
        default: RefusedPlainly;
      };
    };
    /**
     * Downloads a file from its signed URL
     */
    get: {
      parameters: {
        path: {
          team: string;
          artifact: string;
          name: string;
        };
      };
      responses: {
        200: {
          content: {
            '*/*': string;
          };
        };
        206: {
          content: {
            '*/*': string;
          };
        };
        304: WithoutContent;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/ci-token': {
    /**
     * Exchanges the token of a build for a key of one project, for a while
     */
    post: {
      parameters: {};
      requestBody: Json<ExchangeToken>;
      responses: {
        200: Json<{data: BuildKey}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/events': {
    /**
     * Replays the events of the team, as pages, as lines, or live
     */
    get: {
      parameters: {
        query?: {
          after?: string;
          limit?: EventCount;
          types?: string;
          project_id?: Id;
        };
        header?: {
          'If-None-Match'?: string;
          'Last-Event-ID'?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': EventPage;
            /**
             * Each is an `Event`
             */
            'application/x-ndjson': string;
            /**
             * Each is an `Event`
             */
            'text/event-stream': string;
          };
        };
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/events/schemas': {
    /**
     * Lists the schemas of all types of events
     */
    get: {
      parameters: {
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: EventSchema[]}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/events/schemas/{name}': {
    /**
     * Shows the JSON Schema of a type of event
     */
    get: {
      parameters: {
        path: {
          name: string;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: {
          content: {
            'application/schema+json': {
              [k: string]: unknown;
            };
          };
        };
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/exports/results': {
    /**
     * Exports results as a table, as they are at a position
     */
    get: {
      parameters: {
        query?: {
          format?: 'csv' | 'parquet';
          after?: string;
          until?: string;
          project_id?: Id;
          contents?: 'true';
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: {
          content: {
            'text/csv': string;
            'application/vnd.apache.parquet': string;
          };
        };
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/exports/runs': {
    /**
     * Exports runs as a table, as they are at a position
     */
    get: {
      parameters: {
        query?: {
          format?: 'csv' | 'parquet';
          after?: string;
          until?: string;
          project_id?: Id;
          contents?: 'true';
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: {
          content: {
            'text/csv': string;
            'application/vnd.apache.parquet': string;
          };
        };
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/keys': {
    /**
     * Creates a key
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateKey>;
      responses: {
        201: Json<{data: NewKey}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Lists the keys of the team, oldest first
     */
    get: {
      parameters: {
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Key[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/keys/self': {
    /**
     * Ends the key of the request
     */
    delete: {
      parameters: {};
      responses: {
        204: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/keys/{id}': {
    /**
     * Revokes a key
     */
    delete: {
      parameters: {
        path: PathWithId;
      };
      responses: {
        204: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/me': {
    /**
     * Shows the key of the request and its team
     */
    get: {
      parameters: {
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Me}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects': {
    /**
     * Lists the projects of the team, newest last
     */
    get: {
      parameters: {
        query?: {
          status?: 'active' | 'inactive';
          q?: Branch;
          page?: PageNumber;
          per_page?: PageSize;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Project[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Creates a project
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateProject>;
      responses: {
        201: Json<{data: Project}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}': {
    /**
     * Shows a project
     */
    get: {
      parameters: {
        path: PathWithId;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Project}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Changes the fields of a project that are sent
     */
    patch: {
      parameters: {
        path: PathWithId;
      };
      requestBody?: Json<ChangeProject>;
      responses: {
        200: Json<{data: Project}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Deletes a project for good, with all of its runs, results and artifacts
     */
    delete: {
      parameters: {
        path: PathWithId;
        query?: {
          /**
           * What is deleted, named once more: the id of the run, or the name of the project
           */
          confirm?: string;
        };
      };
      responses: {
        202: Json<{data: Purged}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/badges': {
    /**
     * Makes a badge of a branch for all who have its URL
     */
    post: {
      parameters: {
        path: PathWithId;
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateBadge>;
      responses: {
        201: Json<{data: NewBadge}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Lists the badges of a project, oldest first
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Badge[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/badges/{badge}': {
    /**
     * Removes a badge
     */
    delete: {
      parameters: {
        path: {
          id: string;
          badge: string;
        };
      };
      responses: {
        204: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/failures': {
    /**
     * Lists the groups of failures of a project, those of most runs first
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          branch?: Branch;
          environment?: EnvironmentKey;
          since?: Instant;
          state?: 'open' | 'known' | 'fixed' | 'came_back';
          owner?: CauseOwner;
          q?: Branch;
          sort?: 'runs' | 'last_seen';
          order?: 'asc' | 'desc';
          page?: PageNumber;
          per_page?: PageSize;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: ProjectFailureGroup[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/failures/{group}': {
    /**
     * Shows a group of failures, and the runs in which it was seen
     */
    get: {
      parameters: {
        path: {
          id: string;
          group: string;
        };
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<ProjectFailure>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Changes the owner, note, ticket or state of a group of failures
     */
    patch: {
      parameters: {
        path: {
          id: string;
          group: string;
        };
      };
      requestBody?: Json<ChangeFailureGroup>;
      responses: {
        200: Json<{data: ProjectFailureGroupWithOutcomes}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/failures/{group}/history': {
    /**
     * Lists what happened to a group of failures, newest first
     */
    get: {
      parameters: {
        path: {
          id: string;
          group: string;
        };
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: CauseEntry[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/failures/{group}/known-failure': {
    /**
     * Marks all tests of a group of failures as known
     */
    put: {
      parameters: {
        path: {
          id: string;
          group: string;
        };
      };
      requestBody: Json<SetKnownFailure>;
      responses: {
        200: Json<{data: ProjectFailureGroupWithOutcomes}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Ends the known failures that were set for all tests of a group of failures
     */
    delete: {
      parameters: {
        path: {
          id: string;
          group: string;
        };
      };
      responses: {
        204: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/failures/{group}/tests': {
    /**
     * Lists the tests of a group of failures, those of most results first
     */
    get: {
      parameters: {
        path: {
          id: string;
          group: string;
        };
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestOfFailureGroup[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/overview': {
    /**
     * Shows the last completed runs of a project, and how many of its tests need somebody
     */
    get: {
      parameters: {
        path: PathWithId;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: ProjectOverview}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/retention': {
    /**
     * Counts what a retention would free, and frees nothing
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
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
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: RetentionEffect}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/stats': {
    /**
     * Counts the completed runs of a project by day or week
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          from?: Day;
          to?: Day;
          branch?: Branch;
          branch_class?: 'default' | 'others';
          environment?: EnvironmentKey;
          tool?: Branch;
          by?: 'day' | 'week';
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: ProjectStatistics}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/tests': {
    /**
     * Lists the tests of a project, by name or by what they cost
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          branch?: Branch;
          environment?: EnvironmentKey;
          owner?: Branch;
          q?: Branch;
          tag?: Tag;
          not_tag?: Tag;
          known_failure?: 'true';
          trouble?: 'any' | 'flaky' | 'broken' | 'failing';
          not_run_since?: Instant;
          sort?: 'name' | 'duration' | 'failure_rate' | 'flaky' | 'lost' | 'last_result_at';
          order?: 'asc' | 'desc';
          branch_class?: 'default' | 'others';
          from?: Day;
          to?: Day;
          details?: 'true';
          page?: PageNumber;
          per_page?: PageSize;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Test[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/tests/{test}': {
    /**
     * Shows a test
     */
    get: {
      parameters: {
        path: {
          id: string;
          test: string;
        };
        query?: {
          branch?: Branch;
          environment?: EnvironmentKey;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Test}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/tests/{test}/history': {
    /**
     * Lists the results of a test, newest first
     */
    get: {
      parameters: {
        path: {
          id: string;
          test: string;
        };
        query?: {
          branch?: Branch;
          environment?: EnvironmentKey;
          page?: PageNumber;
          per_page?: PageSize;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestResult[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/tests/{test}/known-failure': {
    /**
     * Sets the known failure of a test
     */
    put: {
      parameters: {
        path: {
          id: string;
          test: string;
        };
      };
      requestBody: Json<SetKnownFailure>;
      responses: {
        200: Json<{data: Test}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Ends the known failure of a test
     */
    delete: {
      parameters: {
        path: {
          id: string;
          test: string;
        };
      };
      responses: {
        204: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/tests/{test}/outcomes': {
    /**
     * Lists the outcomes of a test without metadata, newest first
     */
    get: {
      parameters: {
        path: {
          id: string;
          test: string;
        };
        query?: {
          branch?: Branch;
          environment?: EnvironmentKey;
          around?: Id;
          page?: PageNumber;
          per_page?: PageSize;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestOutcome[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/trusts': {
    /**
     * Trusts the tokens of a CI service, so that its builds need no stored key
     */
    post: {
      parameters: {
        path: PathWithId;
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateTrust>;
      responses: {
        201: Json<{data: Trust}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Lists the trusts of a project, oldest first
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Trust[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/projects/{id}/trusts/{trust}': {
    /**
     * Removes a trust, and ends the keys that builds got by it
     */
    delete: {
      parameters: {
        path: {
          id: string;
          trust: string;
        };
      };
      responses: {
        204: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/redactions': {
    /**
     * Redacts a text wherever the team has it, in the background, or shows its places
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<RedactText>;
      responses: {
        200: Json<{data: RedactionPlaces}>;
        202: Json<{data: Redaction}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/redactions/{id}': {
    /**
     * Shows how far the redaction of a text is
     */
    get: {
      parameters: {
        path: PathWithId;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Redaction}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/search': {
    /**
     * Looks for words in the names of projects, runs, tests and causes of failures
     */
    get: {
      parameters: {
        query: {
          q: Branch;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Found}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/stats': {
    /**
     * Counts the completed runs of all projects by day or week
     */
    get: {
      parameters: {
        query?: {
          from?: Day;
          to?: Day;
          branch?: Branch;
          branch_class?: 'default' | 'others';
          environment?: EnvironmentKey;
          tool?: Branch;
          by?: 'day' | 'week';
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Statistics}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/team': {
    /**
     * Deletes all projects of the team for good. People, keys and webhooks stay
     */
    delete: {
      parameters: {
        query?: {
          /**
           * What is deleted, named once more: the id of the run, or the name of the project
           */
          confirm?: string;
        };
      };
      responses: {
        202: Json<{data: Purged}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Shows the team of the key, with its settings
     */
    get: {
      parameters: {
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Team}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Changes the settings that hold for all projects that have set none
     */
    patch: {
      parameters: {};
      requestBody?: Json<ChangeTeam>;
      responses: {
        200: Json<{data: Team}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/teams': {
    /**
     * Creates a team with its first key
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateTeam>;
      responses: {
        201: Json<{data: NewTeam}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-results/{id}': {
    /**
     * Shows a result
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestResult}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-results/{id}/history': {
    /**
     * Lists the events of a result, oldest first
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: HistoryEntry[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-results/{id}/redact': {
    /**
     * Redacts a result: its contents and its artifacts go, its verdict stays
     */
    post: {
      parameters: {
        path: PathWithId;
        header?: IdempotencyKey;
      };
      requestBody: Json<Redact>;
      responses: {
        200: Json<{data: Redacted}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs': {
    /**
     * Submits a whole run, or a part of a run with a key
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<SubmitRun>;
      responses: {
        200: Json<{data: SubmittedRun}>;
        201: Json<{data: SubmittedRun}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Lists the runs of a project, newest first
     */
    get: {
      parameters: {
        query: {
          project_id: Id;
          status?: 'passed' | 'failed' | 'skipped' | 'pending' | 'running' | 'completed';
          branch?: Branch;
          commit?: Branch;
          pull_request?: Branch;
          build?: Branch;
          environment?: EnvironmentKey;
          tool?: Branch;
          actor?: Branch;
          since?: Instant;
          order?: 'asc' | 'desc';
          page?: PageNumber;
          per_page?: PageSize;
          run_key?: RunKey;
          q?: Branch;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestRun[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}': {
    /**
     * Shows a run
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestRun}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Accepts a run as a baseline, sets it aside, or pins it
     */
    patch: {
      parameters: {
        path: PathWithId;
      };
      requestBody?: Json<ChangeTestRun>;
      responses: {
        200: Json<{data: TestRun}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Deletes a run for good, with its results, their contents and artifacts
     */
    delete: {
      parameters: {
        path: PathWithId;
        query?: {
          /**
           * What is deleted, named once more: the id of the run, or the name of the project
           */
          confirm?: string;
        };
      };
      responses: {
        202: Json<{data: Purged}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/comparison': {
    /**
     * Shows what is new in a run, compared with its baseline
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          baseline?: Id;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Comparison}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/comparison/renamed_maybe': {
    /**
     * Lists the removed tests that may have another name now
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          baseline?: Id;
          page?: PageNumber;
          per_page?: PageSize;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: RenamedTest[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/comparison/{kind}': {
    /**
     * Lists the results of one kind of a comparison
     */
    get: {
      parameters: {
        path: {
          id: string;
          kind: string;
        };
        query?: {
          baseline?: Id;
          page?: PageNumber;
          per_page?: PageSize;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestResult[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/failures': {
    /**
     * Lists the groups of failures of a run, new ones first
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          baseline?: Id;
          details?: 'true';
          environment?: EnvironmentKey;
          page?: PageNumber;
          per_page?: PageSize;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: RunFailureGroup[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/failures/{group}': {
    /**
     * Lists the results of a group of failures in a run
     */
    get: {
      parameters: {
        path: {
          id: string;
          group: string;
        };
        query?: {
          as_of?: AsOf;
          page?: PageNumber;
          per_page?: PageSize;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestResult[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/history': {
    /**
     * Lists the events of a run, oldest first
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: HistoryEntry[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/links': {
    /**
     * Makes a link that shows the run to all who have it
     */
    post: {
      parameters: {
        path: PathWithId;
        header?: IdempotencyKey;
      };
      requestBody?: Json<CreateLink>;
      responses: {
        201: Json<{data: NewLink}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Lists the links to a run that have not ended, oldest first
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Link[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/links/{link}': {
    /**
     * Revokes a link to a run
     */
    delete: {
      parameters: {
        path: {
          id: string;
          link: string;
        };
      };
      responses: {
        204: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/redact': {
    /**
     * Redacts a run: its description, its results and their artifacts
     */
    post: {
      parameters: {
        path: PathWithId;
        header?: IdempotencyKey;
      };
      requestBody: Json<Redact>;
      responses: {
        200: Json<{data: Redacted}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test-runs/{id}/results': {
    /**
     * Lists the results of a run in order of creation
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          status?: 'passed' | 'failed' | 'skipped' | 'known_fail';
          q?: Branch;
          tag?: Tag;
          not_tag?: Tag;
          owner?: Branch;
          sort?: 'status' | 'duration';
          order?: 'asc' | 'desc';
          environment?: EnvironmentKey;
          around?: Id;
          page?: PageNumber;
          per_page?: PageSize;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: TestResult[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/test/artifact/': {
    /**
     * Lists the confirmed artifacts of a result, oldest first
     */
    get: {
      parameters: {
        query: {
          test_result_id: Id;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{items: ArtifactRecord[]}>;
        304: WithoutContent;
        default: RefusedPlainly;
      };
    };
    /**
     * Creates an artifact and signs its upload URL
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateArtifact>;
      responses: {
        200: Json<CreatedArtifact>;
        default: RefusedPlainly;
      };
    };
    /**
     * Deletes an artifact
     */
    delete: {
      parameters: {
        query: {
          artifact_id: Id;
        };
      };
      responses: {
        200: Json<DeletedArtifact>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/artifact/batch': {
    /**
     * Creates artifacts, and confirms those whose file is in the call
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateArtifacts>;
      responses: {
        200: Json<{items: ArtifactOutcome[]}>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/artifact/batch/confirm': {
    /**
     * Makes uploaded artifacts visible
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<ConfirmArtifacts>;
      responses: {
        200: Json<{items: ArtifactOutcome[]}>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/artifact/{artifact_id}': {
    /**
     * Deletes an artifact
     */
    delete: {
      parameters: {
        path: {
          artifact_id: string;
        };
        query?: {
          artifact_id?: Id;
        };
      };
      responses: {
        200: Json<DeletedArtifact>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/artifact/{artifact_id}/confirm': {
    /**
     * Makes an uploaded artifact visible
     */
    post: {
      parameters: {
        path: {
          artifact_id: string;
        };
        header?: IdempotencyKey;
      };
      responses: {
        200: Json<ArtifactRecord>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/artifact/{artifact_id}/download': {
    /**
     * Signs a URL from which the file can be downloaded
     */
    get: {
      parameters: {
        path: {
          artifact_id: string;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<ArtifactDownload>;
        304: WithoutContent;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/project/': {
    /**
     * Lists the projects of the team
     */
    get: {
      parameters: {
        query?: {
          page_size?: PageSize;
          page_token?: PageToken;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: {
          content: {
            'application/json': {
              items: ProjectRecord[];
              /**
               * Null exactly when nothing follows
               */
              page_token: string | null;
            };
          };
        };
        304: WithoutContent;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/result/': {
    /**
     * Creates a result; with `test_result_id`: changes the fields of a result that are sent
     */
    post: {
      parameters: {
        query?: {
          test_result_id?: Id;
        };
        header?: IdempotencyKey;
      };
      requestBody?: {
        content: {
          'application/json': CreateResult | UpdateResult;
        };
      };
      responses: {
        200: Json<ResultRecord>;
        default: RefusedPlainly;
      };
    };
    /**
     * Lists the results of a run in order of creation; with `test_result_id`: shows a result
     */
    get: {
      parameters: {
        query?: {
          test_run_id?: Id;
          status?: ResultStatus;
          page_size?: PageSize;
          page_token?: PageToken;
          test_result_id?: Id;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: {
          content: {
            'application/json':
              | {
                  items: ResultRecord[];
                  /**
                   * Null exactly when nothing follows
                   */
                  page_token: string | null;
                }
              | ResultRecord;
          };
        };
        304: WithoutContent;
        default: RefusedPlainly;
      };
    };
    /**
     * Deletes a result with its artifacts
     */
    delete: {
      parameters: {
        query: {
          test_result_id: Id;
        };
      };
      responses: {
        200: Json<DeletedResult>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/result/{test_result_id}': {
    /**
     * Changes the fields of a result that are sent
     */
    post: {
      parameters: {
        path: {
          test_result_id: string;
        };
        query?: {
          test_result_id?: Id;
        };
        header?: IdempotencyKey;
      };
      requestBody?: Json<UpdateResult>;
      responses: {
        200: Json<ResultRecord>;
        default: RefusedPlainly;
      };
    };
    /**
     * Deletes a result with its artifacts
     */
    delete: {
      parameters: {
        path: {
          test_result_id: string;
        };
        query?: {
          test_result_id?: Id;
        };
      };
      responses: {
        200: Json<DeletedResult>;
        default: RefusedPlainly;
      };
    };
    /**
     * Shows a result
     */
    get: {
      parameters: {
        path: {
          test_result_id: string;
        };
        query?: {
          test_result_id?: Id;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<ResultRecord>;
        304: WithoutContent;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/result/{test_result_id}/finish': {
    /**
     * Finishes a result now
     */
    post: {
      parameters: {
        path: {
          test_result_id: string;
        };
        header?: IdempotencyKey;
      };
      requestBody?: Json<FinishResult>;
      responses: {
        200: Json<ResultRecord>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/result/{test_result_id}/start': {
    /**
     * Starts a result now
     */
    post: {
      parameters: {
        path: {
          test_result_id: string;
        };
        header?: IdempotencyKey;
      };
      responses: {
        200: Json<ResultRecord>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/run/': {
    /**
     * Creates a run, or finds the one with the run key; with `test_run_id`: changes the fields of a run that are sent
     */
    post: {
      parameters: {
        query?: {
          test_run_id?: Id;
        };
        header?: IdempotencyKey;
      };
      requestBody?: {
        content: {
          'application/json': CreateRun | UpdateRun;
        };
      };
      responses: {
        200: Json<RunRecord>;
        204: WithoutContent;
        default: RefusedPlainly;
      };
    };
    /**
     * Lists the runs of a project, newest first; with `test_run_id`: shows a run
     */
    get: {
      parameters: {
        query?: {
          project_id?: Id;
          status?: RunStatus;
          page_size?: PageSize;
          page_token?: PageToken;
          test_run_id?: Id;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: {
          content: {
            'application/json':
              | {
                  items: RunRecord[];
                  /**
                   * Null exactly when nothing follows
                   */
                  page_token: string | null;
                }
              | RunRecord;
          };
        };
        304: WithoutContent;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/run/{test_run_id}': {
    /**
     * Changes the fields of a run that are sent
     */
    post: {
      parameters: {
        path: {
          test_run_id: string;
        };
        query?: {
          test_run_id?: Id;
        };
        header?: IdempotencyKey;
      };
      requestBody?: Json<UpdateRun>;
      responses: {
        204: WithoutContent;
        default: RefusedPlainly;
      };
    };
    /**
     * Shows a run
     */
    get: {
      parameters: {
        path: {
          test_run_id: string;
        };
        query?: {
          test_run_id?: Id;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<RunRecord>;
        304: WithoutContent;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/test/status': {
    /**
     * Shows whether the event log and the read models answer
     */
    get: {
      parameters: {};
      responses: {
        200: Json<Status>;
        default: RefusedPlainly;
      };
    };
  };
  '/v1/tests/{test}': {
    /**
     * Shows a test of which only the id is known
     */
    get: {
      parameters: {
        path: {
          test: string;
        };
        query?: {
          branch?: Branch;
          environment?: EnvironmentKey;
          as_of?: AsOf;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Test}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/today': {
    /**
     * Shows what needs somebody now, over all projects
     */
    get: {
      parameters: {
        query?: {
          days?: number;
          who?: string;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Today}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/usage': {
    /**
     * Lists how much room each project takes, and its growth in 30 days
     */
    get: {
      parameters: {
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Usage[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/webhooks': {
    /**
     * Lists the webhooks of the team
     */
    get: {
      parameters: {
        query?: PageOfList;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Webhook[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Creates a webhook
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateWebhook>;
      responses: {
        201: Json<{data: WebhookWithSecret}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/webhooks/preview': {
    /**
     * Says what a webhook would have sent in the last seven days
     */
    post: {
      parameters: {
        header?: IdempotencyKey;
      };
      requestBody: Json<CreateWebhook>;
      responses: {
        200: Json<{data: WebhookPreview}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/webhooks/{id}': {
    /**
     * Shows a webhook
     */
    get: {
      parameters: {
        path: PathWithId;
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Webhook}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Changes the fields of a webhook that are sent
     */
    patch: {
      parameters: {
        path: PathWithId;
      };
      requestBody?: Json<ChangeWebhook>;
      responses: {
        200: Json<{data: Webhook}>;
        default: Json<ErrorAnswer>;
      };
    };
    /**
     * Deletes a webhook and cancels its deliveries
     */
    delete: {
      parameters: {
        path: PathWithId;
      };
      responses: {
        204: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/webhooks/{id}/deliveries': {
    /**
     * Lists the deliveries of a webhook, newest first
     */
    get: {
      parameters: {
        path: PathWithId;
        query?: {
          state?: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
          page?: PageNumber;
          per_page?: PageSize;
        };
        header?: IfNoneMatch;
      };
      responses: {
        200: Json<{data: Delivery[]; pagination: Pagination}>;
        304: WithoutContent;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/webhooks/{id}/deliveries/{delivery}/resend': {
    /**
     * Sends a message to a webhook again
     */
    post: {
      parameters: {
        path: {
          id: string;
          delivery: string;
        };
        header?: IdempotencyKey;
      };
      responses: {
        202: Json<{data: Delivery}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/webhooks/{id}/ping': {
    /**
     * Sends a ping to a webhook
     */
    post: {
      parameters: {
        path: PathWithId;
        header?: IdempotencyKey;
      };
      responses: {
        202: Json<{data: Ping}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/webhooks/{id}/recover': {
    /**
     * Makes the deliveries that a webhook has missed since an instant
     */
    post: {
      parameters: {
        path: PathWithId;
        header?: IdempotencyKey;
      };
      requestBody: Json<RecoverWebhook>;
      responses: {
        202: Json<{data: Recovery}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
  '/v1/webhooks/{id}/rotate-secret': {
    /**
     * Makes a new secret of a webhook
     */
    post: {
      parameters: {
        path: PathWithId;
        header?: IdempotencyKey;
      };
      responses: {
        200: Json<{data: WebhookWithSecret}>;
        default: Json<ErrorAnswer>;
      };
    };
  };
}
export interface RefusedPlainly {
  content: {
    'application/problem+json': Problem;
  };
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
export interface IdempotencyKey {
  'Idempotency-Key'?: string;
}
export interface WithoutContent {
  content?: never;
}
export interface IfNoneMatch {
  'If-None-Match'?: string;
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
 * An event of the log: a CloudEvents 1.0 object
 */
export interface Event {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject: string;
  time: Instant;
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
export interface PageOfList {
  page?: PageNumber;
  per_page?: PageSize;
}
export interface PathWithId {
  id: string;
}
/**
 * A project, as Surface A shows it
 */
export interface ProjectRecord {
  project_id: string;
  name: string;
  description: string | null;
  status: ProjectStatus;
  created_at: Instant;
}
/**
 * POST /result/
 */
export interface CreateResult {
  project_id: Id;
  test_name: Name;
  status: ResultStatus;
  test_run_id?: Id | null;
  started_at?: Instant | null;
  metadata?: Metadata | null;
  attempt?: Attempt;
  retry_of?: Id;
}
/**
 * Any JSON object of up to 65,536 bytes, 32 levels and 5,000 values
 */
export interface Metadata {
  [k: string]: unknown;
}
/**
 * POST /result/{test_result_id}
 */
export interface UpdateResult {
  status?: ResultStatus;
  error_message?: ErrorMessage | null;
  metadata?: Metadata | null;
  started_at?: Instant | null;
  finished_at?: Instant | null;
  execution_time_ms?: Milliseconds | null;
}
/**
 * A test result, as Surface A shows it
 */
export interface ResultRecord {
  test_result_id: string;
  project_id: string;
  test_run_id: string | null;
  test_name: string;
  status: ResultStatus;
  error_message: string | null;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  execution_time_ms: number | null;
  test_run_label: string | null;
  attempt: Attempt;
  superseded_by: string | null;
  created_at: Instant;
  updated_at: Instant;
}
/**
 * POST /run/
 */
export interface CreateRun {
  project_id: Id;
  run_key?: RunKey | null;
  label?: Name | null;
  metadata?: Metadata | null;
}
/**
 * POST /run/{test_run_id}
 */
export interface UpdateRun {
  label?: Name | null;
  status?: RunStatus;
  metadata?: Metadata | null;
}
/**
 * A test run, as Surface A shows it
 */
export interface RunRecord {
  test_run_id: string;
  project_id: string;
  run_key: string | null;
  label: string | null;
  status: RunStatus;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
  counts: Counts;
  count_snapshot: CountSnapshot | null;
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
  at: Instant;
}
export interface Components {
  schemas: {
    ArtifactDownload: ArtifactDownload;
    ArtifactKind: ArtifactKind;
    ArtifactLabel: ArtifactLabel;
    ArtifactOutcome: ArtifactOutcome;
    ArtifactRecord: ArtifactRecord;
    AsOf: AsOf;
    Attempt: Attempt;
    AuditEntry: AuditEntry;
    Badge: Badge;
    BatchArtifact: BatchArtifact;
    Branch: Branch;
    BuildKey: BuildKey;
    CauseEntry: CauseEntry;
    CauseNote: CauseNote;
    CauseOwner: CauseOwner;
    ChangeFailureGroup: ChangeFailureGroup;
    ChangeProject: ChangeProject;
    ChangeTeam: ChangeTeam;
    ChangeTestRun: ChangeTestRun;
    ChangeWebhook: ChangeWebhook;
    Comparison: Comparison;
    ConfirmArtifacts: ConfirmArtifacts;
    ContentType: ContentType;
    CountSnapshot: CountSnapshot;
    Counts: Counts;
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
    CreatedArtifact: CreatedArtifact;
    Day: Day;
    DeletedArtifact: DeletedArtifact;
    DeletedResult: DeletedResult;
    Delivery: Delivery;
    Description: Description;
    EnvironmentKey: EnvironmentKey;
    ErrorAnswer: ErrorAnswer;
    ErrorMessage: ErrorMessage;
    Event: Event;
    EventCount: EventCount;
    EventPage: EventPage;
    EventSchema: EventSchema;
    ExchangeToken: ExchangeToken;
    FailureGroup: FailureGroup;
    FieldError: FieldError;
    FinishResult: FinishResult;
    Found: Found;
    GateChange: GateChange;
    GateReasons: GateReasons;
    GateSettings: GateSettings;
    HistoryEntry: HistoryEntry;
    Id: Id;
    Instant: Instant;
    Key: Key;
    KeyEnd: KeyEnd;
    KeyProjects: KeyProjects;
    KnownFailure: KnownFailure;
    KnownFailureGroup: KnownFailureGroup;
    KnownFailureReason: KnownFailureReason;
    LastDelivery: LastDelivery;
    Link: Link;
    Liveness: Liveness;
    LongErrorMessage: LongErrorMessage;
    McpMessage: McpMessage;
    Me: Me;
    MessageType: MessageType;
    Metadata: Metadata;
    Milliseconds: Milliseconds;
    Moment: Moment;
    Name: Name;
    NewBadge: NewBadge;
    NewKey: NewKey;
    NewLink: NewLink;
    NewTeam: NewTeam;
    PageNumber: PageNumber;
    PageSize: PageSize;
    PageToken: PageToken;
    Pagination: Pagination;
    Ping: Ping;
    Problem: Problem;
    Project: Project;
    ProjectFailure: ProjectFailure;
    ProjectFailureGroup: ProjectFailureGroup;
    ProjectFailureGroupWithOutcomes: ProjectFailureGroupWithOutcomes;
    ProjectOverview: ProjectOverview;
    ProjectRecord: ProjectRecord;
    ProjectStatistics: ProjectStatistics;
    ProjectStatus: ProjectStatus;
    Purged: Purged;
    Readiness: Readiness;
    RecoverWebhook: RecoverWebhook;
    Recovery: Recovery;
    Redact: Redact;
    RedactText: RedactText;
    Redacted: Redacted;
    Redaction: Redaction;
    RedactionPlaces: RedactionPlaces;
    RenamedTest: RenamedTest;
    Report: Report;
    ResultRecord: ResultRecord;
    ResultStatus: ResultStatus;
    Retention: Retention;
    RetentionChange: RetentionChange;
    RetentionEffect: RetentionEffect;
    Role: Role;
    RunFailureGroup: RunFailureGroup;
    RunKey: RunKey;
    RunOfFailureGroup: RunOfFailureGroup;
    RunRecord: RunRecord;
    RunShards: RunShards;
    RunStatus: RunStatus;
    SetKnownFailure: SetKnownFailure;
    ShardNumber: ShardNumber;
    ShownEnvironment: ShownEnvironment;
    SizeBytes: SizeBytes;
    Statistics: Statistics;
    StatisticsOfProject: StatisticsOfProject;
    StatisticsRow: StatisticsRow;
    StatisticsTotals: StatisticsTotals;
    Status: Status;
    SubmitItem: SubmitItem;
    SubmitRun: SubmitRun;
    SubmittedRun: SubmittedRun;
    Tag: Tag;
    Team: Team;
    Test: Test;
    TestError: TestError;
    TestLink: TestLink;
    TestOfFailureGroup: TestOfFailureGroup;
    TestOutcome: TestOutcome;
    TestResult: TestResult;
    TestRun: TestRun;
    TestStep: TestStep;
    TicketUrl: TicketUrl;
    Today: Today;
    TodayRun: TodayRun;
    Trust: Trust;
    UpdateResult: UpdateResult;
    UpdateRun: UpdateRun;
    Usage: Usage;
    Webhook: Webhook;
    WebhookEvent: WebhookEvent;
    WebhookFilter: WebhookFilter;
    WebhookFormat: WebhookFormat;
    WebhookPer: WebhookPer;
    WebhookPreview: WebhookPreview;
    WebhookProjects: WebhookProjects;
    WebhookUrl: WebhookUrl;
    WebhookWithSecret: WebhookWithSecret;
  };
}
/**
 * A signed URL from which the file can be downloaded
 */
export interface ArtifactDownload {
  download_url: string;
  expires_at: Instant;
}
/**
 * What became of one artifact of a batch: either it, or an error
 */
export interface ArtifactOutcome {
  /**
   * With an upload URL while it waits for its file
   */
  artifact: CreatedArtifact | ArtifactRecord | null;
  error: {
    code: string;
    /**
     * The status that a call for this artifact alone would have
     */
    status: number;
    detail: string;
  } | null;
}
/**
 * An artifact that waits for its file
 */
export interface CreatedArtifact {
  artifact_id: string;
  test_result_id: string;
  project_id: string;
  label: string;
  kind: ArtifactKind;
  content_type: string;
  size_bytes: SizeBytes;
  test_step: string | null;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  /**
   * Null where it is kept for ever: its project says so, or its run is pinned
   */
  expires_at: Instant | null;
  created_at: Instant;
  upload_url: string;
  upload_method: 'PUT';
  /**
   * Headers that a client should send
   */
  upload_headers: {
    [k: string]: string;
  };
  upload_expires_at: Instant;
}
/**
 * An artifact: a file of a result
 */
export interface ArtifactRecord {
  artifact_id: string;
  test_result_id: string;
  project_id: string;
  label: string;
  kind: ArtifactKind;
  content_type: string;
  size_bytes: SizeBytes;
  test_step: string | null;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  /**
   * Null where it is kept for ever: its project says so, or its run is pinned
   */
  expires_at: Instant | null;
  created_at: Instant;
}
/**
 * Somebody did something in the team. `client` is where they did it from: a network (/24 of IPv4, /48 of IPv6) and a family of programs; null where it is not known, or was forgotten with the person
 */
export interface AuditEntry {
  id: string;
  /**
   * What was done. More types may be added
   */
  type: string;
  at: Instant;
  actor: {
    type: 'person' | 'key' | 'build' | 'operator' | 'unknown' | 'system';
    id: string | null;
    name: string | null;
  };
  client: {
    network: string;
    agent: string;
  } | null;
  subject: {
    /**
     * person, key, invitation, trust, webhook, project, team or server. More may be added
     */
    type: string;
    id: string;
    name: string | null;
  };
  /**
   * One sentence for people
   */
  text: string;
}
/**
 * A badge of a branch
 */
export interface Badge {
  id: string;
  branch: string;
  created_at: Instant;
  /**
   * The key or the person that made it
   */
  created_by: string;
}
/**
 * An artifact of POST /artifact/batch
 */
export interface BatchArtifact {
  test_result_id: Id;
  label: ArtifactLabel;
  kind: ArtifactKind;
  content_type: ContentType;
  size_bytes: SizeBytes;
  test_step?: TestStep | null;
  metadata?: Metadata | null;
  /**
   * The file in base64 (RFC 4648, section 4), of up to 64 KiB: it is stored, and the artifact confirmed, in this call
   */
  content?: string | null;
}
/**
 * The key of a build, for a while
 */
export interface BuildKey {
  key: string;
  expires_at: Instant;
  project_id: string;
}
/**
 * What happened to a group of failures
 */
export interface CauseEntry {
  type: 'opened' | 'came_back' | 'fixed' | 'said' | 'known' | 'known_ended';
  at: Instant;
  /**
   * The name of the person or key that did it; null where it follows from runs
   */
  by: string | null;
  /**
   * The run that opened it, brought it back, or ended without it
   */
  run_id: string | null;
  /**
   * One sentence for people
   */
  text: string;
}
/**
 * PATCH /v1/projects/:id/failures/:group
 */
export interface ChangeFailureGroup {
  owner?: CauseOwner | null;
  note?: CauseNote | null;
  ticket?: TicketUrl | null;
  state?: 'open' | 'fixed';
}
/**
 * PATCH /v1/projects/:id
 */
export interface ChangeProject {
  name?: Name;
  description?: Description | null;
  status?: 'active' | 'inactive';
  default_branch?: Branch;
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
  url?: WebhookUrl;
  /**
   * @minItems 1
   */
  events?: WebhookEvent[];
  enabled?: boolean;
  project_ids?: WebhookProjects;
  filter?: WebhookFilter;
  per?: WebhookPer;
  format?: WebhookFormat;
}
/**
 * A run compared with its baseline; `baseline` is null where there is none
 */
export interface Comparison {
  baseline: {
    id: string;
    commit: string | null;
    created_at: Instant;
  } | null;
  /**
   * How many newer runs are unfit as baselines, and why the newest of them is
   */
  passed_over: {
    runs: number;
    reason: 'set_aside' | 'empty' | 'incomplete' | 'too_small';
  } | null;
  counts: {
    new_failures: number;
    still_failing: number;
    fixed: number;
    flaky: number;
    known: number;
    added: number;
    removed: number;
    /**
     * Pairs of a removed and an added test, which `removed` does not count
     */
    renamed_maybe: number;
    slower: number;
  };
  /**
   * The tests that ran, each in each environment: not all of their results were skipped
   */
  tests: number;
  /**
   * The same of the baseline
   */
  baseline_tests: number | null;
  /**
   * The files of the removed tests, as far as their results name them
   */
  removed_files: number;
}
/**
 * POST /artifact/batch/confirm
 */
export interface ConfirmArtifacts {
  /**
   * @minItems 1
   * @maxItems 100
   */
  artifact_ids: Id[];
}
/**
 * POST /artifact/
 */
export interface CreateArtifact {
  test_result_id: Id;
  label: ArtifactLabel;
  kind: ArtifactKind;
  content_type: ContentType;
  size_bytes: SizeBytes;
  test_step?: TestStep | null;
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
  artifacts: BatchArtifact[];
}
/**
 * POST /v1/projects/:id/badges
 */
export interface CreateBadge {
  branch: Branch;
}
/**
 * POST /v1/keys
 */
export interface CreateKey {
  name: Name;
  role: Role;
  expires_at?: KeyEnd;
  project_ids?: KeyProjects;
}
/**
 * POST /v1/test-runs/:id/links
 */
export interface CreateLink {
  /**
   * When the link ends, at most 30 days ahead; in 7 days where it is null or left out
   */
  expires_at?: Instant | null;
}
/**
 * POST /v1/projects
 */
export interface CreateProject {
  name: Name;
  description?: Description | null;
  default_branch?: Branch | null;
}
/**
 * POST /v1/teams
 */
export interface CreateTeam {
  name: Name;
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
  url: WebhookUrl;
  /**
   * @minItems 1
   */
  events: WebhookEvent[];
  project_ids?: WebhookProjects;
  filter?: WebhookFilter;
  per?: WebhookPer;
  format?: WebhookFormat;
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
  type: MessageType;
  state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  attempts: {
    at: Instant;
    status: number | null;
    duration_ms: number;
    error: string | null;
    response: string | null;
  }[];
  next_attempt_at: Instant | null;
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
 * The schema of a version of an event type
 */
export interface EventSchema {
  type: string;
  version: number;
  url: string;
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
 * A group of failures that have the same cause
 */
export interface FailureGroup {
  id: string;
  kind: 'hook' | 'selector' | 'frame' | 'message';
  title: string;
}
/**
 * POST /result/{test_result_id}/finish
 */
export interface FinishResult {
  status?: ResultStatus;
  error_message?: ErrorMessage | null;
  metadata?: Metadata | null;
}
/**
 * What has a text in its name, up to 8 of each kind
 */
export interface Found {
  /**
   * @maxItems 8
   */
  projects: {
    id: string;
    name: string;
  }[];
  /**
   * @maxItems 8
   */
  runs: {
    project_id: string;
    project: string;
    id: string;
    title: string;
    branch: string | null;
    commit: string | null;
    actor: string | null;
    tool: string | null;
    environment_key: string;
    at: Instant;
  }[];
  /**
   * @maxItems 8
   */
  tests: {
    project_id: string;
    project: string;
    test_id: string;
    name: string;
    owner: string | null;
  }[];
  /**
   * @maxItems 8
   */
  causes: {
    project_id: string;
    project: string;
    group: string;
    title: string;
    runs: number;
  }[];
}
/**
 * The settings of the gate
 */
export interface GateSettings {
  /**
   * The failures that fail the gate: new ones, any, any and flaky results, or none. Known failures count for `max_known` alone
   */
  fail_on: 'new' | 'any' | 'flaky' | 'none';
  /**
   * The number of tests of the baseline that may be missing, a share of them such as `10%`, null for any number, or `default`: 10 %, and at least 20
   */
  max_removed: string | number | null;
  /**
   * The number of tests that must run; null for any number
   */
  min_tests: number | null;
  /**
   * The number of known failures that may be there; null for any number
   */
  max_known: number | null;
}
/**
 * An event of a run or a result
 */
export interface HistoryEntry {
  id: string;
  type: string;
  at: Instant;
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
  role: Role;
  expires_at: KeyEnd;
  project_ids: KeyProjects;
  prefix: string;
  created_by: string | null;
  created_at: Instant;
  last_used_at: Instant | null;
  revoked_at: Instant | null;
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
  at: Instant;
  expires_at: Instant;
  branch: string | null;
  environment: ShownEnvironment;
  /**
   * Null where the failure is known in all environments
   */
  environment_key: string | null;
  hidden_results: number;
}
/**
 * The known failures that were set for all tests of a group
 */
export interface KnownFailureGroup {
  reason: string;
  by: string;
  at: Instant;
  expires_at: Instant;
  branch: string | null;
  environment: ShownEnvironment;
  /**
   * Null where the failures are known in all environments
   */
  environment_key: string | null;
  /**
   * The number of tests that are known through it
   */
  tests: number;
}
/**
 * The last attempt to deliver to a webhook
 */
export interface LastDelivery {
  id: string;
  event_id: string;
  type: MessageType;
  state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  at: Instant;
  status: number | null;
}
/**
 * A link that shows a run to all who have it
 */
export interface Link {
  id: string;
  expires_at: Instant;
  created_at: Instant;
  /**
   * The key or the person that made it
   */
  created_by: string;
}
/**
 * The process runs
 */
export interface Liveness {
  status: 'ok';
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
 * The key of the request and its team
 */
export interface Me {
  key: {
    id: string;
    name: string;
    role: Role;
    expires_at: KeyEnd;
    project_ids: KeyProjects;
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
  at: Instant;
}
/**
 * A new badge of a branch
 */
export interface NewBadge {
  id: string;
  /**
   * The URL of the picture, shown this once
   */
  url: string;
}
/**
 * A new API key
 */
export interface NewKey {
  id: string;
  name: string;
  role: Role;
  expires_at: KeyEnd;
  project_ids: KeyProjects;
  created_at: Instant;
  /**
   * The key itself, shown this once
   */
  key: string;
}
/**
 * A new link that shows a run to all who have it
 */
export interface NewLink {
  id: string;
  /**
   * The link itself, shown this once
   */
  url: string;
  expires_at: Instant;
  created_at: Instant;
  /**
   * The key or the person that made it
   */
  created_by: string;
}
/**
 * A new team and its first owner's key
 */
export interface NewTeam {
  id: string;
  name: string;
  created_at: Instant;
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
 * A project
 */
export interface Project {
  id: string;
  name: string;
  created_at: Instant;
  description: string | null;
  default_branch: string;
  /**
   * The web page of the repository
   */
  repo_url: string | null;
  status: 'active' | 'inactive';
  gate: GateSettings;
  /**
   * The settings of `gate` that the project has set itself. The others are those of the team
   */
  own_gate: ('fail_on' | 'max_removed' | 'min_tests' | 'max_known')[];
  retention: Retention;
}
/**
 * How long things are kept, from when a result was recorded: ISO 8601 durations; null keeps for ever
 */
export interface Retention {
  /**
   * Messages, errors and metadata of results that did not pass; those of the default branch and of pinned runs are kept for ever
   */
  contents: string | null;
  /**
   * The same of results that passed; those of pinned runs are kept for ever
   */
  passed_contents: string | null;
  /**
   * Artifacts; those of pinned runs are kept for ever
   */
  artifacts: string | null;
  /**
   * Runs in lists; those of the default branch and pinned ones stay
   */
  runs: string | null;
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
 * A group of failures in a project, with its outcome in each of the last 20 runs of its branch and tool
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
  state: 'open' | 'known' | 'fixed' | 'came_back';
  /**
   * Whom somebody named, else the owner of the test that failed last
   */
  owner: string | null;
  ticket: string | null;
  state_since: Instant;
  /**
   * Who said so; null where it follows from runs
   */
  state_by: string | null;
  /**
   * Whom somebody named
   */
  named_owner: string | null;
  note: string | null;
  /**
   * A run that ends later finds that it is fixed, if it stays away until then; null where it is fixed
   */
  fixed_after: Instant | null;
  known_failure: KnownFailureGroup | null;
  tests: number;
  /**
   * @maxItems 20
   */
  branches: {
    branch: string;
    runs: number;
    results: number;
    last_at: Instant;
  }[];
  /**
   * @maxItems 20
   */
  environments: {
    environment: ShownEnvironment;
    environment_key: string;
    runs: number;
    results: number;
    last_at: Instant;
  }[];
  /**
   * @maxItems 30
   */
  days: {
    day: string;
    runs: number;
    results: number;
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
  test_id?: Id1;
  status: 'passed' | 'failed' | 'skipped' | 'known_fail' | 'pending' | 'running';
  duration_ms: number | null;
  error_message: string | null;
  /**
   * Any JSON object, equal to what was sent. Where the contents are gone, it has the keys of the verdict only
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  /**
   * Whether the error message, the error and the metadata beyond the keys of the verdict are kept; null for a result that never had any
   */
  contents: 'kept' | 'expired' | 'redacted' | 'deleted' | null;
  file: string | null;
  line: number | null;
  suite: string | null;
  owner: string | null;
  /**
   * @maxItems 20
   */
  tags: Tag[];
  /**
   * @maxItems 20
   */
  links: TestLink[];
  error: TestError | null;
  environment: ShownEnvironment;
  environment_key: EnvironmentKey;
  attempt: Attempt;
  superseded_by: string | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  created_at: Instant;
  failing_since: Moment | null;
  last_passed: Moment | null;
  /**
   * @maxItems 10
   */
  also_fails_on:
    | {
        branch: string;
        environment: ShownEnvironment;
        environment_key: string;
      }[]
    | null;
  group: FailureGroup | null;
  known: boolean;
}
export interface TestLink {
  name: string;
  url: string;
  [k: string]: unknown;
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
   * What the run was of; null for a result without a run
   */
  title: string | null;
  branch: string | null;
  actor: string | null;
  tool: string | null;
  at: Instant;
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
  state: 'open' | 'known' | 'fixed' | 'came_back';
  /**
   * Whom somebody named, else the owner of the test that failed last
   */
  owner: string | null;
  ticket: string | null;
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
    created_at: Instant;
    passed: number;
    failed: number;
  }[];
  run_count: number;
  last_run_at: Instant | null;
  runs_a_day: number;
  tests: {
    flaky: number;
    broken: number;
    failing: number;
  };
}
/**
 * What is counted of a project from `from` to `to`; `previous` is the window of the same length before
 */
export interface ProjectStatistics {
  from: string;
  to: string;
  totals: StatisticsTotals;
  previous: StatisticsTotals;
  rows: StatisticsRow[];
}
/**
 * What is counted of completed runs: `tests` ran at least once; `new_failures`, `fixed`, `flaky_tests`, `known_failures` and `removed` are those of the last completion of each run; `duration_ms` is that of runs, within 2 %; `lost_ms` is the time of failures that were no fault of the commit
 */
export interface StatisticsTotals {
  runs: {
    passed: number;
    failed: number;
    skipped: number;
    empty: number;
  };
  tests: number;
  results: {
    passed: number;
    failed: number;
    skipped: number;
    known_fail: number;
  };
  new_failures: number;
  fixed: number;
  flaky_tests: number;
  known_failures: number;
  removed: number;
  duration_ms: {
    p50: number | null;
    p95: number | null;
  };
  lost_ms: number;
}
/**
 * What is counted of the runs of a day, or of a week by its Monday
 */
export interface StatisticsRow {
  day: string;
  runs: {
    passed: number;
    failed: number;
    skipped: number;
    empty: number;
  };
  tests: number;
  results: {
    passed: number;
    failed: number;
    skipped: number;
    known_fail: number;
  };
  new_failures: number;
  fixed: number;
  flaky_tests: number;
  known_failures: number;
  removed: number;
  duration_ms: {
    p50: number | null;
    p95: number | null;
  };
  lost_ms: number;
}
/**
 * A run or a project that is deleted for good. Its bytes go in the background
 */
export interface Purged {
  id: string;
}
/**
 * The server can take writes. `degraded`: the read models of some teams are stuck at an event
 */
export interface Readiness {
  status: 'ok' | 'degraded';
  /**
   * Partitions of read models that are stuck. `testledger projections` names them
   */
  stuck?: number;
}
/**
 * POST /v1/webhooks/:id/recover
 */
export interface RecoverWebhook {
  since: Instant;
}
/**
 * The deliveries that were made
 */
export interface Recovery {
  count: number;
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
 * A result or a run that is redacted
 */
export interface Redacted {
  id: string;
  redacted_at: Instant;
}
/**
 * The redaction of a text: `places` is how many were found, `done` how many of them are redacted
 */
export interface Redaction {
  id: string;
  state: 'running' | 'done';
  reason: string;
  project_id: string | null;
  places: number;
  done: number;
  created_at: Instant;
  finished_at: Instant | null;
}
/**
 * Where a text is found: the first places, and how many there are. `complete` is false where the search took too long
 */
export interface RedactionPlaces {
  places: {
    type: 'result' | 'run' | 'project' | 'artifact' | 'event';
    id: string;
    field: string;
  }[];
  total: number;
  complete: boolean;
}
/**
 * A test of the baseline that is missing in the run, and one of the run that may be the same under another name
 */
export interface RenamedTest {
  removed: TestResult;
  added: TestResult;
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
 * What a policy would free now
 */
export interface RetentionEffect {
  /**
   * Runs with results that would lose their contents
   */
  runs: number;
  /**
   * Results that would lose their contents
   */
  results: number;
  /**
   * Bytes of the texts, before they are compressed. What runs of later days name as well is counted
   */
  bytes: number;
  /**
   * Artifacts that would go. 0 where the project says nothing of artifacts: each has an end of its own then
   */
  artifacts: number;
  /**
   * Bytes of their files
   */
  artifact_bytes: number;
  /**
   * Runs that would lose their place in lists
   */
  unlisted_runs: number;
  /**
   * False where the server stopped counting after two seconds: it is more then
   */
  is_whole: boolean;
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
 * The shards of a run, with an entry for each attempt that came
 */
export interface RunShards {
  total: ShardNumber;
  received: {
    index: ShardNumber;
    attempt: Attempt;
    results: number;
    duration_ms: number;
    at: Instant;
  }[];
}
/**
 * PUT /v1/projects/:id/tests/:test/known-failure
 */
export interface SetKnownFailure {
  reason: KnownFailureReason;
  expires_at: Instant;
  /**
   * The environment in which the failures are known; null or left out: in all
   */
  environment?: {
    [k: string]: unknown;
  } | null;
  environment_key?: EnvironmentKey | null;
  branch?: Branch | null;
}
/**
 * What is counted of all projects from `from` to `to`; `previous` is the window of the same length before
 */
export interface Statistics {
  from: string;
  to: string;
  totals: StatisticsTotals;
  previous: StatisticsTotals;
  rows: StatisticsRow[];
  projects: StatisticsOfProject[];
}
/**
 * What is counted of the runs of a project
 */
export interface StatisticsOfProject {
  project_id: string;
  runs: {
    passed: number;
    failed: number;
    skipped: number;
    empty: number;
  };
  tests: number;
  results: {
    passed: number;
    failed: number;
    skipped: number;
    known_fail: number;
  };
  new_failures: number;
  fixed: number;
  flaky_tests: number;
  known_failures: number;
  removed: number;
  duration_ms: {
    p50: number | null;
    p95: number | null;
  };
  lost_ms: number;
}
/**
 * The event log and the read models answer
 */
export interface Status {
  status: 'ok';
  version: string;
}
/**
 * One result of POST /v1/test-runs
 */
export interface SubmitItem {
  name: Name;
  status: 'passed' | 'failed' | 'skipped' | 'known_fail' | 'pending' | 'running';
  duration_ms?: Milliseconds | null;
  error_message?: LongErrorMessage | null;
  metadata?: Metadata | null;
  started_at?: Instant | null;
  attempt?: Attempt;
}
/**
 * POST /v1/test-runs
 */
export interface SubmitRun {
  project_id: Id;
  run_key?: RunKey | null;
  shard?: {
    index: ShardNumber;
    total: ShardNumber;
    attempt?: Attempt;
  } | null;
  complete?: boolean;
  /**
   * Names the call in its run, for ever. The same results under the same name add nothing again
   */
  submission_key?: RunKey | null;
  label?: Name | null;
  metadata?: Metadata | null;
  started_at?: Instant | null;
  finished_at?: Instant | null;
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
  /**
   * Whether the run had the results of the call already, and so did not take them again. Answered to a call with a `submission_key` and results
   */
  repeated?: boolean;
}
/**
 * The team of the key. `gate` holds for its projects that have set none
 */
export interface Team {
  id: string;
  name: string;
  gate: GateSettings;
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
  /**
   * Only with `details=true`: its outcomes in runs of one branch, tool and environment, newest first; null for a run without it
   */
  last_runs?: {
    branch: string | null;
    tool: string | null;
    environment: ShownEnvironment;
    environment_key: string;
    /**
     * @maxItems 20
     */
    outcomes: ('passed' | 'failed' | 'flaky' | 'skipped' | 'known_fail' | null)[];
  };
  failure_rate: number;
  last_result_at: Instant | null;
  /**
   * The test in each environment, up to 50, the worst first; its own state is the worst of theirs
   *
   * @maxItems 50
   */
  environments: {
    environment: ShownEnvironment;
    environment_key: string;
    state: 'stable' | 'flaky' | 'broken';
    /**
     * @maxItems 20
     */
    last_outcomes: ('passed' | 'failed' | 'skipped' | 'known_fail')[];
    failure_rate: number;
    last_result_at: Instant | null;
  }[];
  owner: string | null;
  /**
   * @maxItems 20
   */
  tags: Tag[];
  known_failure: KnownFailure | null;
  /**
   * Only with `sort`: the completed runs of the window in which it ran
   */
  runs?: number;
  /**
   * Only with `sort`: those in which it failed
   */
  failures?: number;
  /**
   * Only with `sort`: those in which an attempt failed and a later one passed
   */
  flaky_runs?: number;
  /**
   * Only with `sort`: the time of its failures that were no fault of the commit
   */
  lost_ms?: number;
  /**
   * Only with `sort`: its durations, within 2 %
   */
  duration_ms?: {
    p50: number | null;
    p95: number | null;
  };
}
/**
 * A test with failing results of a group
 */
export interface TestOfFailureGroup {
  id: string;
  name: string;
  owner: string | null;
  results: number;
  last_failed_at: Instant;
  /**
   * It has a known failure in force, through this group or for itself
   */
  known: boolean;
}
/**
 * One entry of the history of a test, without the metadata of its result
 */
export interface TestOutcome {
  result_id: string;
  test_run_id: string | null;
  status: 'passed' | 'failed' | 'skipped' | 'known_fail';
  attempt: Attempt;
  duration_ms: number | null;
  at: Instant;
  branch: string | null;
  environment_key: string;
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
  build: string | null;
  environment: ShownEnvironment;
  environment_key: EnvironmentKey;
  created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
  shards: RunShards | null;
  /**
   * What a person said of the run as a baseline; null where the rules decide
   */
  baseline: 'fit' | 'unfit' | null;
  /**
   * What completed the run: a client, its last shard, or the server because nothing came any more; null while it is not completed
   */
  completed_by: 'requested' | 'shards' | 'idle' | null;
  report: Report;
  /**
   * The run is completed, and no result passed, failed or is expected to fail
   */
  empty: boolean;
  /**
   * What `testledger gate` says; null until the run is completed
   */
  gate: 'failed' | 'passed' | null;
  gate_reasons: GateReasons;
  new_failures: number | null;
  /**
   * All of the run is kept, whatever the retention of its project says
   */
  pinned: boolean;
  /**
   * The settings by which the gate was decided; only in the answer about one run
   */
  gate_settings?: GateSettings | null;
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
 * What needs somebody now, over all projects
 */
export interface Today {
  since: Instant;
  /**
   * Causes of failures that were seen on the default branch first since then, or that came back; without those of which somebody knows. Those of most results come first; `example` is the id of a result, `first_run` the first bad run, `owner` whom somebody named, else that of the test that failed last
   */
  causes: {
    /**
     * @maxItems 20
     */
    items: {
      project_id: string;
      project: string;
      group: string;
      title: string;
      runs: number;
      results: number;
      first_seen: Moment;
      last_seen: Moment;
      example: string | null;
      owner: string | null;
      first_run: TodayRun | null;
      kind: 'hook' | 'selector' | 'frame' | 'message';
      state: 'open' | 'came_back';
    }[];
    total: number;
  };
  /**
   * Default branches whose newest run of a tool and environment failed, the longest red first; `since` is the first run of the row, of which the newest 40 runs are known
   */
  red: {
    /**
     * @maxItems 20
     */
    items: {
      project_id: string;
      project: string;
      branch: string;
      newest: TodayRun;
      since: TodayRun;
      runs: number;
    }[];
    total: number;
  };
  /**
   * Default branches of which no run says that they are green: `no_run` where none is completed, and `newest` is the newest run of the project; `empty` and `incomplete` of the newest run of a tool and environment
   */
  without_verdict: {
    /**
     * @maxItems 10
     */
    items: {
      project_id: string;
      project: string;
      branch: string;
      reason: 'no_run' | 'empty' | 'incomplete';
      newest: TodayRun;
    }[];
    total: number;
  };
  /**
   * Tests that became flaky since then; `run` is the one that showed it
   */
  flaky: {
    /**
     * @maxItems 20
     */
    items: {
      project_id: string;
      project: string;
      test_id: string;
      name: string;
      owner: string | null;
      run: TodayRun | null;
    }[];
    total: number;
  };
  /**
   * Known failures that end within a week, the first to end first
   */
  ending: {
    /**
     * @maxItems 20
     */
    items: {
      project_id: string;
      project: string;
      test_id: string;
      name: string;
      owner: string | null;
      reason: string;
      expires_at: Instant;
    }[];
    total: number;
  };
  /**
   * Runs that are going
   */
  running: {
    /**
     * @maxItems 10
     */
    items: {
      project_id: string;
      project: string;
      id: string;
      title: string;
      branch: string | null;
      commit: string | null;
      actor: string | null;
      tool: string | null;
      environment_key: string;
      at: Instant;
    }[];
    total: number;
  };
  /**
   * The active projects, and of them those that were looked at: up to 50 that ran in the last 14 days
   */
  projects: {
    total: number;
    looked_at: number;
  };
}
/**
 * A run, as far as a list of what needs somebody shows it
 */
export interface TodayRun {
  id: string;
  title: string;
  branch: string | null;
  commit: string | null;
  actor: string | null;
  tool: string | null;
  environment_key: string;
  at: Instant;
}
/**
 * A trust of a project in the tokens of a CI service
 */
export interface Trust {
  id: string;
  issuer: string;
  audience: string;
  claims: {
    [k: string]: string;
  };
  created_at: Instant;
}
/**
 * How much a project takes. `bytes` of contents and artifacts are measured, those of verdicts are an estimate from their number. `grown` is since `since`: 30 days ago, or later where the project is younger or was not looked at so early
 */
export interface Usage {
  project_id: string;
  name: string;
  verdicts: {
    /**
     * Results that were ever recorded; those that were deleted since count, too
     */
    count: number;
    bytes: number;
    grown: number;
  };
  contents: {
    /**
     * As they are stored, each content once
     */
    bytes: number;
    grown: number;
  };
  artifacts: {
    /**
     * Confirmed artifacts that are not deleted yet
     */
    count: number;
    bytes: number;
    grown: number;
  };
  since: Instant;
}
/**
 * A URL that receives messages
 */
export interface Webhook {
  id: string;
  url: string;
  events: WebhookEvent[];
  project_ids: WebhookProjects;
  filter: WebhookFilter;
  per: WebhookPer;
  format: WebhookFormat;
  enabled: boolean;
  disabled_reason: 'requested' | 'gone' | 'failing' | null;
  created_at: Instant;
  last_delivery: LastDelivery | null;
}
/**
 * What a webhook would have sent in the last seven days
 */
export interface WebhookPreview {
  /**
   * How many messages
   */
  messages: number;
  /**
   * The bodies of the newest three, as they would have been sent
   */
  examples: {
    [k: string]: unknown;
  }[];
  since: Instant;
  /**
   * Whether all messages of the seven days were looked at. A preview looks at the newest 100,000 results that have one, for a few seconds. `since` is the time of the oldest that it looked at.
   */
  complete: boolean;
}
/**
 * A webhook with its new secret
 */
export interface WebhookWithSecret {
  id: string;
  url: string;
  events: WebhookEvent[];
  project_ids: WebhookProjects;
  filter: WebhookFilter;
  per: WebhookPer;
  format: WebhookFormat;
  enabled: boolean;
  disabled_reason: 'requested' | 'gone' | 'failing' | null;
  created_at: Instant;
  last_delivery: LastDelivery | null;
  /**
   * Signs the messages. Shown this once
   */
  secret: string;
}
/**
 * What happened in a project on a day of UTC
 */
export interface DigestDailyMessage {
  type: 'digest.daily';
  timestamp: Instant;
  data: {
    day: Day;
    /**
     * Groups of failures that were seen for the first time
     */
    new: number;
    /**
     * Groups of failures that went away from the default branch
     */
    fixed: number;
    /**
     * Tests that became flaky
     */
    flaky: number;
    /**
     * Known failures that end on the day after
     */
    known_ending: number;
    /**
     * The time that failures took which were no fault of the commit. For a webhook with a filter of owners, that of failed attempts of their tests
     */
    lost_ms: number;
    runs: number;
    /**
     * The same numbers of up to 20 owners
     */
    by_owner: {
      owner: string;
      /**
       * Groups of failures that were seen for the first time
       */
      new: number;
      /**
       * Groups of failures that went away from the default branch
       */
      fixed: number;
      /**
       * Tests that became flaky
       */
      flaky: number;
      /**
       * Known failures that end on the day after
       */
      known_ending: number;
      /**
       * The time of failed attempts which were no fault of the commit
       */
      lost_ms: number;
    }[];
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A group of failures that was gone fails again on the default branch
 */
export interface GroupBackMessage {
  type: 'group.back';
  timestamp: Instant;
  data: {
    group: string;
    kind: 'hook' | 'selector' | 'frame' | 'message';
    title: string;
    tests: number;
    results: number;
    /**
     * The baseline of the run does not have the group
     */
    new: boolean;
    owners: string[];
    /**
     * Up to five failing results
     */
    examples: {
      test_result_id: string;
      test_name: string;
      status: string;
      /**
       * Its first 500 characters
       */
      error_message: string | null;
      attempt: number;
    }[];
    run: RunInMessage | null;
    project: ProjectRecord | null;
    gone_at: Instant;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A test run, as it stood at the event
 */
export interface RunInMessage {
  test_run_id: string;
  project_id: string;
  label: string | null;
  status: RunStatus;
  /**
   * Any JSON object, equal to what was sent
   */
  metadata: {
    [k: string]: unknown;
  } | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
  counts: Counts;
  count_snapshot: CountSnapshot | null;
}
/**
 * A run was completed with failures of one group: a webhook with `per: group` gets it
 */
export interface GroupFailedMessage {
  type: 'group.failed';
  timestamp: Instant;
  data: {
    group: string;
    kind: 'hook' | 'selector' | 'frame' | 'message';
    title: string;
    tests: number;
    results: number;
    /**
     * The baseline of the run does not have the group
     */
    new: boolean;
    owners: string[];
    /**
     * Up to five failing results
     */
    examples: {
      test_result_id: string;
      test_name: string;
      status: string;
      /**
       * Its first 500 characters
       */
      error_message: string | null;
      attempt: number;
    }[];
    run: RunInMessage | null;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A group of failures is gone from the default branch
 */
export interface GroupGoneMessage {
  type: 'group.gone';
  timestamp: Instant;
  data: {
    group: string;
    kind: 'hook' | 'selector' | 'frame' | 'message';
    title: string;
    /**
     * How many failed with it there since it was gone last, each in its tool and environment
     */
    tests: number;
    owner: string | null;
    run: RunInMessage | null;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A group of failures was seen for the first time in its project
 */
export interface GroupNewMessage {
  type: 'group.new';
  timestamp: Instant;
  data: {
    group: string;
    kind: 'hook' | 'selector' | 'frame' | 'message';
    title: string;
    known: boolean;
    owner: string | null;
    result: ResultRecord | null;
    run: RunInMessage | null;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * The failures of a test are no longer known
 */
export interface KnownFailureEndedMessage {
  type: 'known_failure.ended';
  timestamp: Instant;
  data: {
    test: {
      id: string;
      name: string;
      project_id: string;
    };
    known_failure: {
      reason: string;
      /**
       * Null: on all branches
       */
      branch: string | null;
      /**
       * Null: in all environments
       */
      environment: {
        [k: string]: string;
      } | null;
      expires_at: Instant;
      set_at: Instant;
      /**
       * The id of the key or person that set it, as events have it
       */
      actor: string;
    } | null;
    project: ProjectRecord | null;
    ended: 'expired' | 'requested';
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * Somebody says that the failures of a test are known
 */
export interface KnownFailureSetMessage {
  type: 'known_failure.set';
  timestamp: Instant;
  data: {
    test: {
      id: string;
      name: string;
      project_id: string;
    };
    known_failure: {
      reason: string;
      /**
       * Null: on all branches
       */
      branch: string | null;
      /**
       * Null: in all environments
       */
      environment: {
        [k: string]: string;
      } | null;
      expires_at: Instant;
      set_at: Instant;
      /**
       * The id of the key or person that set it, as events have it
       */
      actor: string;
    } | null;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * The default branch passes again with a tool in an environment
 */
export interface MainGreenMessage {
  type: 'main.green';
  timestamp: Instant;
  data: {
    branch: string | null;
    tool: string | null;
    environment: ShownEnvironment;
    run: RunInMessage | null;
    project: ProjectRecord | null;
    /**
     * The first of its failed runs, and when that was completed
     */
    red_since: {
      run_id: string;
      at: Instant;
    };
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * The default branch begins to fail with a tool in an environment
 */
export interface MainRedMessage {
  type: 'main.red';
  timestamp: Instant;
  data: {
    branch: string | null;
    tool: string | null;
    environment: ShownEnvironment;
    run: RunInMessage | null;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A ping was asked for
 */
export interface PingMessage {
  type: 'webhook.ping';
  timestamp: Instant;
  data: {
    webhook_id: string;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A run completed
 */
export interface RunCompletedMessage {
  type: 'run.completed';
  timestamp: Instant;
  data: {
    run: RunInMessage | null;
    completion: number;
    project: ProjectRecord | null;
    gate: 'failed' | 'passed' | null;
    gate_reasons: GateReasons;
    comparison: Comparison | null;
    /**
     * For a webhook with `per: run`: up to 20 groups of failures, the largest first
     */
    failures?: {
      group: string;
      kind: 'hook' | 'selector' | 'frame' | 'message';
      title: string;
      tests: number;
      results: number;
      /**
       * The baseline of the run does not have the group
       */
      new: boolean;
      owners: string[];
    }[];
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A run was completed though shards are missing
 */
export interface RunIncompleteMessage {
  type: 'run.incomplete';
  timestamp: Instant;
  data: {
    shards: {
      total: number;
      /**
       * The indexes of those that did not come
       */
      missing: number[];
    };
    run: RunInMessage | null;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A test failed in each of its last 20 runs
 */
export interface TestBrokenMessage {
  type: 'test.broken';
  timestamp: Instant;
  data: {
    test: {
      id: string;
      name: string;
      project_id: string;
    };
    environment: ShownEnvironment;
    /**
     * The result by which the test changed
     */
    result_id: string;
    run_id: string | null;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * The status of a result became Failed
 */
export interface TestFailedMessage {
  type: 'test.failed';
  timestamp: Instant;
  data: {
    result: ResultRecord | null;
    run: RunInMessage | null;
    project: ProjectRecord | null;
    group: FailureGroup | null;
    known: boolean;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A stable or broken test became flaky
 */
export interface TestFlakyMessage {
  type: 'test.flaky';
  timestamp: Instant;
  data: {
    test: {
      id: string;
      name: string;
      project_id: string;
    };
    rule: string;
    /**
     * The ids of the two results
     */
    evidence: string[];
    environment: ShownEnvironment;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A result passed, and the entry before it in the history of its test failed
 */
export interface TestRecoveredMessage {
  type: 'test.recovered';
  timestamp: Instant;
  data: {
    result: ResultRecord | null;
    run: RunInMessage | null;
    environment: ShownEnvironment;
    project: ProjectRecord | null;
    failure: ResultRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}
/**
 * A flaky or broken test is stable again
 */
export interface TestStabilisedMessage {
  type: 'test.stabilised';
  timestamp: Instant;
  data: {
    test: {
      id: string;
      name: string;
      project_id: string;
    };
    environment: ShownEnvironment;
    /**
     * The result by which the test changed
     */
    result_id: string;
    run_id: string | null;
    project: ProjectRecord | null;
    /**
     * JSON pointers to the metadata that were left out, because the body would have more than 20,000 bytes
     */
    metadata_omitted?: string[];
  };
}

/** The content of a request or an answer. */
export type Json<T> = { content: { 'application/json': T } };
export type paths = Paths;
export type components = Components;
