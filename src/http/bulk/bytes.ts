/** Reads a large body into one block of memory that can be transferred to another thread. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { fail } from '../../errors.js';
import { codingOf, refuseBody, refuseTooLarge } from '../body.js';

export type Bytes = {
  bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256, in hexadecimal digits. */
  hash: string;
};

/** The first block where the length is unknown. */
const FIRST_BYTES = 256 * 1024;

/**
 * Reads at most `limit` bytes after decompression. They are hashed as they arrive: 32 MiB at once would block the
 * server.
 * @throws LedgerError `payload_too_large`, `unsupported_media_type`, `invalid_json`.
 */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Bytes> {
  const { stream, end } = inflated(request);
  const announced = stream === request ? Number(request.headers['content-length'] ?? NaN) : NaN;
  const hash = createHash('sha256');
  // The system provides memory at the first write: to announce much and send little costs nothing.
  let bytes = new Uint8Array(Math.min(Number.isSafeInteger(announced) ? announced : FIRST_BYTES, limit));
  let length = 0;
  try {
    // The app goes on reading a refused body, so that its sender can read the answer.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (length + chunk.length > limit) refuseTooLarge(limit);
      if (length + chunk.length > bytes.length) bytes = grown(bytes, length + chunk.length, limit);
      bytes.set(chunk, length);
      hash.update(chunk);
      length += chunk.length;
    }
  } catch (error) {
    return refuseBody(error as Error, limit);
  } finally {
    end();
  }
  return { bytes: bytes.subarray(0, length), hash: hash.digest('hex') };
}

function grown(bytes: Uint8Array<ArrayBuffer>, needed: number, limit: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(limit, Math.max(needed, bytes.length * 2)));
  larger.set(bytes);
  return larger;
}

const inflaters: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function inflated(request: IncomingMessage): { stream: Readable; end: () => void } {
  const coding = codingOf(request);
  if (coding === 'identity') return { stream: request, end: () => undefined };
  const inflater = inflaters[coding]?.();
  if (inflater === undefined) {
    fail('unsupported_media_type', 'The Content-Encoding must be gzip, deflate, br or identity.');
  }
  // A pipe does not report that its source was cut off: the reader would wait for ever.
  const cut = () => {
    if (!request.complete) inflater.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  };
  request.once('close', cut);
  request.pipe(inflater);
  return {
    stream: inflater,
    end: () => {
      request.off('close', cut);
      request.unpipe(inflater);
      inflater.destroy();
    },
  };
}
