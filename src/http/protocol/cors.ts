/** Lets pages of other origins use the server (docs/decisions/018-pages-of-other-origins.md). */
import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** Browsers show these to a page; without being named, no header of ours is. */
const exposed = [
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'X-Key-Expires',
  'Retry-After',
  'WWW-Authenticate',
  'X-Read-Lag',
  'X-As-Of',
  'X-Position',
  'X-Request-Id',
];

/** Browsers keep the answer to a preflight for this time, in seconds. */
const MAX_AGE_S = 600;

/**
 * Answers preflights, and shows answers to pages of these origins. A page of another origin gets what it would get
 * without this. Credentials stay off: the server has no cookies, and a key is sent by the page itself.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  const allowed = new Set(origins);
  return cors({
    origin(ctx) {
      const origin = ctx.get('Origin');
      return allowed.has(origin) ? origin : '';
    },
    exposeHeaders: exposed,
    maxAge: MAX_AGE_S,
  });
}
