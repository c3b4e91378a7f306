/** Reads a large body into one block of memory that can be transferred to another thread. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { freeBuffers } from '../../memory/free-buffers.js';
import { refuseBody, refuseTooLarge } from '../bodies/body.js';
import { inflated } from '../bodies/inflated.js';

export type Bytes = {
  bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256, in hexadecimal digits. */
  hash: string;
};

/** The first block where the length is unknown. */
const FIRST_BYTES = 256 * 1024;

/** A compressed body of which nobody knows the size: `beyond` is awaited before it takes more than `bytes`. */
export type Unfolding = { bytes: number; beyond: () => Promise<void> };

/**
 * Reads at most `limit` bytes after decompression. They are hashed as they arrive: 32 MiB at once would block the
 * server. With `unfolding`, all compressed bytes are read first: nothing of the body is still to come while it waits.
 * @throws AppError `payload_too_large`, `unsupported_media_type`, `invalid_json`, and what `beyond` throws
 */
export async function readBytes(
  request: IncomingMessage,
  limit: number,
  unfolding: Unfolding | null = null,
): Promise<Bytes> {
  const source = unfolding === null ? request : await arrived(request, limit);
  const { stream, end } = inflated(source, request);
  const announced = stream === request ? Number(request.headers['content-length'] ?? NaN) : NaN;
  const hash = createHash('sha256');
  // The system provides memory at the first write: to announce much and send little costs nothing.
  let bytes = new Uint8Array(Math.min(Number.isSafeInteger(announced) ? announced : FIRST_BYTES, limit));
  let length = 0;
  try {
    // The app goes on reading a refused body, so that its sender can read the answer.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (length + chunk.length > limit) refuseTooLarge(limit);
      if (unfolding !== null && length <= unfolding.bytes && length + chunk.length > unfolding.bytes) {
        await unfolding.beyond();
      }
      if (length + chunk.length > bytes.length) bytes = grown(bytes, length + chunk.length, limit);
      bytes.set(chunk, length);
      hash.update(chunk);
      length += chunk.length;
    }
  } catch (error) {
    freeBuffers([bytes.buffer]);
    return refuseBody(error as Error, limit);
  } finally {
    end();
  }
  return { bytes: bytes.subarray(0, length), hash: hash.digest('hex') };
}

/** The bytes of a request as they were sent, at most as many as it announced. */
async function arrived(request: IncomingMessage, limit: number): Promise<Readable> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
      chunks.push(chunk);
  } catch (error) {
    return refuseBody(error as Error, limit);
  }
  return Readable.from(chunks);
}

function grown(bytes: Uint8Array<ArrayBuffer>, needed: number, limit: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(limit, Math.max(needed, bytes.length * 2)));
  larger.set(bytes);
  freeBuffers([bytes.buffer]);
  return larger;
}
