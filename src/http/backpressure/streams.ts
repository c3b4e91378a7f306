/** Streamed answers: written as fast as their reader takes them, and no faster. */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { waitForCallback } from '../../concurrency/wait-for-callback.js';
import { setHeaders } from '../protocol/headers.js';
import type { Reply } from '../route.js';

export type Streams = {
  /**
   * Writes a streamed reply to its end, and checks `allowed` repeatedly: a client whose key is revoked gets nothing
   * more.
   * @throws what the stream throws before its first byte; a later failure cuts the connection
   */
  send(ctx: Context, reply: StreamReply, allowed: () => boolean): Promise<void>;
  /** Ends the endless streams, and those that begin from now on. */
  stop(): void;
};

export type StreamReply = Reply & Required<Pick<Reply, 'stream'>>;

/** A reader that takes nothing for this time is cut off. */
const STALLED_MS = 60_000;
const LOOK_EVERY_MS = 250;

export function openStreams({ stalledMs = STALLED_MS }: { stalledMs?: number } = {}): Streams {
  const endless = new Set<AbortController>();
  let stopping = false;

  return {
    async send(ctx, reply, allowed) {
      if (ctx.method === 'HEAD') {
        begin(ctx, reply);
        ctx.res.end();
        return;
      }
      const { stream } = reply;
      const abort = new AbortController();
      if (stream.endless) endless.add(abort);
      if (stream.endless && stopping) abort.abort();
      const look = setInterval(() => allowed() || abort.abort(), LOOK_EVERY_MS).unref();
      const closed = () => abort.abort();
      ctx.res.once('close', closed);
      // A client that ends its side is answered to the end, but an endless answer would outlive a client that has left.
      const { socket } = ctx.req;
      if (stream.endless) socket.once('end', closed);
      if (ctx.res.destroyed || (stream.endless && socket.readableEnded)) abort.abort();
      try {
        await write(ctx, reply, abort.signal, stalledMs);
      } finally {
        clearInterval(look);
        ctx.res.off('close', closed);
        socket.off('end', closed);
        endless.delete(abort);
      }
    },
    stop() {
      stopping = true;
      for (const each of endless) each.abort();
    },
  };
}

async function write(
  ctx: Context,
  reply: StreamReply,
  signal: AbortSignal,
  stalledMs: number,
): Promise<void> {
  const { stream } = reply;
  const { res } = ctx;
  const chunks = stream.chunks(signal)[Symbol.asyncIterator]();
  // Read before the headers are sent: an error up to here is answered as on every other route.
  let next = await chunks.next();
  begin(ctx, reply);
  try {
    for (; next.done !== true; next = await chunks.next()) {
      if (next.value.length > 0 && !res.write(next.value) && !(await drained(res, signal, stalledMs))) {
        res.destroy();
        break;
      }
    }
  } catch (error) {
    // An answer that broke off must not look complete.
    res.destroy();
    ctx.app.emit('error', error, ctx);
    return;
  } finally {
    await chunks.return?.();
  }
  if (signal.aborted && !stream.endless) res.destroy();
  else res.end();
}

/** Sends the headers. From here on Koa does not touch the answer. */
function begin(ctx: Context, { status, headers = {}, type }: StreamReply): void {
  ctx.respond = false;
  ctx.state['streamBeganAt'] = performance.now();
  ctx.res.statusCode = status;
  setHeaders(ctx, headers);
  const isText = type?.startsWith('application/vnd.') !== true;
  ctx.res.setHeader('Content-Type', isText ? `${type}; charset=utf-8` : type);
}

/** Waits until the reader has taken all data; false if it has left, or takes nothing for too long. */
async function drained(res: ServerResponse, signal: AbortSignal, stalledMs: number): Promise<boolean> {
  const subscribe = (callback: () => void) => {
    res.once('drain', callback);
    return () => res.off('drain', callback);
  };
  return (await waitForCallback(subscribe, { withinMs: stalledMs, signal })) === 'called';
}
