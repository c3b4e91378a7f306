/** The bytes of a request's body behind its content coding. */
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { fail } from '../../errors.js';

/** The content coding in lower case; `identity` for none. `x-gzip` is an old name of gzip (RFC 9110, section 8.4.1.3). */
export function codingOf({ headers }: IncomingMessage): string {
  const coding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  return coding === 'x-gzip' ? 'gzip' : coding;
}

const inflaters: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * `source`: the bytes as they are sent. To be ended once they are read, or not wanted any more.
 * @throws AppError `unsupported_media_type`
 */
export function inflated(source: Readable, request: IncomingMessage): { stream: Readable; end: () => void } {
  const coding = codingOf(request);
  if (coding === 'identity') return { stream: source, end: () => undefined };
  const inflater = inflaters[coding]?.();
  if (inflater === undefined) {
    fail('unsupported_media_type', 'The Content-Encoding must be gzip, deflate, br or identity.');
  }
  // A pipe does not report that its source was cut off: the reader would wait for ever.
  const cut = () => {
    if (!request.complete) inflater.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  };
  request.once('close', cut);
  source.pipe(inflater);
  return {
    stream: inflater,
    end: () => {
      request.off('close', cut);
      source.unpipe(inflater);
      inflater.destroy();
    },
  };
}
