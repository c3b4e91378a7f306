/** Answers a public file that never changes while the server runs. It is read, and compressed, once for all requests. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';
import { setHeaders } from '../protocol/headers.js';

type Kept = { plain: Buffer; gzipped: Buffer };

/** `compress`: false for what is compressed already. Default: true. */
type KeptOptions = { headers?: Readonly<Record<string, string>>; compress?: boolean };

/** A slow reader holds no copy of its own, so that many of them need no more memory than one. */
export function keptFile(
  type: string,
  read: () => Promise<string | Buffer> | string,
  { headers = {}, compress = true }: KeptOptions = {},
): (ctx: Context) => Promise<void> {
  let kept: Promise<Kept> | undefined;
  return async (ctx) => {
    kept ??= keep(read, compress).catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    const { plain, gzipped } = await kept;
    if (compress) ctx.vary('Accept-Encoding');
    const compressed = compress && ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    setHeaders(ctx, {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=3600',
      ...(compressed && { 'Content-Encoding': 'gzip' }),
      ...headers,
    });
    ctx.body = compressed ? gzipped : plain;
  };
}

async function keep(read: () => Promise<string | Buffer> | string, compress: boolean): Promise<Kept> {
  const plain = Buffer.from(await read());
  return { plain, gzipped: compress ? await promisify(gzip)(plain) : plain };
}
