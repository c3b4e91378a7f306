/** Answers that go on: written as fast as their reader takes them, and no faster. */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { waitForCallback } from '../concurrency/wait-for-callback.js';
import type { Reply } from './route.js';

export type Streams = {
  /**
   * Writes a streamed reply to its end. `allowed` is asked again and again: whoever loses his key is shown nothing more.
   * @throws what the stream fails with before its first byte; later, the connection is cut
   */
  send(ctx: Context, reply: StreamReply, allowed: () => boolean): Promise<void>;
  /** Ends those that have no end of their own, and those that still begin. */
  stop(): void;
};

export type StreamReply = Reply & Required<Pick<Reply, 'stream'>>;

export type Stream = {
  /** Ends on the signal. */
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array | string>;
  /** It has no end of its own: when it is ended, its client takes that for nothing else. */
  endless: boolean;
};

/** A reader that takes nothing for so long is cut off. */
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
      if (ctx.res.destroyed) abort.abort();
      try {
        await write(ctx, reply, abort.signal, stalledMs);
      } finally {
        clearInterval(look);
        ctx.res.off('close', closed);
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
  // Before anything is sent: what fails by then is refused as anywhere else.
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
    // Half an answer must not look like a whole one.
    res.destroy();
    ctx.app.emit('error', error, ctx);
    return;
  } finally {
    await chunks.return?.();
  }
  if (signal.aborted && !stream.endless) res.destroy();
  else res.end();
}

/** From here on the answer is ours, and Koa leaves it alone. */
function begin(ctx: Context, { status, headers = {}, type }: StreamReply): void {
  ctx.respond = false;
  ctx.state['streamBeganAt'] = performance.now();
  ctx.res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
  ctx.res.setHeader('Content-Type', `${type}; charset=utf-8`);
}

/** Waits until the reader has taken what was written; false where he is gone, or takes nothing for too long. */
async function drained(res: ServerResponse, signal: AbortSignal, stalledMs: number): Promise<boolean> {
  const subscribe = (callback: () => void) => {
    res.once('drain', callback);
    return () => res.off('drain', callback);
  };
  return (await waitForCallback(subscribe, { withinMs: stalledMs, signal })) === 'called';
}
