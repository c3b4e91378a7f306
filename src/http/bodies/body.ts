/** Reads the bytes of a request's body, up to a limit after decompression. `json.ts` parses them later. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { fail } from '../../errors.js';
import { holdsBodyBack, letBodyCome } from '../protocol/expect-continue.js';
import { codingOf, inflated } from './inflated.js';

/** `mayCome` gets the most bytes that the body can have by its headers, and is awaited before a byte is read. */
export type ReadBody = (ctx: Context, mayCome: (bytes: number) => Promise<void>) => Promise<string>;

/**
 * Makes a reader for bodies of at most `limit` bytes after decompression. It returns the bytes as a latin1 string,
 * since any other decoding would hide bytes that are not UTF-8.
 * @throws AppError `payload_too_large`, `unsupported_media_type`, `invalid_json`.
 */
export function bodyReader(limit: number): ReadBody {
  return async (ctx, mayCome) => {
    const announced = await announcesBody(ctx, limit);
    await mayCome(announced ? mostBytes(ctx.req, limit) : 0);
    if (!announced || !methods.has(ctx.method)) return '';
    letBodyCome(ctx.res);
    const { stream, end } = inflated(ctx.req, ctx.req);
    try {
      const length = stream === ctx.req ? (ctx.req.headers['content-length'] ?? null) : null;
      return (await getRawBody(stream, { limit, length })).toString('latin1');
    } catch (error) {
      return refuseBody(error as RawBodyError, limit);
    } finally {
      end();
    }
  };
}

/**
 * True if the headers announce a body. @throws AppError if they announce one that cannot be accepted:
 * `unsupported_media_type`, `payload_too_large`.
 */
export async function announcesBody(ctx: Context, limit: number): Promise<boolean> {
  const length = ctx.req.headers['content-length'];
  const empty =
    ctx.req.headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
  if (empty) return false;
  // Most clients send just that; Koa would take the header apart.
  if (ctx.req.headers['content-type'] !== 'application/json' && !ctx.is('json', '+json')) {
    const mayBeEmpty = length === undefined && !holdsBodyBack(ctx.res);
    if (mayBeEmpty && (await endsAtOnce(ctx.req))) return false;
    fail('unsupported_media_type', 'The body must be JSON, with Content-Type: application/json.');
  }
  if (codingOf(ctx.req) === 'identity' && Number(length) > limit) refuseTooLarge(limit);
  return true;
}

/** The most bytes that an announced body can have after decompression. */
export function mostBytes(request: IncomingMessage, limit: number): number {
  const length = request.headers['content-length'];
  return length === undefined || codingOf(request) !== 'identity' ? limit : Number(length);
}

/** The bytes of a compressed body as it is sent; infinite where it is not compressed, or does not say. */
export function foldedBytes(request: IncomingMessage): number {
  const length = request.headers['content-length'];
  return length === undefined || codingOf(request) === 'identity' ? Infinity : Number(length);
}

/** A proxy may send an empty body in chunks: only a read shows that it is empty. */
async function endsAtOnce(request: IncomingMessage): Promise<boolean> {
  if (!request.complete && request.readableLength === 0) {
    await Promise.race([once(request, 'readable'), once(request, 'end'), once(request, 'close')]);
  }
  return request.complete && request.readableLength === 0;
}

const methods = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

type RawBodyError = Error & { type?: string; status?: number; code?: string };

/** Turns an error while a body was read into a refusal, where the client caused it. @throws always. */
export function refuseBody(error: RawBodyError, limit: number): never {
  if (error.type === 'entity.too.large' || error.status === 413) refuseTooLarge(limit);
  if (error.type === 'encoding.unsupported' || error.status === 415) {
    fail('unsupported_media_type', 'The Content-Encoding must be gzip, deflate, br or identity.');
  }
  if (isZlibFault(error.code)) fail('invalid_json', 'The body cannot be decompressed.', { cause: error });
  if (
    error.type === 'request.aborted' ||
    error.type === 'request.size.invalid' ||
    error.code === 'ECONNRESET'
  ) {
    fail('invalid_json', 'The body ended before it was complete.', { cause: error });
  }
  throw error;
}

/** `Z_…` of gzip and deflate, `ERR__ERROR_…` of brotli. */
function isZlibFault(code = ''): boolean {
  return code.startsWith('Z_') || code.startsWith('ERR__ERROR_');
}

export function refuseTooLarge(limit: number): never {
  return fail('payload_too_large', `The body must not be larger than ${limit} bytes.`);
}
