/**
 * The one table of errors: code → what it means on each surface. Throw by code with `fail`; the edges translate.
 * Codes are stable: clients branch on them. `docs/errors.md` is made from this table.
 */
export const errors = {
  invalid_json: { status: 400, b: 'invalid_request', title: 'The body is not JSON' },
  validation_failed: { status: 400, b: 'invalid_request', title: 'The request is not valid' },
  malformed_request: { status: 400, b: 'invalid_request', title: 'This is no HTTP request' },
  upload_missing: { status: 400, b: 'invalid_request', title: 'Nothing was uploaded for this artifact' },
  size_mismatch: { status: 400, b: 'invalid_request', title: 'The file has not the size that was announced' },
  artifact_limit: {
    status: 400,
    b: 'invalid_request',
    title: 'The result has as many artifacts as it may have',
  },
  target_refused: { status: 400, b: 'invalid_request', title: 'Webhooks may not be sent to this address' },
  webhook_limit: { status: 400, b: 'invalid_request', title: 'The team has as many webhooks as it may have' },
  result_too_old: { status: 400, b: 'invalid_request', title: 'The result is too old for new artifacts' },
  unauthorized: { status: 401, b: 'unauthorized', title: 'The API key is missing or not valid' },
  forbidden: { status: 403, b: 'forbidden', title: 'The role of this API key does not allow it' },
  project_inactive: { status: 403, b: 'forbidden', title: 'The project is inactive' },
  url_not_valid: { status: 403, b: 'forbidden', title: 'The signed URL is not valid, or no longer' },
  not_found: { status: 404, b: 'not_found', title: 'There is no such resource' },
  method_not_allowed: { status: 405, b: 'method_not_allowed', title: 'This path does not take the method' },
  in_flight: { status: 409, b: 'conflict', title: 'A request with this Idempotency-Key is being worked on' },
  already_answered: { status: 409, b: 'conflict', title: 'Answered before; a secret is shown only once' },
  already_superseded: { status: 409, b: 'conflict', title: 'The result has been retried already' },
  webhook_disabled: { status: 409, b: 'conflict', title: 'The webhook is disabled' },
  write_conflict: { status: 409, b: 'conflict', title: 'Others kept changing the same thing; try again' },
  request_timeout: { status: 408, b: 'invalid_request', title: 'The request took too long to arrive' },
  precondition_failed: { status: 412, b: 'conflict', title: 'The file is not as the request demands' },
  payload_too_large: { status: 413, b: 'payload_too_large', title: 'The body is too large' },
  unsupported_media_type: { status: 415, b: 'unsupported_media_type', title: 'The body must be JSON' },
  range_not_satisfiable: { status: 416, b: 'invalid_request', title: 'The file has no such range' },
  expectation_failed: { status: 417, b: 'invalid_request', title: 'This Expect header cannot be met' },
  idempotency_mismatch: {
    status: 422,
    b: 'idempotency_mismatch',
    title: 'The Idempotency-Key was used with another body',
  },
  rate_limited: { status: 429, b: 'rate_limited', title: 'Too many requests' },
  headers_too_large: { status: 431, b: 'invalid_request', title: 'The headers are too large' },
  internal: { status: 500, b: 'internal', title: 'Something went wrong here' },
  log_unavailable: { status: 503, b: 'unavailable', title: 'The event log cannot be reached' },
  state_unavailable: { status: 503, b: 'unavailable', title: 'The state store cannot be reached' },
  views_unavailable: { status: 503, b: 'unavailable', title: 'The read models cannot be reached' },
  blobs_unavailable: { status: 503, b: 'unavailable', title: 'The file storage cannot be reached' },
  bus_unavailable: { status: 503, b: 'unavailable', title: 'The message bus cannot be reached' },
  overloaded: { status: 503, b: 'unavailable', title: 'Too much is being worked on; try again' },
  shutting_down: { status: 503, b: 'unavailable', title: 'The server is stopping' },
  // The codes below never reach a client: the core handles them.
  wrong_revision: { status: 500, b: 'internal', title: 'The stream is at another revision' },
  not_a_position: { status: 500, b: 'internal', title: 'The log has no event at this position' },
  fenced: { status: 500, b: 'internal', title: 'Another runner has taken over' },
} as const satisfies Record<string, { status: number; b: string; title: string }>;

export type ErrorCode = keyof typeof errors;

/** One thing that is wrong with a request: where (a JSON pointer, or `?name` for the query), and what. */
export type FieldError = { pointer: string; code: string; detail: string };

export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  /** Seconds after which a repeat makes sense. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, detail: string, more: ErrorDetails = {}) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.fields = more.fields ?? [];
    this.retryAfter = more.retryAfter;
  }
}

export type ErrorDetails = { fields?: readonly FieldError[]; retryAfter?: number; cause?: unknown };

/** Throws a LedgerError. `detail` is a sentence for the person who sent the request. */
export function fail(code: ErrorCode, detail: string, more?: ErrorDetails): never {
  throw new LedgerError(code, detail, more);
}

export function isLedgerError(error: unknown, code?: ErrorCode): error is LedgerError {
  return error instanceof LedgerError && (code === undefined || error.code === code);
}

/** Something that is needed is away, and may be back soon. */
export function isUnavailable(error: unknown): boolean {
  return isLedgerError(error) && errors[error.code].status === 503;
}

/** A single wrong field. */
export function invalid(pointer: string, code: string, detail: string): never {
  fail('validation_failed', `${pointer}: ${detail}`, { fields: [{ pointer, code, detail }] });
}

/** What went wrong and, where that is not said yet, why: for a person at a terminal. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : reasonOf(error.cause);
  return error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}
