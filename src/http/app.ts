/** The Koa app: the middleware around every request, and the routes of both surfaces. */
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { Logger } from 'pino';
import { fail } from '../errors.js';
import { sendInPieces } from './backpressure/pieces.js';
import { handleRequest, type RouteServices } from './handle-request.js';
import type { Metrics } from './metrics.js';
import { answerErrors, identify, notFoundOr405, observe } from './middleware.js';
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
  /** Answers a browser that asks for a page at a path that does not exist. */
  missingPage?: (ctx: Context) => Promise<void>;
  metrics: Metrics;
  logger: Logger;
  /** The origins whose pages may use the server. Default: none. */
  corsOrigins?: readonly string[];
  /** Clients reach the server by https. Default: no. */
  https?: boolean;
  /** The CIDRs of proxies whose word on the address of a client counts. Default: none. */
  trustedProxies?: readonly string[];
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
  missingPage,
  metrics,
  logger,
  corsOrigins = [],
  https = false,
  trustedProxies = [],
}: AppOptions): App {
  const app = new Koa();
  // Koa would print errors that have been answered; an error that comes here is that of a stream being sent.
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!ofClients.has(error.code)) logger.error({ err: error }, 'response failed');
  });
  const bases = surfaces.map(({ base }) => base);
  const api = [...surfaces.map(surfaceRouter), routerOf(open)];
  const routers = [...api, routerOf(pages)];

  app.use(sendInPieces);
  app.use(identify({ https }));
  app.use(observe(logger, metrics, { trustedProxies }));
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  app.use(answerErrors());
  // A router tries the patterns of all its routes: most requests are for a surface, and the pages are many.
  for (const [n, router] of routers.entries()) app.use(below(bases[n] ?? '', router));
  app.use(notFoundOr405(layersOf(routers), missingPage));
  return { koa: app, routes: mounted(api, surfaces) };
}

function below(base: string, router: Router): Middleware {
  const routes = router.routes() as Middleware;
  return (ctx, next) => (ctx.path.startsWith(base) ? routes(ctx, next) : next());
}

function routerOf(routes: readonly (OpenRoute | PageRoute)[]): Router {
  const router = new Router({ sensitive: true });
  for (const { method = 'GET', path, handle } of routes) register(router, method, path, handle);
  return router;
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

/** Routes of one method and path differ by a query parameter only, and share a layer that selects among them. */
function surfaceRouter({ base, routes, services }: SurfaceRoutes): Router {
  const router = new Router({ sensitive: true });
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
  return router;
}

function layersOf(routers: readonly Router[]): Router['stack'] {
  return routers.flatMap(({ stack }) => stack);
}

/** Reads the routers and not the tables, so that a route that was mounted in another way is listed too. */
function mounted(routers: readonly Router[], surfaces: readonly SurfaceRoutes[]): string[] {
  const layers = layersOf(routers).flatMap(({ path, methods }) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
  );
  const byQuery = surfaces.flatMap(({ base, routes }) =>
    routes.flatMap(({ method, path, withQuery }) =>
      withQuery === undefined ? [] : [`${method} ${withoutSlash(base + path)}?${withQuery}`],
    ),
  );
  return [...layers, ...byQuery];
}
