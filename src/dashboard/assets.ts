/** The files that pages load: the stylesheet and scripts. The build puts them into `dist/dashboard`. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Context } from 'koa';
import { fail } from '../errors.js';
import { packageFolder } from '../folders.js';

export type Assets = {
  /** The path of a file, with a hash of its content: browsers keep it for ever. */
  path(name: string): string;
  /** Answers the request for a file. @throws AppError `not_found` */
  handle(ctx: Context): Promise<void>;
};

/** Below it are the paths of all files. */
export const ASSETS_BASE = '/assets';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Reads all files, some 100 kB. @throws Error where the build has not made them. */
export function openAssets(folder = new URL('dist/dashboard/', packageFolder)): Assets {
  const files = new Map<string, { type: string; content: Buffer }>();
  const paths = new Map<string, string>();
  for (const name of readdirSync(folder)) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const content = readFileSync(new URL(name, folder));
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
    const hashed = name.replace(/\.(\w+)$/, `-${hash}.$1`);
    files.set(hashed, { type, content });
    // A script imports others by their plain names.
    files.set(name, { type, content });
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
      ctx.status = 200;
      ctx.body = file.content;
    },
  };
}
