/** The dashboard: the pages for people, as routes. They stand beside the API, which they use in the process. */
import type { Context } from 'koa';
import type { Admission } from '../admission/admission.js';
import { systemClock } from '../clock.js';
import type { PageRoute, SurfaceRoutes } from '../http/app.js';
import { originApart } from '../http/apart.js';
import type { RateLimit } from '../http/backpressure/rate-limit.js';
import { openSealedCookies } from '../people/oidc/sealed-cookies.js';
import type { ApiKeys } from '../keys/api-keys.js';
import type { People } from '../people/people.js';
import type { Sharing } from '../sharing/sharing.js';
import { openSealer, type SecretKeys } from '../secret-key/secret-keys.js';
import { ASSETS_BASE, openAssets } from './assets.js';
import { openKeyPages } from './key-pages.js';
import { handleOpenPage, handlePage, type PageServices } from './handle-page.js';
import { openLiveViews } from './live/live-views.js';
import { openPageApi } from './page-api.js';
import type { Files } from './page.js';
import { missingPage, openPages, pages } from './pages.js';
import type { ServerFacts } from './server-facts.js';
import { externalCookie, onceCookie, sessionCookie } from './session-cookie.js';
import { sharedRoutes, type LinkUsed } from './shared/shared-routes.js';
import { traceViewerRoutes } from './trace-viewer.js';

export type DashboardOptions = {
  people: People;
  directory: Pick<ApiKeys, 'membershipsOf' | 'onTeamEvents'>;
  server: ServerFacts;
  surfaces: readonly SurfaceRoutes[];
  admission: Admission;
  rateLimit: RateLimit;
  publicUrl: string | null;
  trustedProxies: readonly string[];
  files: Files;
  secretKeys: SecretKeys;
  sharing: Sharing;
  linkUsed: LinkUsed;
  positionOf(team: string): Promise<string>;
  report: (error: unknown) => void;
};

export type Dashboard = {
  pages: readonly PageRoute[];
  /** Answers where there is no page. */
  missingPage: (ctx: Context) => Promise<void>;
  close(): void;
};

export function openDashboard(options: DashboardOptions): Dashboard {
  const { people, directory, server, surfaces, admission, rateLimit, publicUrl, trustedProxies, files } =
    options;
  const { positionOf, report } = options;
  const assets = openAssets();
  const secure = publicUrl?.startsWith('https:') ?? false;
  const live = openLiveViews({ admission, positionOf, onTeamEvents: directory.onTeamEvents, report });
  const api = openPageApi(surfaces);
  const keyPages = openKeyPages(surfaces[0]!, { api, positionOf });
  const apart = { origin: files.untrustedOrigin, onLoopback: files.onLoopback ?? false };
  const services: PageServices = {
    people,
    directory,
    server,
    api,
    assets,
    live,
    cookie: sessionCookie({ secure }),
    externalCookie: externalCookie({ secure }),
    onceCookie: onceCookie({ secure }),
    sealedOnce: openSealedCookies(openSealer(options.secretKeys, 'shown-once'), 'shown-once', systemClock),
    rateLimit,
    admission,
    positionOf,
    publicUrl,
    trustedProxies,
    files,
    filesFor: (request) => ({ ...files, untrustedOrigin: originApart(apart, request) }),
    report,
  };
  return {
    pages: [
      { method: 'GET', path: `${ASSETS_BASE}/:name`, handle: assets.handle },
      ...traceViewerRoutes(apart, services.cookie),
      ...sharedRoutes(services, options.sharing, options.linkUsed),
      ...openPages.map((page) => ({
        method: page.method,
        path: page.path,
        handle: (ctx: Context) =>
          keyPages.isAsked(ctx) ? keyPages.handle(ctx, page.path) : handleOpenPage(ctx, page, services),
      })),
      ...pages.map((page) => ({
        method: page.method,
        path: page.path,
        handle: (ctx: Context) => handlePage(ctx, page, services),
      })),
    ],
    missingPage(ctx) {
      // No route has read the path; a person in their own team keeps its navigation.
      const [, first, team] = ctx.path.split('/');
      ctx['params'] = first === 'teams' ? { team } : {};
      return handleOpenPage(ctx, missingPage, services);
    },
    close: () => live.close(),
  };
}
