/** What the routes need that serve files of ours: storage that is no folder serves them itself. */
import type { Instant } from '../domain/event.js';
import type { BlobUrls } from './blob-urls.js';
import type { BlobPlace } from '../ports/blobs.js';

export type BlobFiles = {
  readonly urls: BlobUrls;
  /**
   * Takes an upload whole, or leaves nothing of it: exactly `size` bytes, all of them there before `expiresAt`. Never
   * reads on after one byte too many, and leaves the rest of `bytes` to the caller.
   * @throws LedgerError `size_mismatch`, `url_not_valid` (it came too late), `blobs_unavailable`, and what `bytes` throws.
   */
  receive(
    place: BlobPlace,
    upload: { size: number; expiresAt: Instant },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /** Where the file of a version is, if it is there: a path below a folder. @throws LedgerError `not_found` for no name of ours. */
  find(place: BlobPlace, version: string): { root: string; path: string };
};
