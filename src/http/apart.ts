/**
 * Where the files of reports may run their scripts: apart from the pages. That is the origin which the server has for them.
 * On the machine itself, `localhost` and `127.0.0.1` are two origins of one server, so that each is apart from the other.
 */
import type { IncomingMessage } from 'node:http';
import { isHostOf } from './origin.js';

export type Apart = {
  /** That of the configuration: no page is there. Null for none. */
  origin: string | null;
  /** Without it, whether the two names of this machine stand in for it. */
  onLoopback: boolean;
};

/** Where a page of this request leads to for such a file; null for nowhere. */
export function originApart({ origin, onLoopback }: Apart, { headers }: IncomingMessage): string | null {
  if (origin !== null || !onLoopback) return origin;
  const [, name, port = ''] = /^(localhost|127\.0\.0\.1)(:\d{1,5})?$/i.exec(headers.host ?? '') ?? [];
  if (name === undefined) return null;
  return `http://${name.toLowerCase() === 'localhost' ? '127.0.0.1' : 'localhost'}${port}`;
}

/**
 * Whether a file that can run scripts is opened apart by this request. Pages are at both names of this machine: there, a
 * browser must say that it opens the file from another site, which the other name is. Else the file is a download.
 */
export function isOpenedApart(apart: Apart, request: IncomingMessage): boolean {
  if (apart.origin !== null) return isHostOf(request, apart.origin);
  const { 'sec-fetch-site': site, 'sec-fetch-dest': as } = request.headers;
  return originApart(apart, request) !== null && site === 'cross-site' && as === 'document';
}

/** `isServer`: whether the server has the files itself. Those of a bucket have the origin of the bucket. */
export function apartOf(
  { publicUrl, artifacts }: { publicUrl: string | null; artifacts: { origin: string | null } },
  isServer: boolean,
): Apart {
  if (!isServer) return { origin: null, onLoopback: false };
  const onLoopback = publicUrl === null || /^http:\/\/(?:localhost|127\.0\.0\.1)(?::|$)/.test(publicUrl);
  return { origin: artifacts.origin, onLoopback };
}
