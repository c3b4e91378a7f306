/**
 * The one table of errors: each code with its HTTP status, its title and what the client should do. Throw by code with
 * `fail`, or with `invalid` for one wrong field; the edges translate. Codes are stable, because clients branch on them.
 * To add one, add an entry here and run `npm run generate`: `docs/errors.md` and the pages under `/problems` come from
 * this table, which is why it is longer than other files.
 */

/** The code of Surface B for each status that an error can have. */
const surfaceBCodes = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'invalid_request',
  409: 'conflict',
  412: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  416: 'invalid_request',
  417: 'invalid_request',
  422: 'idempotency_mismatch',
  429: 'rate_limited',
  431: 'invalid_request',
  500: 'internal',
  501: 'invalid_request',
  503: 'unavailable',
  505: 'invalid_request',
} as const;

export type ErrorEntry = {
  status: keyof typeof surfaceBCodes;
  /** The code on Surface B, where it is not that of the status. */
  surfaceB?: string;
  title: string;
  /** A sentence that says what the client should do. */
  advice: string;
  /** `details.reason` on Surface B, where it is not the code. */
  reason?: string;
  /** The server handles it: it never reaches a client. */
  internal?: true;
};

const problems = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON',
    advice: 'Send the whole body as JSON in UTF-8. The detail names the line and column of the first fault.',
  },
  validation_failed: {
    status: 400,
    title: 'The request is not valid',
    advice: 'Correct the fields that the answer lists, and send the request again.',
  },
  malformed_request: {
    status: 400,
    title: 'The request is not valid HTTP, or it ended too early',
    advice: 'Check the client or proxy that wrote the request, and send it again over a new connection.',
  },
  upload_missing: {
    status: 400,
    title: 'No file has been uploaded for this artifact',
    advice: 'Upload the file to the upload URL with PUT, wait for its 200, and confirm the artifact again.',
  },
  size_mismatch: {
    status: 400,
    title: 'The file does not have the announced size',
    advice: 'Upload exactly as many bytes as the `size_bytes` of the artifact, or create a new artifact.',
  },
  artifact_limit: {
    status: 400,
    title: 'The result has the maximum number of artifacts',
    advice: 'Delete an artifact of this result, or attach the new one to another result.',
  },
  target_refused: {
    status: 400,
    title: 'Webhooks must not be sent to this address',
    advice: 'Use a public address, or ask the operator to open this one with WEBHOOK_ALLOW.',
  },
  webhook_limit: {
    status: 400,
    title: 'The team has the maximum number of webhooks',
    advice: 'Delete a webhook that is no longer used, or add the events to an existing one.',
  },
  result_too_old: {
    status: 400,
    title: 'The result is too old for new artifacts',
    advice: 'Upload artifacts soon after the test has run. The operator sets the limit.',
  },
  unauthorized: {
    status: 401,
    title: 'The API key is missing or not valid',
    advice: 'Send a key that has not been revoked in the Authorization header.',
  },
  invalid_token: {
    status: 401,
    surfaceB: 'invalid_token',
    title: 'The token of the build gives no key',
    advice: 'Compare the claim or check that the detail names with the trusts of the project.',
  },
  key_expired: {
    status: 401,
    surfaceB: 'key_expired',
    title: 'The API key has expired',
    advice: 'Make a new key, and replace this one where it is stored.',
  },
  sign_in_failed: {
    status: 401,
    title: 'The e-mail or the password is wrong',
    advice: 'Check both. An admin of the team can make a link to set a new password.',
  },
  forbidden: {
    status: 403,
    reason: 'role',
    title: 'The role of this API key does not allow the request',
    advice: 'Use a key with the role that the detail names.',
  },
  project_inactive: {
    status: 403,
    title: 'The project is inactive',
    advice: 'Set the status of the project to active before you write to it. Reads still work.',
  },
  url_not_valid: {
    status: 403,
    title: 'The signed URL is not valid or has expired',
    advice: 'Request a new URL for the artifact, and use it exactly as it was returned.',
  },
  not_found: {
    status: 404,
    title: 'The resource does not exist',
    advice: 'Check the path, the id, and that the key belongs to the team that owns the resource.',
  },
  not_yet: {
    status: 404,
    title: 'It did not exist yet at that moment',
    advice: 'Send a later `as_of`, or none.',
  },
  link_not_valid: {
    status: 404,
    title: 'The link has expired or was used',
    advice: 'Ask for a new link: each one works once, and for a limited time.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method',
    advice: 'Use one of the methods in the Allow header.',
  },
  in_flight: {
    status: 409,
    title: 'A request with this Idempotency-Key is still in progress',
    advice: 'Wait a moment and repeat the request with the same key and body.',
  },
  already_answered: {
    status: 409,
    title: 'The request was answered before, and its secret is shown only once',
    advice: 'If the secret is lost, delete or rotate it, and repeat the request with a new Idempotency-Key.',
  },
  already_superseded: {
    status: 409,
    title: 'The result has already been retried, or a rerun of its shard superseded it',
    advice: 'Name the latest attempt in `retry_of`.',
  },
  redacted: {
    status: 409,
    title: 'The result is redacted',
    advice: 'Record a new result: this one takes no more changes and no artifacts.',
  },
  webhook_disabled: {
    status: 409,
    title: 'The webhook is disabled',
    advice: 'Enable the webhook first, then repeat the request.',
  },
  shard_exists: {
    status: 409,
    title: 'The run has this attempt of the shard already, with other results',
    advice: 'Send the results of another try of the shard with a higher `attempt`.',
  },
  shard_total: {
    status: 409,
    title: 'The run has another number of shards',
    advice: 'Send the same `total` in every call for one run, or begin a new run with another `run_key`.',
  },
  shard_mixed: {
    status: 409,
    title: 'Calls with and without `shard` cannot be mixed in one run',
    advice: 'Send `shard` in every call for one run or in none, or begin a new run with another `run_key`.',
  },
  item_limit: {
    status: 409,
    title: 'The run has the maximum number of submitted results',
    advice: 'Submit further results to a new run, with another `run_key`.',
  },
  test_limit: {
    status: 409,
    title: 'The group of failures has more tests than one call marks as known',
    advice: 'Mark its tests one by one, or mend what they have in common.',
  },
  event_limit: {
    status: 409,
    title: 'This run, result, test, project or webhook has its maximum of events',
    advice: 'Record further changes in a new one. This one can still be completed or deleted.',
  },
  key_limit: {
    status: 409,
    title: 'The team has the maximum number of API keys',
    advice: 'Revoke a key that is no longer used, and repeat the request.',
  },
  trust_limit: {
    status: 409,
    title: 'The project has the maximum number of trusts',
    advice: 'Remove a trust that is no longer used, and repeat the request.',
  },
  link_limit: {
    status: 409,
    title: 'The run has the maximum number of links',
    advice: 'Revoke a link that is no longer used, and repeat the request.',
  },
  badge_limit: {
    status: 409,
    title: 'The project has the maximum number of badges',
    advice: 'Remove a badge that is no longer used, and repeat the request.',
  },
  member_limit: {
    status: 409,
    title: 'The team has the maximum number of members',
    advice: 'Remove a member who has left, and repeat the request.',
  },
  invitation_limit: {
    status: 409,
    title: 'The team has the maximum number of open invitations',
    advice: 'Withdraw an invitation that is not needed, or wait until one was used or has expired.',
  },
  last_owner: {
    status: 409,
    title: 'The team would be left without an owner',
    advice: 'Make another owner first: another person for the last person, or another key for the last key.',
  },
  write_conflict: {
    status: 409,
    title: 'Other requests kept changing the same resource',
    advice: 'Repeat the request. If this happens often, send fewer changes of one resource at the same time.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    advice: 'Send the request again over a faster connection, or send a smaller body.',
  },
  precondition_failed: {
    status: 412,
    title: 'The file does not meet the condition of the request',
    advice: 'Leave out the If-Match or If-Unmodified-Since header, or download the file again.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    advice: 'Send a smaller body, for example by splitting a submission into several runs.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type or encoding of the body is not supported',
    advice: 'Send JSON with Content-Type: application/json, plain or encoded with gzip, deflate or br.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The file does not have the requested range',
    advice: 'Request a range within the length that the Content-Range header gives.',
  },
  expectation_failed: {
    status: 417,
    title: 'The Expect header cannot be met',
    advice: 'Send no Expect header, or `Expect: 100-continue`.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'The Idempotency-Key was used with another body',
    advice: 'Use a new key for a new request, and the same body when you repeat one.',
  },
  as_of_too_large: {
    status: 422,
    surfaceB: 'as_of_too_large',
    title: 'The project is too large to be shown as of a moment in the past',
    advice: 'Ask without `as_of`, or export the results until that position.',
  },
  rate_limited: {
    status: 429,
    title: 'The API key sends too many requests',
    advice: 'Wait for the seconds in the Retry-After header, then continue at a lower rate.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers of the request are too large',
    advice: 'Send shorter headers or a shorter URL.',
  },
  internal: {
    status: 500,
    title: 'The server failed to handle the request',
    advice: 'Repeat the request later. If it fails again, give the operator the request id.',
  },
  not_implemented: {
    status: 501,
    title: 'The server does not have this part of HTTP',
    advice:
      'Send no CONNECT, and no Transfer-Encoding but chunked: compress a body with Content-Encoding instead.',
  },
  http_version_not_supported: {
    status: 505,
    title: 'The version of HTTP is not supported',
    advice: 'Send the request with HTTP/1.1.',
  },
  log_unavailable: {
    status: 503,
    title: 'The event log cannot be reached',
    advice: 'Repeat the request after the seconds in the Retry-After header.',
  },
  unknown_event: {
    status: 503,
    title: 'The event log holds an event of a newer version of testledger',
    advice: 'Tell the operator: this server must be updated to the version that wrote the event.',
  },
  state_unavailable: {
    status: 503,
    title: 'The state store cannot be reached',
    advice: 'Repeat the request after the seconds in the Retry-After header.',
  },
  views_unavailable: {
    status: 503,
    title: 'The read models cannot be reached',
    advice: 'Repeat the request after the seconds in the Retry-After header.',
  },
  views_behind: {
    status: 503,
    title: 'The read models are behind, and do not have this yet',
    advice:
      'Repeat the request after the seconds in the Retry-After header. X-Read-Lag says how far they are behind.',
  },
  blobs_unavailable: {
    status: 503,
    title: 'The file storage cannot be reached',
    advice: 'Repeat the request after the seconds in the Retry-After header.',
  },
  identity_provider_unavailable: {
    status: 503,
    title: 'The identity provider cannot be reached',
    advice: 'Sign in again after a while, or by e-mail and password.',
  },
  overloaded: {
    status: 503,
    title: 'The server has too much work at the moment',
    advice:
      'Repeat the request after the seconds in the Retry-After header, and send fewer at the same time.',
  },
  too_many_replays: {
    status: 503,
    title: 'Too many replays are in progress',
    advice: 'Close streams that you no longer read. Repeat the request after the seconds in Retry-After.',
  },
  shutting_down: {
    status: 503,
    title: 'The server is stopping',
    advice: 'Repeat the request over a new connection after the seconds in the Retry-After header.',
  },
  wrong_revision: {
    internal: true,
    status: 500,
    title: 'The stream is at another revision',
    advice: 'Load the stream again and decide again.',
  },
  not_a_position: {
    internal: true,
    status: 500,
    title: 'The log has no event at this position',
    advice: 'Begin at a position that the log has given.',
  },
  fenced: {
    internal: true,
    status: 500,
    title: 'Another process holds the lease',
    advice: 'Stop the work, and take the lease again before going on.',
  },
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof problems;

export const errors: Readonly<Record<ErrorCode, ErrorEntry>> = problems;

type FieldEntry = Pick<ErrorEntry, 'title' | 'advice'>;

/** The codes of wrong fields, in `errors` of an answer. */
const fieldProblems = {
  required: {
    title: 'The field is required',
    advice: 'Send the field that the pointer names.',
  },
  unknown_field: {
    title: 'The field does not exist here',
    advice: 'Check the spelling of the name, or leave the field out.',
  },
  wrong_type: {
    title: 'The value has the wrong JSON type',
    advice: 'Send the type that the detail names. Values in a body are never converted.',
  },
  not_allowed: {
    title: 'The value is not one of the allowed values',
    advice: 'Send one of the values that the detail names.',
  },
  not_valid: {
    title: 'The value is not valid',
    advice: 'Send a value that meets the rule in the detail.',
  },
  too_short: {
    title: 'The text is too short',
    advice: 'Send at least as many characters as the detail says. Unicode code points are counted.',
  },
  too_long: {
    title: 'The text is too long',
    advice: 'Send at most as many characters as the detail says. Unicode code points are counted.',
  },
  too_few: {
    title: 'The list has too few items',
    advice: 'Send at least as many items as the detail says.',
  },
  too_many: {
    title: 'The list has too many items',
    advice: 'Send at most as many items as the detail says, for example in several requests.',
  },
  too_small: {
    title: 'The number is too small',
    advice: 'Send at least the number that the detail names.',
  },
  too_large: {
    title: 'The value is too large',
    advice: 'Send at most the number or the size that the detail names.',
  },
  too_deep: {
    title: 'The JSON is nested too deeply',
    advice: 'Use fewer levels of objects and arrays.',
  },
  twice: {
    title: 'The name or the item is a duplicate',
    advice: 'Send each name, each query parameter and each item of such a list once.',
  },
  malformed: {
    title: 'The header does not have the required form',
    advice: 'Send the form that the detail describes.',
  },
  not_utf8: {
    title: 'The query string is not UTF-8',
    advice: 'Encode the query string as UTF-8, and percent-encode all characters beyond ASCII.',
  },
  not_text: {
    title: 'The text holds a NUL or a lone surrogate',
    advice: 'Remove NUL characters and surrogates that are not part of a pair.',
  },
  not_an_instant: {
    title: 'The value is not an RFC 3339 instant',
    advice: 'Send a date and time with an offset, such as 2026-11-21T01:02:03.456Z.',
  },
  not_a_media_type: {
    title: 'The value is not a media type',
    advice: 'Send a type and a subtype, such as image/png, with parameters if there are any.',
  },
  not_a_position: {
    title: 'The value is not a position of an event',
    advice: 'Send a position that the event replay returned, or none to begin with the first event.',
  },
  not_a_url: {
    title: 'The value is not a URL that webhooks can be sent to',
    advice: 'Send an absolute URL that begins with https:// or http:// and has no blanks.',
  },
  has_password: {
    title: 'The URL holds a user or a password',
    advice: 'Remove them from the URL. Verify the signature of each message instead.',
  },
  has_fragment: {
    title: 'The URL has a fragment',
    advice: 'Remove the `#` and everything after it, because it is never sent.',
  },
  target_refused: {
    title: 'Webhooks must not be sent to this address',
    advice: 'Use a public address, or ask the operator to open this one with WEBHOOK_ALLOW.',
  },
  chat_host: {
    title: 'The URL is of a chat that takes messages in another form',
    advice: 'Send the `format` that the detail names.',
  },
  needs_public_url: {
    title: 'Messages to a chat need the address of this server',
    advice: 'Ask the operator to set PUBLIC_URL, to which the messages link.',
  },
  metadata_limit: {
    title: 'The metadata exceed a limit',
    advice: 'Send less metadata or fewer levels, and only finite numbers and valid text.',
  },
  bad_token: {
    title: 'The page token does not belong to this list',
    advice: 'Send the token exactly as this list returned it, with the same filters, or begin without one.',
  },
  two_subjects: {
    title: 'The path and the query name different resources',
    advice: 'Name the resource in the path or in the query, not in both.',
  },
  too_many_changes: {
    title: 'There are more changes up to this position than one export may have',
    advice: 'Export in steps: begin with an earlier `until`, and go on with it as `after`.',
  },
  too_late: {
    title: 'The instant lies too far in the future',
    advice: 'Check the clock and the time zone of the client.',
  },
  too_early: {
    title: 'The instant lies in the past',
    advice: 'Check the clock and the time zone of the client.',
  },
  out_of_order: {
    title: 'The finish lies before the start',
    advice: 'Send a `finished_at` that is not before `started_at`.',
  },
  needs_run: {
    title: 'A retry must belong to a run',
    advice: 'Send the `test_run_id` of the result that is retried.',
  },
  needs_key: {
    title: 'The field needs a `run_key`',
    advice: 'Send a `run_key` that joins the calls for one run, or leave the field out.',
  },
  other_project: {
    title: 'The run belongs to another project',
    advice: 'Name a run of the project that the result belongs to.',
  },
  other_environment: {
    title: 'The retried result is of another environment',
    advice: 'Send the `metadata.environment` of the result that is retried.',
  },
  other_test: {
    title: 'The retried result is not an earlier result of the same run and test',
    advice: 'Name an earlier result with the same `test_run_id` and `test_name`.',
  },
} satisfies Record<string, FieldEntry>;

export type FieldCode = keyof typeof fieldProblems;

export const fieldErrors: Readonly<Record<FieldCode, FieldEntry>> = fieldProblems;

/** The error of Surface B for a code: its own code, and `details.reason` if that code alone is ambiguous. */
export function onSurfaceB(code: ErrorCode): { code: string; reason: string | undefined } {
  const { status, reason, surfaceB } = errors[code];
  const shared = surfaceB ?? surfaceBCodes[status];
  return { code: shared, reason: reason ?? (shared === code ? undefined : code) };
}

/** One wrong field of a request: where it is (a JSON pointer, or `?name` for the query), and what is wrong. */
export type FieldError = { pointer: string; code: FieldCode; detail: string };

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  /** Seconds after which the client should repeat the request. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, detail: string, more: ErrorDetails = {}) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.fields = more.fields ?? [];
    this.retryAfter = more.retryAfter;
  }
}

export type ErrorDetails = { fields?: readonly FieldError[]; retryAfter?: number; cause?: unknown };

/** Refuses a request. `detail` is a sentence for the person who sent it. @throws AppError always. */
export function fail(code: ErrorCode, detail: string, more?: ErrorDetails): never {
  throw new AppError(code, detail, more);
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}

/** A store or another part that the request needs is unavailable, and may be back soon. */
export function isUnavailable(error: unknown): boolean {
  return isAppError(error) && errors[error.code].status === 503;
}

/** Refuses one wrong field. @throws AppError `validation_failed`. */
export function invalid(pointer: string, code: FieldCode, detail: string): never {
  fail('validation_failed', `${pointer}: ${detail}`, { fields: [{ pointer, code, detail }] });
}

/** Refuses all wrong fields together. @throws AppError `validation_failed`. */
export function invalidFields(fields: readonly FieldError[]): never {
  const detail = fields.map(({ pointer, detail }) => `${pointer || 'the body'} ${detail}`).join('; ');
  fail('validation_failed', detail.slice(0, 1_000), { fields });
}

/**
 * The message of an error with those of its causes, as one sentence for the log and for a person at a terminal. The
 * details of our errors end with a full stop, because clients see them alone.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : reasonOf(error.cause);
  return error.message.includes(cause) ? error.message : `${error.message.replace(/\.$/, '')}: ${cause}`;
}
