/** Compresses large answers, such as pages of events. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

/** Smaller answers leave as they are: they would wait for a thread for longer than their bytes need on the way. */
const LEAST_COMPRESSED = 16 * 1024;

/** Both at their lowest levels: JSON with its repeated names shrinks by nine tenths there already. */
const codings = {
  br: (text: string | Buffer) =>
    promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MIN_QUALITY + 1 },
    }),
  gzip: (text: string | Buffer) => promisify(gzip)(text, { level: constants.Z_BEST_SPEED }),
};

/**
 * Compresses the answer if it is a large text and the client accepts a coding. It does so as a whole and in another
 * thread, so that the answer keeps its length, for HEAD too, and other requests do not wait for it. Streams and files
 * are no texts here.
 */
export async function compress(ctx: Context): Promise<void> {
  const { body } = ctx;
  if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || body.length < LEAST_COMPRESSED) return;
  ctx.vary('Accept-Encoding');
  const coding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (coding !== 'br' && coding !== 'gzip') return;
  const compressed = await codings[coding](body);
  ctx.set('Content-Encoding', coding);
  ctx.body = compressed;
}
