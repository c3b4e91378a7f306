/** The cookies of sign-ins. Scripts cannot read them, and other sites' forms do not send them. */
import type { Context } from 'koa';

export type TokenCookie = {
  /** The token of the request; null if it has none. */
  read(ctx: Context): string | null;
  /** Null removes the cookie. */
  write(ctx: Context, token: string | null): void;
};

/** `secure`: browsers reach the server by https. */
export type CookieOptions = { secure: boolean };

/** The longest that browsers keep a cookie (RFC 6265bis, section 5.5). */
const LONGEST_SECONDS = 400 * 86_400;

/**
 * The cookie of a session. It outlives the session, which the server ends by its last use: the cookie is set only once,
 * at the sign-in, and would end with the first 14 days otherwise.
 */
export function sessionCookie(options: CookieOptions): TokenCookie {
  return tokenCookie({ ...options, name: 'testledger', seconds: LONGEST_SECONDS });
}

/** The cookie of a sign-in by the identity provider that is under way. */
export function externalCookie(options: CookieOptions): TokenCookie {
  return tokenCookie({ ...options, name: 'testledger-sign-in', seconds: 600 });
}

/** The cookie of what the page after a form shows once. */
export function onceCookie(options: CookieOptions): TokenCookie {
  return tokenCookie({ ...options, name: 'testledger-once', seconds: 60 });
}

function tokenCookie(options: CookieOptions & { name: string; seconds: number }): TokenCookie {
  const { secure, seconds } = options;
  // The prefix makes browsers refuse a cookie that another host of the domain has set (RFC 6265bis, section 4.1.3).
  const name = secure ? `__Host-${options.name}` : options.name;
  return {
    read(ctx) {
      const value = ctx.cookies.get(name) ?? '';
      return /^[\w-]{20,4000}$/.test(value) ? value : null;
    },
    write(ctx, token) {
      const age = token === null ? 0 : seconds;
      const parts = [`${name}=${token ?? ''}`, 'Path=/', `Max-Age=${age}`, 'HttpOnly', 'SameSite=Lax'];
      // A form says by which scheme its browser has come, also where nobody has set PUBLIC_URL.
      const isSecure = secure || ctx.get('Origin').startsWith('https:');
      ctx.res.appendHeader('Set-Cookie', [...parts, ...(isSecure ? ['Secure'] : [])].join('; '));
    },
  };
}
