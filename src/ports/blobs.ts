/** The port of the artifacts' files. `test/contract/blobs/contract.ts` tests its promises. */
import type { Instant } from '../domain/event.js';

/**
 * The files of artifacts. Each artifact has one place, which holds the last upload and the versions that were kept.
 *
 * - The names of stored files consist of our ids only. No text of a client becomes part of a name.
 * - A URL allows exactly one thing: an upload URL writes one file of one size, and a download URL reads one version. A
 *   URL with anything changed in it, or after its end, is refused.
 * - An upload of another size, or one that is cut off, is refused and leaves the earlier upload as it was.
 * - A version never changes and is never a mixture of two uploads, also while uploads go on.
 */
export type Blobs = {
  /**
   * Signs a URL to which anyone can PUT exactly `size` bytes until `expiresAt`, as often as they like, without a header
   * or a key. The last upload counts. Signing asks no storage. The URL ends at the same instant, whenever it is signed.
   */
  uploadUrl(place: BlobPlace, upload: { size: number; expiresAt: Instant; origin: string }): Promise<string>;
  /**
   * Keeps the last upload as a version, if it has exactly `size` bytes. Otherwise answers how many bytes it has, or
   * null where there is no upload. Repeated calls, and calls at the same time, keep the same bytes as the same version.
   * @throws AppError `blobs_unavailable`
   */
  keep(place: BlobPlace, file: { size: number; contentType: string }): Promise<KeepResult>;
  /**
   * Keeps a small file that came with a request as a version, without an upload, and returns its name. The file is
   * durable then. A repeat may keep it as another version.
   * @throws AppError `blobs_unavailable`
   */
  put(place: BlobPlace, file: { bytes: Uint8Array; contentType: string }): Promise<string>;
  /**
   * Signs a URL from which anyone can GET a version until an instant. Signing asks no storage. Downloads have the type
   * and the disposition of the URL, take ranges, and answer 304 to a client that has the file.
   */
  downloadUrl(place: BlobPlace, version: string, download: Download): Promise<string>;
  /** The bytes of a version; null where it is gone. For small files: all of it is in memory. @throws AppError `blobs_unavailable` */
  read(place: BlobPlace, version: string): Promise<Uint8Array | null>;
  /**
   * Deletes everything at a place except one version, and returns how many bytes became free. Several calls at once all
   * succeed. Bytes may still arrive for `settlesInMs`: counted from the start of a `keep` or a `put`, also of one that
   * failed, and from the end of an upload's URL.
   * @throws AppError `blobs_unavailable`
   */
  clear(place: BlobPlace, except: string | null): Promise<number>;
  readonly settlesInMs: number;
  close(): Promise<void>;
};

/** The ids of the team and of the artifact, as the log has them. */
export type BlobPlace = { team: string; artifact: string };

export type KeepResult = { version: string } | { version: null; found: number | null };

export type Download = {
  /** The type that the file is served with, whatever type its upload had. */
  contentType: string;
  /** The whole `Content-Disposition` header. */
  disposition: string;
  expiresAt: Instant;
  /** The scheme and host by which the client reached us, for URLs that lead back here. */
  origin: string;
};
