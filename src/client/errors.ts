/** The one type of error that the client throws. */
export type ClientFault =
  /** No answer: the server is not there, or the connection ended early. */
  | 'unreachable'
  /** No whole answer in time. */
  | 'timeout'
  /** An answer that is not what the API promises, such as the page of a proxy. */
  | 'bad_answer'
  /** A request of a webhook that testledger did not send, or that is too old. */
  | 'bad_signature'
  /** The call cannot succeed as it was made. Nothing was sent. */
  | 'invalid_call';

/** `code` is stable: branch on it, not on the message. */
export class TestledgerError extends Error {
  override readonly name = 'TestledgerError';
  /** A code of the API (docs/errors.md), or a `ClientFault`. On Surface B it is the reason, where the answer has one. */
  readonly code: string;
  /** The status of the answer; null without one. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** The wrong fields, as the answer names them. */
  readonly fields: readonly WrongField[];
  /** The answer forbids a repeat before this time has passed; null where it says nothing. */
  readonly retryAfterMs: number | null;

  constructor(code: string, message: string, more: More = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.status = more.status ?? null;
    this.requestId = more.requestId ?? null;
    this.fields = more.fields ?? [];
    this.retryAfterMs = more.retryAfterMs ?? null;
  }
}

export type WrongField = { pointer: string; code: string; detail: string };

type More = {
  status?: number;
  requestId?: string | null;
  fields?: readonly WrongField[];
  retryAfterMs?: number | null;
  cause?: unknown;
};

export function failCall(message: string): never {
  throw new TestledgerError('invalid_call', message);
}

/** A `Response` is one. Its headers are asked for by names in lower case. */
export type Head = {
  status: number;
  headers: Iterable<[string, string]> & { get(name: string): string | null | undefined };
};

/** The error of an answer that is no success. `body` is its content, parsed where it is JSON. */
export function errorOf(head: Head, body: unknown): TestledgerError {
  const { status, headers } = head;
  const { code, message, fields } = faultIn(body) ?? {
    code: 'bad_answer',
    message: 'it does not come from testledger',
    fields: [],
  };
  return new TestledgerError(code, `The server answered ${status} ${code}: ${message}`, {
    status,
    fields,
    requestId: headers.get('x-request-id') ?? null,
    retryAfterMs: retryAfterMs(headers.get('retry-after') ?? null),
  });
}

type Fault = { code: string; message: string; fields: readonly WrongField[] };

/** Reads the errors of both surfaces; null for anything else. */
function faultIn(body: unknown): Fault | null {
  if (!isObject(body)) return null;
  if (isObject(body['error'])) {
    const { code, message, details } = body['error'];
    const { reason, errors } = isObject(details) ? details : {};
    return faultOf(typeof reason === 'string' ? reason : code, message, errors);
  }
  return faultOf(body['code'], body['detail'] ?? body['title'], body['errors']);
}

function faultOf(code: unknown, message: unknown, errors: unknown): Fault | null {
  if (typeof code !== 'string') return null;
  const fields = Array.isArray(errors) ? (errors as WrongField[]) : [];
  const said = typeof message === 'string' ? message : '';
  const [first] = fields;
  // Most messages name the first field themselves.
  const isSaid = first === undefined || said.includes(first.detail);
  return { code, message: isSaid ? said : `${said} (${first.pointer} ${first.detail})`, fields };
}

/** The header is a number of seconds or an instant. */
export function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? null : Math.max(ms, 0);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
