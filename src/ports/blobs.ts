/** The port of the artifacts' bytes. `test/contract/blobs.ts` holds its promises. */
import type { Instant } from '../domain/event.js';

/**
 * The bytes of artifacts. All that belongs to one artifact lies at its place: what was uploaded last, and the version
 * of it that was kept. Names are made of our ids only: nothing that a client says becomes part of one.
 */
export type Blobs = {
  /**
   * A URL to which whoever has it may PUT exactly `size` bytes until an instant, as often as he likes, with no header
   * and no key. Signed only: storage is not asked.
   */
  uploadUrl(place: BlobPlace, upload: { size: number; expiresAt: Instant; origin: string }): Promise<string>;
  /**
   * Keeps what was uploaded last as a version that no upload changes any more, if it has exactly `size` bytes. Bytes
   * that are kept already are kept as the same version. Else answers how many bytes there are, null for no upload.
   * @throws LedgerError `blobs_unavailable`
   */
  keep(place: BlobPlace, file: { size: number; contentType: string }): Promise<KeepResult>;
  /** A URL from which whoever has it may GET a version until an instant. Signed only. */
  downloadUrl(place: BlobPlace, version: string, download: Download): Promise<string>;
  /**
   * Deletes all that lies at a place, but for one version; answers the bytes that became free. What is under way may
   * still put bytes there, up to `settlesInMs` after it began: a `keep`, failed ones too. So may an upload, up to
   * `settlesInMs` after the end of its URL.
   * @throws LedgerError `blobs_unavailable`
   */
  clear(place: BlobPlace, but: string | null): Promise<number>;
  readonly settlesInMs: number;
  close(): Promise<void>;
};

/** Ids, as the log has them. */
export type BlobPlace = { team: string; artifact: string };

export type KeepResult = { version: string } | { version: null; found: number | null };

export type Download = {
  /** With what the file is served, whatever was said at its upload. */
  contentType: string;
  /** The whole header, ready to be sent. */
  disposition: string;
  expiresAt: Instant;
  /** Scheme and host by which the client reached us, for URLs that lead back here. */
  origin: string;
};
