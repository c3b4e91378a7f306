/**
 * Playwright's trace viewer, for the traces of results. It is a program of its own that shows what a test has recorded,
 * so it is served at the origin of untrusted files alone, where no page and no cookie is.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Context } from 'koa';
import { fail } from '../errors.js';
import { packageFolder } from '../folders.js';
import type { PageRoute } from '../http/app.js';
import { originApart, type Apart } from '../http/apart.js';
import { isHostOf } from '../http/origin.js';
import { setHeaders } from '../http/protocol/headers.js';
import type { TokenCookie } from './session-cookie.js';

const BASE = '/trace-viewer';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.ttf': 'font/ttf',
  '.webmanifest': 'application/manifest+json',
};

/**
 * The routes of the viewer's files; none without a place apart for untrusted files. The build puts the files into
 * `dist/trace-viewer`, 1.7 MB. @throws Error where it has not
 */
export function traceViewerRoutes(
  apart: Apart,
  session: Pick<TokenCookie, 'read'>,
  folder = new URL('dist/trace-viewer/', packageFolder),
): PageRoute[] {
  if (apart.origin === null && !apart.onLoopback) return [];
  const names = readdirSync(folder, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => extname(name) in types);
  const files = new Map<string, { content: Buffer; etag: string }>();
  /** Read once, when it is asked for: most servers show no trace. */
  const fileOf = (name: string) => {
    if (!files.has(name) && names.includes(name)) {
      const content = readFileSync(new URL(name, folder));
      files.set(name, { content, etag: createHash('sha256').update(content).digest('base64url') });
    }
    return files.get(name);
  };
  /** Pages are at both names of this machine: what is in a trace must not come to stand beside a session. */
  const isApart = (ctx: Context): boolean => {
    if (apart.origin !== null) return isHostOf(ctx.req, apart.origin);
    if (originApart(apart, ctx.req) === null) return false;
    if (session.read(ctx) === null) return true;
    return fail('forbidden', `You have signed in at ${ctx.host} too, where no trace opens. Sign out there.`);
  };
  const policy = policyFor(fileOf('index.html')?.content.toString('utf8') ?? '');

  async function handle(ctx: Context, name: string): Promise<void> {
    const file = isApart(ctx) ? fileOf(name) : undefined;
    if (file === undefined) fail('not_found', 'There is no such file.');
    setHeaders(ctx, {
      'Content-Type': types[extname(name)]!,
      'Content-Security-Policy': policy,
      // Whether there is a session is asked each time.
      'Cache-Control': apart.origin === null ? 'no-cache' : 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
      // The address of the viewer holds the signed URL of the trace.
      'Referrer-Policy': 'no-referrer',
    });
    ctx.status = 200;
    ctx.etag = file.etag;
    // A browser that has the file asks again after an hour.
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = file.content;
  }

  const paramsOf = (ctx: Context) => ctx['params'] as { name: string };
  return [
    { method: 'GET', path: `${BASE}/:name`, handle: (ctx) => handle(ctx, paramsOf(ctx).name) },
    {
      method: 'GET',
      path: `${BASE}/assets/:name`,
      handle: (ctx) => handle(ctx, `assets/${paramsOf(ctx).name}`),
    },
  ];
}

/** Where the viewer shows a trace; `signed`: its signed URL at the same origin. */
export function traceViewerUrl(untrustedOrigin: string, signed: string): string {
  return `${untrustedOrigin}${BASE}/index.html?trace=${encodeURIComponent(signed)}`;
}

/** A browser runs the viewer's service worker over https only, or on the machine itself. */
export function canShowTraces(untrustedOrigin: string): boolean {
  const { protocol, hostname } = new URL(untrustedOrigin);
  return protocol === 'https:' || /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * The viewer runs its own scripts and loads from its own origin alone, so it fetches no trace of another server. The pages
 * in a trace are answered by its service worker, with a policy of the viewer's own.
 */
function policyFor(index: string): string {
  const inline = [...index.matchAll(/<script>([^]*?)<\/script>/g)].map(
    ([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self'${inline.join('')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self' data: blob:",
    "frame-src 'self' data: blob:",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}
