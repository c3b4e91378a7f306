/**
 * `/clients/`: the command line, the reporters and the pytest plugin of this server's version, so that a job installs
 * them from the server to which it reports. The build makes the files, `src/build-clients.mjs`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import { fail } from '../../errors.js';
import { packageFolder } from '../../folders.js';
import { keptFile } from '../openapi/kept-file.js';
import { CONTENT_SECURITY_POLICY } from '../problems/document.js';
import { setHeaders } from '../protocol/headers.js';
import type { OpenRoute } from '../route.js';

const BASE = '/clients';

/** By the end of a name. Archives are small already, and pip and npm take them as they are. */
const types: readonly (readonly [string, { type: string; compress: boolean }])[] = [
  ['.mjs', { type: 'text/javascript; charset=utf-8', compress: true }],
  ['.sha256', { type: 'text/plain; charset=utf-8', compress: true }],
  ['.txt', { type: 'text/plain; charset=utf-8', compress: true }],
  ['.tgz', { type: 'application/gzip', compress: false }],
  ['.whl', { type: 'application/zip', compress: false }],
];

/** An upgrade of the server changes the files under their names. */
const headers = { 'Cache-Control': 'no-cache' };

/** @throws Error where the build has not made the files */
export function clientRoutes(version: string, folder = new URL('dist/clients/', packageFolder)): OpenRoute[] {
  const files = new Map(
    readdirSync(folder).flatMap((name) => {
      const found = types.find(([end]) => name.endsWith(end));
      if (found === undefined) return [];
      const [, { type, compress }] = found;
      return [[name, keptFile(type, () => readFile(new URL(name, folder)), { headers, compress })] as const];
    }),
  );
  const names = [...files.keys()].filter((name) => !name.endsWith('.sha256'));
  // pip checks the bytes by the fragment.
  const links = names.map((name) => {
    const [hash] = readFileSync(new URL(`${name}.sha256`, folder), 'utf8').split(' ');
    return `<li><a href="${BASE}/${name}#sha256=${hash}">${name}</a> <a href="${BASE}/${name}.sha256">sha256</a></li>`;
  });
  return [
    {
      path: BASE,
      operation: {
        id: 'listClients',
        summary: 'Lists the clients of this version, as a page that `pip --find-links` reads',
        answers: { 200: { media: ['text/html'] } },
      },
      handle: async (ctx) => sendList(ctx, version, links),
    },
    {
      path: `${BASE}/:name`,
      operation: {
        id: 'getClient',
        summary: 'The command line, the npm package or the pytest plugin of this version, or its checksum',
        answers: { 200: { media: types.map(([, { type }]) => type.replace(/;.*/, '')) } },
        errors: ['not_found'],
      },
      async handle(ctx) {
        const { name } = ctx['params'] as { name: string };
        const send = files.get(name) ?? fail('not_found', otherName(version, names));
        await send(ctx);
      },
    },
  ];
}

/** A job that was written for another version learns which one is here. */
function otherName(version: string, names: readonly string[]): string {
  return `There is no such client. This server has version ${version}: ${names.join(', ')}.`;
}

function sendList(ctx: Context, version: string, links: readonly string[]): void {
  setHeaders(ctx, {
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  });
  ctx.body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Clients of testledger ${version}</title></head>
<body><h1>Clients of testledger ${version}</h1><ul>${links.join('')}</ul></body>
</html>
`;
}
