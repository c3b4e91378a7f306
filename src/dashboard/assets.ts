/** The files that pages load: the stylesheet and scripts. The build puts them into `dist/dashboard`. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { fail } from '../errors.js';
import { packageFolder } from '../folders.js';

export type Assets = {
  /** The path of a file, with a hash of its content: browsers keep it for ever. */
  path(name: string): string;
  /** Answers the request for a file. @throws AppError `not_found` */
  handle(ctx: Context): Promise<void>;
};

/** The mark of the program, and the same in the colour of an outcome. */
const iconColors = {
  'icon.svg': '#1a5fd0',
  'icon-passed.svg': '#1a7f42',
  'icon-failed.svg': '#c02632',
  'icon-running.svg': '#8a5a00',
};
export type IconName = keyof typeof iconColors;

/** Below it are the paths of all files. */
export const ASSETS_BASE = '/assets';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Reads all files, some 100 kB. @throws Error where the build has not made them. */
export function openAssets(folder = new URL('dist/dashboard/', packageFolder)): Assets {
  const files = new Map<string, { type: string; content: Buffer; gzipped: Buffer }>();
  const paths = new Map<string, string>();
  const mark = readFileSync(new URL('icon.svg', folder), 'utf8');
  const icons = Object.entries(iconColors).map(
    ([name, color]) => [name, Buffer.from(mark.replace(iconColors['icon.svg'], color))] as const,
  );
  const built = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))] as const);
  for (const [name, content] of [...built, ...icons]) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const file = { type, content, gzipped: gzipSync(content, { level: 9 }) };
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
    const hashed = name.replace(/\.(\w+)$/, `-${hash}.$1`);
    files.set(hashed, file);
    // A script imports others by their plain names.
    files.set(name, file);
    paths.set(name, `${ASSETS_BASE}/${hashed}`);
  }
  return {
    path(name) {
      const path = paths.get(name);
      if (path === undefined) throw new Error(`the build has made no ${name}`);
      return path;
    },
    async handle(ctx) {
      const { name } = ctx['params'] as { name: string };
      const file = files.get(name) ?? fail('not_found', 'There is no such file.');
      const isHashed = !paths.has(name);
      ctx.res.setHeader('Content-Type', file.type);
      ctx.res.setHeader(
        'Cache-Control',
        isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
      );
      ctx.vary('Accept-Encoding');
      const isGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
      if (isGzip) ctx.res.setHeader('Content-Encoding', 'gzip');
      ctx.status = 200;
      ctx.body = isGzip ? file.gzipped : file.content;
    },
  };
}
