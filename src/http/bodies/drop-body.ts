/** What becomes of a body whose request was refused before all of it came. */
import type { Context } from 'koa';

const MOST_DROPPED = 64 * 1024 * 1024;

/**
 * Reads and drops the rest of a refused body, up to a limit. Otherwise the client could not read the answer while it
 * still sends, and the next request on the connection would wait for ever.
 */
export function dropBody(ctx: Context): void {
  // The request still flows into an inflater that gave up.
  ctx.req.unpipe();
  ctx.req.resume();
  // A client that waits for "100 Continue" may now send the body, or not.
  const unsure = ctx.req.headers.expect !== undefined || ctx.status === 408;
  if (unsure || !(Number(ctx.req.headers['content-length']) <= MOST_DROPPED)) ctx.set('Connection', 'close');
}
