/** The error messages of a page of results: whole, as far as there is room for them. */
import type { Metadata } from '../../domain/runs/run.js';
import { cutInMiddle } from '../../domain/cut-in-middle.js';
import { limits } from '../../limits.js';

type Described = { metadata: Metadata | null };

/**
 * The results of a page, in order. A page of a hundred of the longest messages would be 25 MB, and twice that where a
 * record shows them in its metadata and as a field. So the messages after the first few MiB are cut in their middle: a
 * GET of the result itself shows them whole. A page of metadata within their limit is never cut.
 */
export function withRoomForMessages<R extends Described>(results: readonly R[]): R[] {
  let left = limits.messagesPerPageBytes;
  return results.map((result) => {
    const error = result.metadata?.['error'];
    const message = (error as Metadata | null | undefined)?.['message'];
    if (typeof message !== 'string') return result;
    const bytes = Buffer.byteLength(message);
    if (bytes <= left) {
      left -= bytes;
      return result;
    }
    const cut = { ...(error as Metadata), message: cutInMiddle(message, CUT_BYTES) };
    return { ...result, metadata: { ...result.metadata, error: cut } };
  });
}

const CUT_BYTES = 4 * 1_024;
