/** The middleware around every request: its id, its log line, its measurements, and the answer to an error. */
import { randomUUID } from 'node:crypto';
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { fail, isLedgerError, reasonOf } from '../errors.js';
import { send } from './handle-request.js';
import type { Metrics } from './metrics.js';
import { problemReply, type Surface } from './problems/reply.js';

/** Takes the id that the client sent, or makes one. */
export function requestId(): Middleware {
  return (ctx, next) => {
    const sent = ctx.req.headers['x-request-id'];
    const id = typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();
    ctx.state['requestId'] = id;
    ctx.res.setHeader('X-Request-Id', id);
    return next();
  };
}

/** A client that takes a key for its id puts it into the path; no secret belongs in the log. */
const aKey = /tl_[0-9A-Za-z]+/g;

/** Writes one line for each request. */
export function logRequests(logger: Logger): Middleware {
  return async (ctx, next) => {
    const began = performance.now();
    await next();
    const line = {
      request_id: ctx.state['requestId'] as string,
      method: ctx.method,
      path: ctx.path.replace(aKey, 'tl_…'),
      status: ctx.status,
      ms: Math.round((performance.now() - began) * 10) / 10,
    };
    const error: unknown = ctx.state['error'];
    if (ctx.status >= 500 && ctx.status !== 503) logger.error({ ...line, err: error }, 'request failed');
    else if (isLedgerError(error)) {
      // Often no other line says why a store is unavailable.
      const why = ctx.status === 503 && { why: reasonOf(error) };
      logger.info({ ...line, code: error.code, ...why }, 'request refused');
    } else logger.info(line, 'request');
  };
}

/** Counts each request by its route, and measures how long it took. */
export function measureRequests(metrics: Metrics): Middleware {
  return async (ctx, next) => {
    const began = performance.now();
    await next();
    const route = (ctx.state['route'] as string | undefined) ?? 'none';
    // Of a stream, the time to its first byte counts: how long its reader stays says nothing about the server.
    const end = (ctx.state['streamBeganAt'] as number | undefined) ?? performance.now();
    metrics.request(ctx.method, route, ctx.status, end - began);
  };
}

/** Answers with the error that a route throws, in the form of its surface. */
export function answerErrors(): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      ctx.state['error'] = error;
      send(ctx, problemReply(surfaceOf(ctx.path), error, ctx.state['requestId'] as string));
      if (!ctx.req.complete) dropBody(ctx);
    }
  };
}

function surfaceOf(path: string): Surface {
  return path.startsWith('/v1/') && !/^\/v1\/(test|blobs)(\/|$)/.test(path) ? 'b' : 'a';
}

const MOST_DROPPED = 64 * 1024 * 1024;

/**
 * Reads and drops the rest of a refused body, up to a limit. Otherwise the client could not read the answer while it
 * still sends, and the next request on the connection would wait for ever.
 */
function dropBody(ctx: Context): void {
  // The request still flows into an inflater that gave up.
  ctx.req.unpipe();
  ctx.req.resume();
  // A client that waits for "100 Continue" may now send the body, or not.
  const unsure = ctx.req.headers.expect !== undefined || ctx.status === 408;
  if (unsure || !(Number(ctx.req.headers['content-length']) <= MOST_DROPPED)) ctx.set('Connection', 'close');
}

/** Answers requests without a route: 404 for an unknown path; else 405 or the answer to OPTIONS, with the methods. */
export function notFoundOr405(router: Router): Middleware {
  return (ctx) => {
    const matched = router.match(ctx.path, ctx.method);
    if (matched.path.length === 0) fail('not_found', 'This path does not exist.');
    const allowed = [...new Set(['OPTIONS', ...matched.path.flatMap(({ methods }) => methods)])].sort();
    ctx.set('Allow', allowed.join(', '));
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204;
      return;
    }
    fail('method_not_allowed', `This path supports ${allowed.join(', ')}.`);
  };
}
