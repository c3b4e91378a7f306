/** What a form has made and a page shows once, kept in a cookie that is encrypted: nothing is stored for it. */
import type { Context } from 'koa';
import type { SealedCookies } from '../people/oidc/sealed-cookies.js';
import type { SignedIn } from '../people/people.js';
import type { Once, PageRequest } from './page.js';
import type { TokenCookie } from './session-cookie.js';

/** The person may have changed meanwhile, in the same browser. */
type Kept = Once & { path: string; person_id: string };

export type OnceCookies = { onceCookie: TokenCookie; sealedOnce: SealedCookies<Kept> };

export function onceOf(
  ctx: Context,
  { person_id }: SignedIn,
  { onceCookie: cookie, sealedOnce }: OnceCookies,
): PageRequest['once'] {
  return {
    keep: (path, once) => cookie.write(ctx, sealedOnce.make({ ...once, path, person_id })),
    take() {
      const kept = sealedOnce.read(cookie.read(ctx) ?? '');
      if (kept?.path !== ctx.path || kept.person_id !== person_id) return null;
      cookie.write(ctx, null);
      return { title: kept.title, text: kept.text };
    },
  };
}
