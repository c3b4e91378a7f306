/** Headers that are the same for many answers. */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';

/**
 * The default of every answer: no cache keeps it, because nearly all show data or secrets of one team, and no browser
 * takes it for another type. Public pages and files set their own.
 */
export function keepPrivate(response: ServerResponse): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}

/** Sets the headers of an answer. `Vary` is added to, because several parts of the server have their reasons for it. */
export function setHeaders(ctx: Context, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'Vary') ctx.vary(value);
    else ctx.res.setHeader(name, value);
  }
}

/** Takes back all headers that were set after the call, for an answer that becomes another one. */
export function rememberHeaders(response: ServerResponse): () => void {
  const before = response.getHeaders();
  return () => {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    for (const [name, value] of Object.entries(before)) {
      if (value !== undefined) response.setHeader(name, value);
    }
  };
}
