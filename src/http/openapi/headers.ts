/** The headers of requests and answers that the API document describes, and which answers have them. */
import type { Route } from '../route.js';
import type { JsonSchema } from './schemas.js';

const text = { type: 'string' };
const wholeNumber = { type: 'string', pattern: '^[0-9]+$' };

/** By the name of the component: that of the header, and what tells two of one header apart after a dot. */
export const responseHeaders = {
  'X-Request-Id': header('The id of the request, in the log of the server too', text, true),
  'Cache-Control': header('Whether the answer may be stored', text, true),
  'X-Content-Type-Options': header('No browser guesses the type', { const: 'nosniff' }, true),
  RateLimit: header('`r`: the points that the key has left; `t`: the seconds until the burst is full', text),
  'RateLimit-Policy': header('`q`: the points of a burst; `w`: the seconds in which they come back', text),
  'X-Key-Expires': header('When the key ends, within seven days before it', text),
  'X-Read-Lag': header(
    'The milliseconds by which the read models are behind the answered writes',
    wholeNumber,
  ),
  'X-Position': header('The position that the table is of', text, true),
  'X-As-Of': header('The position that the answer is of, where the request has `as_of`', text),
  ETag: header('For If-None-Match, where the answer has at most 64 KiB', text),
  Vary: header('The request headers that the answer depends on', text),
  Location: header('The path of what was made, where it has one', text),
  'Retry-After': header('The seconds after which the request may be repeated', wholeNumber, true),
  'Retry-After.optional': header('The seconds after which a repeat may have another answer', wholeNumber),
  'WWW-Authenticate': header('The scheme of the Authorization header', text, true),
  'Content-Range': header('The part of the file that the answer has, or the length of the file', text),
} as const;

function header(description: string, schema: JsonSchema, required = false) {
  return { description, schema, ...(required && { required }) };
}

const ofEveryAnswer = ['X-Request-Id', 'Cache-Control', 'X-Content-Type-Options'];

const ofRateLimit = ['RateLimit', 'RateLimit-Policy', 'X-Key-Expires'];

/** The headers of the answers of success of a route with a key. */
export function headersOf({ method, path, location, asOf }: Route): (status: number) => string[] {
  return (status) => [
    ...ofEveryAnswer,
    ...ofRateLimit,
    // Some writes look at the read models too.
    'X-Read-Lag',
    ...(method === 'GET' ? ['Vary', 'ETag'] : []),
    ...(path.startsWith('/exports/') ? ['X-Position'] : []),
    ...(asOf !== undefined ? ['X-As-Of'] : []),
    ...(location !== undefined && status === 201 ? ['Location'] : []),
  ];
}

/** The headers of the answers of success of a route without a key. */
export function headersOfOpen(path: string): (status: number) => string[] {
  const isFile = path.startsWith('/v1/blobs/');
  return (status) => [...ofEveryAnswer, ...(isFile && status === 206 ? ['Content-Range'] : [])];
}

export function headersOfError(status: number): string[] {
  switch (status) {
    case 401:
      return [...ofEveryAnswer, 'WWW-Authenticate'];
    case 409:
      return [...ofEveryAnswer, ...ofRateLimit, 'Retry-After.optional', 'X-Read-Lag'];
    case 416:
      return [...ofEveryAnswer, 'Content-Range'];
    case 429:
    case 503:
      return [...ofEveryAnswer, ...ofRateLimit, 'Retry-After', 'X-Read-Lag'];
    default:
      return [...ofEveryAnswer, ...ofRateLimit, 'X-Read-Lag'];
  }
}

const visibleAscii = { type: 'string', pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 255 };

export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A repeat with the same key and body answers what the first request answered, for 24 h',
    schema: visibleAscii,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The position after which a live stream begins. It wins over `after`',
    schema: text,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer: the answer is a 304 while it would be the same',
    schema: text,
  },
} as const;
