/** Writes a page, or the page of an error, with the headers that every page has. */
import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Admission } from '../admission/admission.js';
import { errors, fail, isAppError } from '../errors.js';
import { isHostOf } from '../http/origin.js';
import { setHeaders } from '../http/protocol/headers.js';
import type { RateLimit } from '../http/backpressure/rate-limit.js';
import { renderPoints } from '../http/backpressure/request-cost.js';
import type { Membership, SignedIn } from '../people/people.js';
import type { Assets } from './assets.js';
import { renderPage } from './layout.js';
import type { Files, PageReply, Shown } from './page.js';
import { keepMoment } from './past/keep-moment.js';
import { hasMoment } from './past/paths.js';
import { ErrorPage } from './pages/error.js';

/** `text`: where it was rendered already. */
export type Answered = {
  reply: PageReply;
  lag?: number;
  /** The moment that the page is of, where it is not now. */
  moment?: string;
  team?: Membership;
  text?: string;
};

type Around = { assets: Assets; files: Files; person: SignedIn | null };

type InTurn = Around & { admission: Admission; rateLimit: RateLimit; team: Membership | null };

/** Reads and renders a page in one of the places for that, and charges its holder for the time that it took. */
export async function renderInTurn(
  ctx: Context,
  { admission, rateLimit, team, ...around }: InTurn,
  holder: { team: string; key: string },
  read: () => Promise<Pick<Answered, 'reply' | 'lag' | 'moment'>>,
): Promise<Answered> {
  return admission.run('pages', holder, async () => {
    rateLimit.check(holder.key, ctx.res);
    const answered: Answered = { ...(await read()), ...(team && { team }) };
    // Other requests have their turns between what reads and what renders.
    await setImmediate();
    const began = performance.now();
    const text = textOf(ctx, answered, around);
    rateLimit.charge(holder.key, renderPoints(performance.now() - began), ctx.res);
    return { ...answered, text };
  });
}

export function answerPage(ctx: Context, answered: Answered, around: Around): void {
  const { reply, text = textOf(ctx, answered, around) } = answered;
  if ('redirect' in reply) {
    ctx.status = 303;
    ctx.set('Location', reply.redirect);
    ctx.body = '';
    return;
  }
  setHeaders(ctx, {
    'Content-Security-Policy': securityPolicy(around.files.origin),
    'Referrer-Policy': 'same-origin',
    // Browsers send these headers to https and to the machine itself. Elsewhere they ignore the policy, and say so for each page.
    ...(ctx.get('Sec-Fetch-Mode') !== '' && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
    'X-Frame-Options': 'DENY',
    Vary: 'Accept, Cookie',
  });
  if ('type' in reply) {
    ctx.status = 200;
    ctx.res.setHeader('Content-Type', `${reply.type}; charset=utf-8`);
    ctx.body = text;
    return;
  }
  ctx.status = reply.status ?? 200;
  if (reply.retryAfter !== undefined) ctx.set('Retry-After', String(reply.retryAfter));
  ctx.res.setHeader('Content-Type', 'text/html; charset=utf-8');
  ctx.body = text;
}

function textOf(
  ctx: Context,
  { reply, lag = 0, team, moment }: Answered,
  { assets, person }: Omit<Around, 'files'>,
): string {
  if ('redirect' in reply) return '';
  if ('text' in reply) return reply.text;
  if ('write' in reply) return reply.write();
  const around = { person, team: team ?? null, url: urlOf(ctx), lag, moment: moment ?? null, assets };
  const html = renderPage(reply, around);
  return moment === undefined ? html : keepMoment(html, moment, hasMoment);
}

/** Scripts of reports run at that host: no page may be there, whatever cookies a browser sends. */
export function mustBeOwnHost(ctx: Context, { untrustedOrigin }: Files): void {
  if (isHostOf(ctx.req, untrustedOrigin)) fail('not_found', 'There is no such page.');
}

/** A target such as `//` is no URL, and would name another host. */
export function urlOf(ctx: Context): URL {
  return new URL(`http://page.invalid${ctx.path}${ctx.search}`);
}

/** `report` gets a fault of the server. */
export function errorPage(error: unknown, report: (error: unknown) => void): Shown {
  if (!isAppError(error)) report(error);
  const code = isAppError(error) ? error.code : 'internal';
  const message = isAppError(error) ? error.message : 'Something went wrong in the server.';
  const { status, title } = errors[code];
  const retryAfter = isAppError(error) ? error.retryAfter : undefined;
  return { status, retryAfter, title, body: ErrorPage({ code, message }) };
}

/** Nothing but this server: no script and no style in the page itself, no frame, no form to another place. */
function securityPolicy(filesOrigin: string | null): string {
  const files = filesOrigin === null ? '' : ` ${filesOrigin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${files}`,
    `media-src 'self'${files}`,
    `connect-src 'self'${files}`,
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
