/** The cookies of a session and of a sign-in that is under way. Scripts cannot read it, and other sites' forms do not send it. */
import type { Context } from 'koa';
import { limits } from '../limits.js';

/** The prefix makes browsers refuse a cookie that another host of the domain has set (RFC 6265bis, section 4.1.3). */
const PREFIX = '__Host-';

/** `seconds`: how long browsers keep it. A session lasts as long without use. */
const kinds = {
  session: { name: 'testledger', seconds: Math.floor(limits.sessionMs / 1_000) },
  signIn: { name: 'testledger-sign-in', seconds: 600 },
};

export type Cookie = {
  /** The token of the request; null if it has none. */
  read(ctx: Context): string | null;
  write(ctx: Context, token: string | null): void;
};

/** `secure`: browsers reach the server by https. */
export function openCookie(kind: keyof typeof kinds, secure: boolean): Cookie {
  const { name: plain, seconds } = kinds[kind];
  const name = secure ? PREFIX + plain : plain;
  return {
    read(ctx) {
      const value = ctx.cookies.get(name) ?? '';
      return /^[\w-]{20,100}$/.test(value) ? value : null;
    },
    write(ctx, token) {
      const age = token === null ? 0 : seconds;
      const parts = [`${name}=${token ?? ''}`, 'Path=/', `Max-Age=${age}`, 'HttpOnly', 'SameSite=Lax'];
      ctx.res.appendHeader('Set-Cookie', [...parts, ...(secure ? ['Secure'] : [])].join('; '));
    },
  };
}
