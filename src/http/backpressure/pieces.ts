/** Sends long answers in pieces, to see how much of an answer its reader has taken. */
import { Readable } from 'node:stream';
import type { Context, Next } from 'koa';

const PIECE_BYTES = 64 * 1_024;

/**
 * Turns the body that is set after it, if it is long, into a stream that sends each piece when the one before was taken. Node reports no progress
 * within one write: if a long answer were one write, a slow reader would look like one that takes nothing.
 */
export async function sendInPieces(ctx: Context, next: Next): Promise<void> {
  await next();
  const { body } = ctx;
  if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || body.length <= PIECE_BYTES) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  ctx.body = piecesOf(bytes);
  // Koa removes the length with each body that is a stream.
  ctx.length = bytes.length;
}

function piecesOf(bytes: Buffer): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: PIECE_BYTES,
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, (at += PIECE_BYTES)) : null);
    },
  });
}
