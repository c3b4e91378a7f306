/** The pages of a link to a run: the token in their path takes the place of a person. No cookie is read, and none is set. */
import type { Context } from 'koa';
import { addMilliseconds, instant, systemClock } from '../../clock.js';
import type { PageRoute } from '../../http/app.js';
import type { Client } from '../../domain/audit/told-events.js';
import { clientOn } from '../../http/client-on.js';
import { publicOrigin } from '../../http/origin.js';
import { setHeaders } from '../../http/protocol/headers.js';
import { limits } from '../../limits.js';
import type { Sharing } from '../../sharing/sharing.js';
import type { RunLink } from '../../sharing/run-links.js';
import { answerPage, errorPage, mustBeOwnHost, renderInTurn, urlOf, type Answered } from '../answer-page.js';
import type { PageServices } from '../handle-page.js';
import type { PageApi } from '../page-api.js';
import { apiOfLink } from './api-of-link.js';
import { badgeRoute } from './badge-route.js';
import { openGuesses } from './guesses.js';
import { linksOfShared } from './links.js';
import { sharedPages, type SharedPage } from './pages.js';

/** The path is the permission: no other site, cache or search engine may learn it from a page. */
const HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'private, no-store',
};

/** Hears of each use of a link. */
export type LinkUsed = (link: Pick<RunLink, 'id' | 'team_id'>, client: Client) => void;

export function sharedRoutes(
  services: PageServices,
  { links, badges }: Sharing,
  linkUsed: LinkUsed,
): PageRoute[] {
  const guesses = openGuesses(services.trustedProxies);

  async function answered(ctx: Context, page: SharedPage): Promise<Answered> {
    mustBeOwnHost(ctx, services.files);
    const { token = '', ...params } = ctx['params'] as Record<string, string>;
    const link = await guesses.right(ctx.req, () => links.find(token));
    linkUsed(link, clientOn(ctx.req, services.trustedProxies));
    // All readers of a link together take no more than one person.
    const holder = { team: link.team_id, key: link.id };
    services.rateLimit.request(holder.key, ctx.res);
    const api = apiOfLink(apiFor(ctx, services, { ...link, ends: endOfFiles(link) }), link);
    const request = {
      api,
      params: { ...params, run: link.run_id },
      url: urlOf(ctx),
      files: services.filesFor(ctx.req),
      links: linksOfShared(token, link.run_id),
    };
    return renderInTurn(ctx, { ...services, person: null, team: null }, holder, async () => {
      const reply = await page.handle(request).catch((error: unknown) => guesses.refuse(error, api.lag()));
      return { reply, lag: api.lag() };
    });
  }

  const routeOf = (page: SharedPage): PageRoute => ({
    method: 'GET',
    path: page.path,
    async handle(ctx) {
      const around = { ...services, person: null };
      try {
        answerPage(ctx, await answered(ctx, page), around);
      } catch (error) {
        answerPage(ctx, { reply: errorPage(error, services.report) }, around);
      }
      setHeaders(ctx, HEADERS);
    },
  });

  return [
    ...sharedPages.map(routeOf),
    badgeRoute({
      badges,
      guesses,
      admission: services.admission,
      apiOf: (badge, ctx) => apiFor(ctx, services, { ...badge, ends: null }),
    }),
  ];
}

/** The URL of a file outlives the revocation of its link by as long as it lives. */
function endOfFiles({ expires_at }: RunLink): string {
  const soon = addMilliseconds(instant(systemClock), limits.linkFileMs);
  return soon < expires_at ? soon : expires_at;
}

type Reader = { id: string; team_id: string; project_id: string; ends: string | null };

/** The API for a viewer of one project. */
function apiFor(
  ctx: Context,
  { api, publicUrl, trustedProxies, rateLimit }: PageServices,
  { id, team_id, project_id, ends }: Reader,
): PageApi {
  return api({
    key: {
      key_id: id,
      name: 'a link',
      role: 'viewer',
      team_id,
      team_name: '',
      person_id: null,
      person_role: null,
      project_ids: [project_id],
      expires_at: ends,
    },
    correlationId: ctx.state['requestId'] as string,
    client: clientOn(ctx.req, trustedProxies),
    origin: publicOrigin(publicUrl, ctx.req),
    rate: {
      charge: (points) => rateLimit.charge(id, points, ctx.res),
      check: () => rateLimit.check(id, ctx.res),
    },
  });
}
