/** The cookie of a session. Scripts cannot read it, and other sites' forms do not send it. */
import type { Context } from 'koa';
import { limits } from '../limits.js';

/** The prefix makes browsers refuse a cookie that another host of the domain has set (RFC 6265bis, section 4.1.3). */
const [SECURE, PLAIN] = ['__Host-testledger', 'testledger'];

/** As long as a session lasts without use. */
const SECONDS = Math.floor(limits.sessionMs / 1_000);

/** `secure`: browsers reach the server by https. */
export type SessionCookie = {
  /** The token of the request; null if it has none. */
  read(ctx: Context): string | null;
  write(ctx: Context, token: string | null): void;
};

export function sessionCookie(secure: boolean): SessionCookie {
  const name = secure ? SECURE : PLAIN;
  return {
    read(ctx) {
      const value = ctx.cookies.get(name) ?? '';
      return /^[\w-]{20,100}$/.test(value) ? value : null;
    },
    write(ctx, token) {
      const age = token === null ? 0 : SECONDS;
      const parts = [`${name}=${token ?? ''}`, 'Path=/', `Max-Age=${age}`, 'HttpOnly', 'SameSite=Lax'];
      ctx.res.setHeader('Set-Cookie', [...parts, ...(secure ? ['Secure'] : [])].join('; '));
    },
  };
}
