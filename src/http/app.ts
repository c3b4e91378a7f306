/** The Koa app: the middleware around every request, and the routes of both surfaces. */
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import { fail } from '../errors.js';
import { handleRequest, type RouteServices } from './handle-request.js';
import type { Metrics } from './metrics.js';
import { callRoutes } from './find-route.js';
import { answerErrors, aroundRequests, notFoundOr405 } from './middleware.js';
import { allowOrigins } from './protocol/cors.js';
import type { OpenRoute, Route } from './route.js';

export type SurfaceRoutes = { base: string; routes: readonly Route[]; services: RouteServices };

/** The errors of an answer whose client leaves, or is cut off. */
const ofClients = new Set<string | undefined>(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** A route that answers with a page, or with a file of one. */
export type PageRoute = { method: 'GET' | 'POST'; path: string; handle(ctx: Context): Promise<void> };

export type AppOptions = {
  /** Empty in a process without the role `api`: every process serves the open routes. */
  surfaces: readonly SurfaceRoutes[];
  /** Routes without a key: health, status, metrics, pages about errors, files by signed URLs. */
  open: readonly OpenRoute[];
  /** The pages of the dashboard: they are no part of the API. */
  pages?: readonly PageRoute[];
  metrics: Metrics;
  logger: Logger;
  /** The origins whose pages may use the server. Default: none. */
  corsOrigins?: readonly string[];
};

export type App = {
  koa: Koa;
  /** Every mounted route of the API as `METHOD /path`, or `METHOD /path?name` where a query parameter selects the route. */
  routes: readonly string[];
};

export function createApp({
  surfaces,
  open,
  pages = [],
  metrics,
  logger,
  corsOrigins = [],
}: AppOptions): App {
  const app = new Koa();
  // Koa would print errors that have been answered; an error that comes here is that of a stream being sent.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!ofClients.has(error.code)) logger.error({ err: error }, 'response failed');
  });
  const router = new Router({ sensitive: true });
  for (const { method = 'GET', path, handle } of open) register(router, method, path, handle);
  for (const surface of surfaces) mount(router, surface);
  for (const { method, path, handle } of pages) register(router, method, path, handle);

  app.use(aroundRequests(logger, metrics));
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  app.use(answerErrors());
  app.use(callRoutes(router));
  app.use(notFoundOr405(router));
  const shown = new Set(pages.map(({ method, path }) => `${method} ${path}`));
  return { koa: app, routes: mounted(router, surfaces).filter((route) => !shown.has(route)) };
}

function register(
  router: Router,
  method: string,
  path: string,
  handle: (ctx: Context) => Promise<void>,
): void {
  router.register(withoutSlash(path) || '/', [method], (ctx) => {
    ctx.state['route'] = path;
    // The router takes `//` for the root with a slash at the end.
    if (path === '/' && ctx.path !== '/') fail('not_found', 'This path does not exist.');
    return handle(ctx);
  });
}

/** The router takes a slash at the end as optional, unless the path ends in one itself. */
function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}

/**
 * Mounts the routes of a surface. Routes of one method and path differ by a query parameter only, and share a layer
 * that selects among them: each layer costs every request another promise.
 */
function mount(router: Router, { base, routes, services }: SurfaceRoutes): void {
  const layers = new Map<string, Route[]>();
  for (const each of routes) {
    const name = `${each.method} ${each.path}`;
    layers.set(name, [...(layers.get(name) ?? []), each]);
  }
  for (const group of layers.values()) {
    const { method, path } = group[0]!;
    const byQuery = group.filter(({ withQuery }) => withQuery !== undefined);
    const plain = group.find(({ withQuery }) => withQuery === undefined) ?? group[0]!;
    const select = (ctx: Context) =>
      byQuery.find(({ withQuery }) => ctx.query[withQuery!] !== undefined) ?? plain;
    register(router, method, base + path, (ctx) =>
      handleRequest(ctx, byQuery.length === 0 ? plain : select(ctx), services),
    );
  }
}

/** Reads the router and not the tables, so that a route that was mounted in another way is listed too. */
function mounted(router: Router, surfaces: readonly SurfaceRoutes[]): string[] {
  const layers = router.stack.flatMap(({ path, methods }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
  );
  const byQuery = surfaces.flatMap(({ base, routes }) =>
    routes.flatMap(({ method, path, withQuery }) =>
      withQuery === undefined ? [] : [`${method} ${withoutSlash(base + path)}?${withQuery}`],
    ),
  );
  return [...layers, ...byQuery];
}
