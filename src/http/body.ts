/** Reads a request's body: bytes only, bounded once inflated. What they say is found out later (`json.ts`). */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Context } from 'koa';
import readRaw from 'raw-body';
import { fail } from '../errors.js';

export type ReadBody = (ctx: Context) => Promise<string>;

/**
 * Returns a reader for bodies of up to `limit` bytes after inflation. It gives the bytes as a latin1 string: any other
 * decoding would hide bytes that are not UTF-8.
 * @throws LedgerError `payload_too_large`, `unsupported_media_type`, `invalid_json`.
 */
export function bodyReader(limit: number): ReadBody {
  return async (ctx) => {
    if (!(await announcesBody(ctx, limit)) || !methods.has(ctx.method)) return '';
    const body = inflate(ctx.req);
    const length = body === ctx.req ? (ctx.req.headers['content-length'] ?? null) : null;
    const bytes = await readRaw(body, { limit, length }).catch((error: unknown) =>
      refuseBody(error as RawBodyError, limit),
    );
    return bytes.toString('latin1');
  };
}

/** @throws LedgerError `unsupported_media_type`. */
function inflate(request: IncomingMessage): Readable {
  switch (codingOf(request)) {
    case 'identity':
      return request;
    case 'gzip':
    case 'deflate':
      return request.pipe(createUnzip());
    case 'br':
      return request.pipe(createBrotliDecompress());
    default:
      return unsupportedCoding();
  }
}

/**
 * Whether there is a body. @throws LedgerError what its headers are refused for: `unsupported_media_type`,
 * `payload_too_large`.
 */
export async function announcesBody(ctx: Context, limit: number): Promise<boolean> {
  const length = ctx.req.headers['content-length'];
  const empty =
    ctx.req.headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
  if (empty) return false;
  if (!ctx.is('json', '+json')) {
    if (length === undefined && (await endsAtOnce(ctx.req))) return false;
    fail('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.');
  }
  if (codingOf(ctx.req) === 'identity' && Number(length) > limit) tooLarge(limit);
  return true;
}

/** In lower case; a coding that only says that there is none is none. */
export function codingOf({ headers }: IncomingMessage): string {
  return (headers['content-encoding'] ?? 'identity').toLowerCase();
}

/** A proxy may send an empty body in chunks: only reading tells. */
async function endsAtOnce(request: IncomingMessage): Promise<boolean> {
  if (!request.complete && request.readableLength === 0) {
    await Promise.race([once(request, 'readable'), once(request, 'end'), once(request, 'close')]);
  }
  return request.complete && request.readableLength === 0;
}

const methods = new Set(['POST', 'PATCH', 'DELETE']);

type RawBodyError = Error & { type?: string; status?: number; code?: string };

/** Tells why a body could not be read: what is the client's fault as such. */
export function refuseBody(error: RawBodyError, limit: number): never {
  if (error.type === 'entity.too.large' || error.status === 413) tooLarge(limit);
  if (isZlibFault(error.code)) fail('invalid_json', 'The body cannot be inflated.', { cause: error });
  if (
    error.type === 'request.aborted' ||
    error.type === 'request.size.invalid' ||
    error.code === 'ECONNRESET'
  ) {
    fail('invalid_json', 'The body ended before it was whole.', { cause: error });
  }
  throw error;
}

/** `Z_…` of gzip and deflate, `ERR__ERROR_…` of brotli. */
function isZlibFault(code = ''): boolean {
  return code.startsWith('Z_') || code.startsWith('ERR__ERROR_');
}

export function unsupportedCoding(): never {
  return fail('unsupported_media_type', 'The Content-Encoding must be gzip, deflate, br or identity.');
}

export function tooLarge(limit: number): never {
  return fail('payload_too_large', `The body must not be larger than ${limit} bytes.`);
}
