/** Conditional GETs: a client that has the present answer already gets 304 without it (RFC 9110, section 13.1.2). */
import { hash } from 'node:crypto';
import type { Context } from 'koa';

/** Longer answers are pages that change with every write, and their hash would cost as much as a small GET. */
const MOST_TAGGED = 64 * 1024;

/** Tags the answer to a GET whose body is a text, and turns it into a 304 if the client names its tag. */
export function tag(ctx: Context): void {
  const { body } = ctx;
  if (ctx.status !== 200 || typeof body !== 'string' || body.length > MOST_TAGGED) return;
  // Weak: the compressed answer is the same content in other bytes.
  const opaque = `"${hash('sha256', body, 'base64url')}"`;
  ctx.res.setHeader('ETag', `W/${opaque}`);
  const named = ctx.req.headers['if-none-match'];
  if (named !== undefined && names(named, opaque)) ctx.status = 304;
}

/**
 * Koa's `fresh` would never say so to `fetch` in browsers and Node, which sends `Cache-Control: no-cache` with every
 * condition that a program sets.
 */
function names(header: string, opaque: string): boolean {
  return (
    header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === opaque)
  );
}
