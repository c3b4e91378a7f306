/** The files of a folder, for the routes that serve them. Other storage serves its files itself. */
import type { Instant } from '../domain/event.js';
import type { BlobUrls } from './blob-urls.js';
import type { BlobPlace } from '../ports/blobs.js';

export type BlobFiles = {
  readonly urls: BlobUrls;
  /**
   * Stores an upload as a whole, or leaves nothing of it. The upload must have exactly `size` bytes and be complete
   * before `expiresAt`. After one byte too many it stops reading, and leaves the rest of `bytes` to the caller.
   * @throws AppError `size_mismatch`, `url_not_valid` (the upload ended too late), `blobs_unavailable`
   * @throws what `bytes` throws
   */
  receive(
    place: BlobPlace,
    upload: { size: number; expiresAt: Instant },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /** The path of the file of a version, below a folder. The file may not exist. @throws AppError `not_found` for a name that no version has */
  find(place: BlobPlace, version: string): { root: string; path: string };
};
