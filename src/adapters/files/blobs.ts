/** Blobs in a folder. Uploads come in over our own routes (`BlobFiles`), which also sign and serve the URLs. */
import { randomInt, randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobFiles } from '../../artifacts/blob-files.js';
import type { BlobUrls } from '../../artifacts/blob-urls.js';
import type { Clock } from '../../clock.js';
import type { BlobPlace, Blobs, KeepResult } from '../../ports/blobs.js';
import type { Instant } from '../../domain/event.js';
import { fail } from '../../errors.js';
import { modesIn, type Modes } from '../shared/file-modes.js';
import { clearPlace, nullIfMissing, openBlobFolders, orUnavailable } from './places.js';
import { makeFolder, openSharedSync, syncFolder } from './durable-files.js';

const TRIES = 50;

/** An unfinished file that has not grown for this long is abandoned: no upload may take longer. */
const ABANDONED_MS = 15 * 60_000;

/** From the last look at a clock until a file has its name: two calls of the file system, and their waits. */
const SETTLES_IN_MS = 10_000;
/** No kept file gets its name later than this. The rest of the time is for the call that has begun by then. */
const KEEPS_FOR_MS = 5_000;

export type FolderBlobsOptions = {
  folder: string;
  urls: BlobUrls;
  clock: Clock;
  /** No other process uses the folder, so every unfinished file belongs to a process that was killed. */
  alone: boolean;
};

/**
 * Opens the folder, and removes the unfinished uploads of a killed process. @throws Error where the folder cannot be
 * used.
 */
export async function openFolderBlobs(
  options: FolderBlobsOptions,
): Promise<{ blobs: Blobs; files: BlobFiles }> {
  const { urls, clock } = options;
  const places = openBlobFolders(join(options.folder, 'blobs'));
  await makeFolder(options.folder);
  const modes = modesIn(options.folder);
  await makeFolder(places.temporary, modes.folder);
  await removeAbandoned(places.temporary, options.alone ? Infinity : Date.now() - ABANDONED_MS);

  const receiving = new Set<Promise<void>>();
  // Many small files at once have the folders of their team in common.
  const sync = openSharedSync();
  const blobs: Blobs = {
    settlesInMs: SETTLES_IN_MS,
    uploadUrl: async (place, upload) => urls.forUpload(place, upload),
    downloadUrl: async (place, version, download) => urls.forDownload(place, version, download),
    keep: (place, { size }) => orUnavailable(() => keep(places.folderOf(place), size)),
    put: (place, { bytes }) =>
      orUnavailable(() => put(places.chainOf(places.folderOf(place)), bytes, { modes, sync })),
    read: (place, version) =>
      orUnavailable(async () => {
        const { root, path } = places.find(place, version);
        return readFile(join(root, path)).catch(nullIfMissing);
      }),
    clear: (place, but) => orUnavailable(() => clearPlace(places.folderOf(place), but)),
    async close() {
      // They have been cut off by now, and each one removes its unfinished file.
      await Promise.allSettled(receiving);
    },
  };
  const files: BlobFiles = {
    urls,
    async receive(place, upload, bytes) {
      const work = receive(place, upload, bytes);
      receiving.add(work);
      await work.finally(() => receiving.delete(work));
    },
    find: (place, version) => places.find(place, version),
  };
  return { blobs, files };

  async function receive(
    place: BlobPlace,
    { size, expiresAt }: { size: number; expiresAt: Instant },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const target = places.folderOf(place);
    const work = join(places.temporary, randomUUID());
    try {
      await write(work, modes.file, size, bytes);
      // The URL may have expired during the upload. A cleanup after the end of the URL must not miss the file.
      if (clock().toISOString() >= expiresAt) fail('url_not_valid', 'The URL expired during the upload.');
      await orUnavailable(() =>
        moveInto(work, modes.folder, places.chainOf(target), places.uploadIn(target)),
      );
    } finally {
      await orUnavailable(() => rm(work, { force: true }));
    }
  }

  /** Gives the same file a second name. A later upload replaces the first name and leaves the file alone. */
  async function keep(folder: string, size: number): Promise<KeepResult> {
    const upload = places.uploadIn(folder);
    const until = performance.now() + KEEPS_FOR_MS;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const seen = await stat(upload, { bigint: true }).catch(nullIfMissing);
      if (seen === null) return { version: null, found: null };
      if (seen.size !== BigInt(size)) return { version: null, found: Number(seen.size) };
      const version = `${seen.ino.toString(36)}-${seen.mtimeNs.toString(36)}`;
      if (performance.now() > until) tooSlow();
      if (await linkSame(upload, join(folder, version), seen)) {
        // All of the folders: an upload that made them may not have synced them yet.
        for (const each of places.chainOf(folder)) await syncFolder(each);
        return { version };
      }
    }
    return fail('blobs_unavailable', 'Other uploads to the same place kept coming in.', { retryAfter: 1 });
  }
}

/** Under its own name at once: no one reads the file before it is whole, because no one knows the name. */
async function put(
  chain: readonly string[],
  bytes: Uint8Array,
  { modes, sync }: { modes: Modes; sync: typeof syncFolder },
): Promise<string> {
  const version = `${Date.now().toString(36)}-${randomInt(2 ** 47).toString(36)}`;
  const folder = chain[0]!;
  const path = join(folder, version);
  const until = performance.now() + KEEPS_FOR_MS;
  await mkdir(folder, { recursive: true, mode: modes.folder });
  if (performance.now() > until) tooSlow();
  const file = await open(path, 'wx', modes.file);
  try {
    await file.writeFile(bytes);
    // At once, because the file system can do that in one step.
    await Promise.all([file.sync(), ...chain.map(sync)]);
    return version;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function tooSlow(): never {
  fail('blobs_unavailable', 'The file storage is too slow.', { retryAfter: 5 });
}

async function removeAbandoned(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(nullIfMissing);
    if (found !== null && found.mtimeMs < before) await rm(join(folder, name), { force: true });
  }
}

/**
 * Whether `to` is now a name of the file that was looked at. Another upload may have come between the look and the
 * link.
 */
async function linkSame(from: string, to: string, seen: BigIntStats): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'EEXIST') throw error;
  }
  const linked = await stat(to, { bigint: true }).catch(nullIfMissing);
  // The inode number alone could be that of a newer file: numbers are used again.
  if (linked !== null && linked.ino === seen.ino && linked.mtimeNs === seen.mtimeNs) return true;
  await rm(to, { force: true });
  return false;
}

async function write(
  file: string,
  mode: number,
  size: number,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const handle = await orUnavailable(() => open(file, 'wx', mode));
  try {
    let written = 0;
    for await (const chunk of bytes) {
      written += chunk.byteLength;
      if (written > size) wrongSize(size, 'more');
      await orUnavailable(() => handle.writeFile(chunk));
    }
    if (written < size) wrongSize(size, `${written}`);
    await orUnavailable(() => handle.sync());
  } finally {
    await handle.close();
  }
}

function wrongSize(size: number, found: string): never {
  fail('size_mismatch', `The URL is for a file of ${size} bytes; the upload had ${found}.`);
}

/**
 * The file is durable when this resolves. The janitor may remove the empty folder just before the file is in it. Then
 * this tries again.
 */
async function moveInto(
  file: string,
  folderMode: number,
  chain: readonly string[],
  target: string,
): Promise<void> {
  const folder = dirname(target);
  let made = false;
  for (let tries = 1; ; tries += 1) {
    try {
      made = (await mkdir(folder, { recursive: true, mode: folderMode })) !== undefined || made;
      // At once: while folders are synced one by one, another process could remove them again and again.
      await rename(file, target);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === TRIES) throw error;
    }
  }
  for (const each of made ? chain : [folder]) {
    // A cleanup may have removed it already. That is not a fault of the upload.
    await syncFolder(each).catch(nullIfMissing);
  }
}
