/** The Koa app: what happens to every request, and the routes of both surfaces. */
import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { Logger } from 'pino';
import { fail, isLedgerError, reasonOf } from '../errors.js';
import type { Metrics } from './metrics.js';
import { problemReply, type Surface } from './problem.js';
import type { Route } from './route.js';
import { send, serve, type Serving } from './serve.js';

export type AppOptions = {
  /** None where this process has not the role: health and metrics are everybody's. */
  surfaces: readonly { base: string; routes: readonly Route[]; serving: Serving }[];
  /** Routes without a key: health, status, metrics, files by signed URLs. */
  open: readonly OpenRoute[];
  metrics: Metrics;
  logger: Logger;
};

const MOST_DROPPED = 64 * 1024 * 1024;

/** Whoever takes a key for its id puts it into the path; no secret belongs in the log. */
const aKey = /tl_[0-9A-Za-z]+/g;

export type OpenRoute = {
  /** Default: GET, and HEAD with it. */
  method?: 'GET' | 'PUT';
  path: string;
  handle: (ctx: Context) => Promise<void>;
};

export type App = {
  koa: Koa;
  /** What is mounted, each `METHOD /path`, or `METHOD /path?name` where a query parameter chooses the route. */
  routes: readonly string[];
};

export function createApp({ surfaces, open, metrics, logger }: AppOptions): App {
  const app = new Koa();
  // Koa would print what `answered` has handled already; what reaches this is a fault of a stream being sent.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET')
      logger.error({ err: error }, 'response failed');
  });
  const router = new Router({ sensitive: true });
  for (const { method = 'GET', path, handle } of open) {
    router.register(path, [method], (async (ctx: Context) => {
      ctx.state['route'] = path;
      await handle(ctx);
    }) as never);
  }
  for (const { base, routes, serving } of surfaces) mount(router, base, routes, serving);

  app.use(answered(metrics, logger));
  app.use(router.routes() as unknown as Middleware);
  app.use(unrouted(router));
  return { koa: app, routes: mounted(router, surfaces) };
}

/** As the router has it, not the tables: a route that came in another way is seen too. */
function mounted(router: Router, surfaces: AppOptions['surfaces']): string[] {
  const layers = router.stack.flatMap(({ path, methods }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
  );
  const chosen = surfaces.flatMap(({ base, routes }) =>
    routes.flatMap(({ method, path, withQuery }) =>
      withQuery === undefined ? [] : [`${method} ${eitherSlash(base + path)}?${withQuery}`],
    ),
  );
  return [...layers, ...chosen];
}

/** The router takes a slash at the end as optional, unless the path ends in one itself. */
function eitherSlash(path: string): string {
  return path.replace(/\/$/, '');
}

/** Routes of one method and path differ by a query parameter only: one layer chooses among them. */
function mount(router: Router, base: string, routes: readonly Route[], serving: Serving): void {
  const layers = new Map<string, Route[]>();
  for (const each of routes) {
    const name = `${each.method} ${each.path}`;
    layers.set(name, [...(layers.get(name) ?? []), each]);
  }
  for (const group of layers.values()) {
    const { method, path } = group[0]!;
    const byQuery = group.filter(({ withQuery }) => withQuery !== undefined);
    const plain = group.find(({ withQuery }) => withQuery === undefined) ?? group[0]!;
    const choose = (ctx: Context) =>
      byQuery.find(({ withQuery }) => ctx.query[withQuery!] !== undefined) ?? plain;
    // One layer a route: each costs every request a promise more.
    router.register(eitherSlash(base + path), [method], (async (ctx: Context) => {
      ctx.state['route'] = base + path;
      await serve(ctx, byQuery.length === 0 ? plain : choose(ctx), serving);
    }) as never);
  }
}

/** Request id, error answers, metrics and the log line of every request. */
function answered(metrics: Metrics, logger: Logger): Middleware {
  return async (ctx, next) => {
    const began = performance.now();
    const sent = ctx.req.headers['x-request-id'];
    const requestId = typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.res.setHeader('X-Request-Id', requestId);
    let fault: unknown;
    try {
      await next();
    } catch (error) {
      fault = error;
      send(ctx, problemReply(surfaceOf(ctx.path), error, requestId));
      if (!ctx.req.complete) dropBody(ctx);
    }
    const ms = performance.now() - began;
    const name = (ctx.state['route'] as string | undefined) ?? 'none';
    // Of a stream, until it began: how long its reader stays says nothing of the server.
    const beganAt = ctx.state['streamBeganAt'] as number | undefined;
    metrics.request(ctx.method, name, ctx.status, beganAt === undefined ? ms : beganAt - began);
    const line = {
      request_id: requestId,
      method: ctx.method,
      path: ctx.path.replace(aKey, 'tl_…'),
      status: ctx.status,
      ms: Math.round(ms * 10) / 10,
    };
    if (ctx.status >= 500 && ctx.status !== 503) logger.error({ ...line, err: fault }, 'request failed');
    else if (isLedgerError(fault)) {
      // What is away has often told nobody else why.
      const why = ctx.status === 503 && { why: reasonOf(fault) };
      logger.info({ ...line, code: fault.code, ...why }, 'request refused');
    } else logger.info(line, 'request');
  };
}

/**
 * Reads on and drops what is left of a refused body, so that the client can take the answer and the next request on
 * the connection is not waited for in vain; but not without end.
 */
function dropBody(ctx: Context): void {
  // An inflater that gave up is still what the request flows into.
  ctx.req.unpipe();
  ctx.req.resume();
  // Whoever waits to be told to go on may send the body now, or not at all.
  const unsure = ctx.req.headers.expect !== undefined || ctx.status === 408;
  if (unsure || !(Number(ctx.req.headers['content-length']) <= MOST_DROPPED)) ctx.set('Connection', 'close');
}

/** 404 for a path that is not there; else 405 or the answer to OPTIONS, with the methods that it takes. */
function unrouted(router: Router): Middleware {
  return async (ctx) => {
    const matched = router.match(ctx.path, ctx.method);
    if (matched.path.length === 0) fail('not_found', 'There is nothing at this path.');
    const allowed = new Set(['OPTIONS', ...matched.path.flatMap(({ methods }) => methods)]);
    ctx.set('Allow', [...allowed].sort().join(', '));
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204;
      return;
    }
    fail('method_not_allowed', `This path takes ${[...allowed].sort().join(', ')}.`);
  };
}

function surfaceOf(path: string): Surface {
  return path.startsWith('/v1/') && !/^\/v1\/(test|blobs)(\/|$)/.test(path) ? 'b' : 'a';
}
