/** Blobs in memory that keep the promises of the port. A test can see what they hold, and break them. */
import { createHash } from 'node:crypto';
import type { BlobPlace, Blobs } from '../../src/ports/blobs.js';
import { fail } from '../../src/errors.js';

export type MemoryBlobs = Blobs & {
  /** Uploads bytes as a client does. A test may upload them again later. */
  upload(place: BlobPlace, bytes: string): void;
  /** The last upload at a place, and every version that is stored there. */
  at(place: BlobPlace): { upload: string | null; versions: string[] };
  /** The number of all bytes. */
  readonly size: number;
  /** While it is true, storage cannot be reached. */
  away: boolean;
  /** Runs before each `keep`, each version that it stores, each `put` and each `clear`, which wait for it. */
  before: (what: 'keep' | 'kept' | 'put' | 'clear', place: BlobPlace) => Promise<void>;
  /** How often `clear` was called. */
  readonly cleared: number;
};

type Stored = { upload: string | null; versions: Map<string, string> };

export function memoryBlobs({ settlesInMs = 295_000 } = {}): MemoryBlobs {
  const places = new Map<string, Stored>();
  const nameOf = ({ team, artifact }: BlobPlace) => `${team}/${artifact}`;
  const at = (place: BlobPlace) => places.get(nameOf(place)) ?? { upload: null, versions: new Map() };
  let cleared = 0;
  const blobs: MemoryBlobs = {
    settlesInMs,
    away: false,
    before: () => Promise.resolve(),
    get cleared() {
      return cleared;
    },
    uploadUrl: async (place, { size, expiresAt, origin }) =>
      `${origin}/upload/${nameOf(place)}?size=${size}&until=${expiresAt}`,
    async keep(place, { size }) {
      await blobs.before('keep', place);
      if (blobs.away) fail('blobs_unavailable', 'The storage is away.');
      const { upload } = at(place);
      if (upload?.length !== size) return { version: null, found: upload?.length ?? null };
      await blobs.before('kept', place);
      const version = createHash('sha256').update(upload).digest('hex').slice(0, 8);
      const stored = at(place);
      stored.versions.set(version, upload);
      places.set(nameOf(place), stored);
      return { version };
    },
    async put(place, { bytes }) {
      await blobs.before('put', place);
      if (blobs.away) fail('blobs_unavailable', 'The storage is away.');
      const version = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
      const stored = at(place);
      stored.versions.set(version, Buffer.from(bytes).toString());
      places.set(nameOf(place), stored);
      return version;
    },
    downloadUrl: async (place, version, { expiresAt, origin }) =>
      `${origin}/download/${nameOf(place)}/${version}?until=${expiresAt}`,
    read: async (place, version) => at(place).versions.get(version) ?? null,
    async clear(place, but) {
      await blobs.before('clear', place);
      if (blobs.away) fail('blobs_unavailable', 'The storage is away.');
      cleared += 1;
      const { upload, versions } = at(place);
      const left = [...versions].filter(([version]) => version === but);
      const freed = sizeOf({ upload, versions }) - sizeOf({ upload: null, versions: new Map(left) });
      places.delete(nameOf(place));
      if (left.length > 0) places.set(nameOf(place), { upload: null, versions: new Map(left) });
      return freed;
    },
    close: () => Promise.resolve(),
    upload(place, bytes) {
      places.set(nameOf(place), { ...at(place), upload: bytes });
    },
    at: (place) => ({ upload: at(place).upload, versions: [...at(place).versions.values()] }),
    get size() {
      return [...places.values()].reduce((sum, stored) => sum + sizeOf(stored), 0);
    },
  };
  return blobs;
}

function sizeOf({ upload, versions }: Stored): number {
  return [upload ?? '', ...versions.values()].reduce((sum, bytes) => sum + bytes.length, 0);
}
