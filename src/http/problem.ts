/** Errors as each surface writes them: RFC 9457 problem documents on A, `{ error }` on B. */
import type { ErrorObject } from 'ajv';
import { errors, LedgerError, type ErrorCode, type FieldError } from '../errors.js';
import type { Reply } from './route.js';

export type Surface = 'a' | 'b';

const DOCS = 'https://testledger.dev/problems/';
const MOST_FIELDS = 100;

/** What a client is told of an error. What is our own fault is told to nobody but the log. */
export function problemReply(surface: Surface, error: unknown, requestId: string): Reply {
  const told = error instanceof LedgerError && error.code !== 'internal';
  const known = told ? error : new LedgerError('internal', 'Something went wrong here; the log has more.');
  const { status, title, b } = errors[known.code];
  const fields = known.fields.slice(0, MOST_FIELDS);
  // What is unavailable comes back: a client must not have to guess when to try again.
  const retryAfter = known.retryAfter ?? (status === 503 ? 1 : undefined);
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  if (surface === 'a') {
    const body = {
      type: `${DOCS}${known.code}`,
      title,
      status,
      detail: known.message,
      code: known.code,
      ...(fields.length > 0 && { errors: fields }),
      request_id: requestId,
    };
    return { status, body, headers, type: 'application/problem+json' };
  }
  const reason = reasons[known.code] ?? (b === known.code ? undefined : known.code);
  const details = {
    ...(reason !== undefined && { reason }),
    ...(fields.length > 0 && { errors: fields }),
    request_id: requestId,
  };
  return { status, body: { error: { code: b, message: known.message, details } }, headers };
}

/** `details.reason` where it is not the code of surface A. */
const reasons: Partial<Record<ErrorCode, string>> = { forbidden: 'role' };

/** What ajv found, in our words: where, and a stable code. */
export function fieldErrors(found: readonly ErrorObject[], where: 'body' | 'query'): FieldError[] {
  return found.slice(0, MOST_FIELDS).flatMap((fault) => {
    const told = tell(fault);
    if (told === null) return [];
    const path = fault.instancePath + (told.name === undefined ? '' : `/${escaped(told.name)}`);
    return [
      { pointer: where === 'query' ? `?${path.slice(1)}` : path, code: told.code, detail: told.detail },
    ];
  });
}

type Told = { code: string; detail: string; name?: string };

function tell({ keyword, params, message = 'is not valid' }: ErrorObject): Told | null {
  switch (keyword) {
    case 'required':
      return { code: 'required', detail: 'is required', name: params['missingProperty'] };
    case 'additionalProperties':
      return { code: 'unknown_field', detail: 'is not a field here', name: params['additionalProperty'] };
    case 'type':
      // A field that may be null has a branch for it: that the value is not null is no news.
      return params['type'] === 'null' ? null : { code: 'wrong_type', detail: `must be ${params['type']}` };
    case 'anyOf':
      return null;
    case 'enum':
      return { code: 'not_allowed', detail: `must be one of ${params['allowedValues'].join(', ')}` };
    case 'minLength':
      return { code: 'too_short', detail: `must have at least ${params['limit']} characters` };
    case 'maxLength':
      return { code: 'too_long', detail: `must have at most ${params['limit']} characters` };
    case 'minItems':
      return { code: 'too_few', detail: `must have at least ${params['limit']}` };
    case 'uniqueItems':
      return { code: 'twice', detail: 'must hold nothing twice' };
    case 'minimum':
      return { code: 'too_small', detail: `must be at least ${params['limit']}` };
    case 'maximum':
      return { code: 'too_large', detail: `must be at most ${params['limit']}` };
    case 'format':
      return formats[params['format'] as string] ?? { code: keyword, detail: message };
    case 'x-json':
      return { code: 'metadata_limit', detail: message };
    default:
      return { code: keyword, detail: message };
  }
}

const formats: Record<string, Told> = {
  instant: {
    code: 'not_an_instant',
    detail: 'must be an RFC 3339 instant, such as 2026-11-21T01:02:03.456Z',
  },
  text: { code: 'not_text', detail: 'must not hold a NUL or a lone surrogate' },
  mediaType: { code: 'not_a_media_type', detail: 'must be a media type, such as image/png' },
};

/** RFC 6901. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
