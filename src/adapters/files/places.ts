/** Where things are below the folder of blobs. Names are made of ids of ours, which are checked once more. */
import { dirname, join } from 'node:path';
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import type { BlobPlace } from '../../ports/blobs.js';
import { UPLOAD } from '../../artifacts/blob-urls.js';
import { isId } from '../../domain/ids.js';
import { LedgerError, fail } from '../../errors.js';
import { syncFolder } from './durable-files.js';

/** What a file is called that was kept: its inode and its last change. */
const version = /^[\da-z]{1,20}-[\da-z]{1,20}$/;

export type BlobFolders = {
  /** On the same file system as all places: a rename moves a file from here. */
  temporary: string;
  folderOf(place: BlobPlace): string;
  uploadIn(folder: string): string;
  /** A place's folder and those above it, up to that of all blobs: each holds the name of the one before. */
  chainOf(folder: string): string[];
  find(place: BlobPlace, version: string): { root: string; path: string };
};

export function openBlobFolders(root: string): BlobFolders {
  return {
    temporary: join(root, 'tmp'),
    folderOf: (place) => join(root, below(place)),
    uploadIn: (folder) => join(folder, UPLOAD),
    chainOf: (folder) => [folder, dirname(folder), dirname(dirname(folder)), root],
    find(place, name) {
      if (!version.test(name)) fail('not_found', 'There is no such file.');
      return { root, path: join(below(place), name) };
    },
  };
}

/** The end of an id is its random part: it spreads a team's artifacts evenly over 1,024 folders. */
function below({ team, artifact }: BlobPlace): string {
  if (!isId('team', team) || !isId('artifact', artifact)) fail('not_found', 'There is no such file.');
  return join(team, artifact.slice(-2), artifact);
}

/** Removes what lies at a place, and says how much room that made. */
/** Two that clear the same place both succeed; what one of them removed, the other does not count. */
export async function clearPlace(folder: string, but: string | null): Promise<number> {
  const names = (await readdir(folder).catch(isMissing)) ?? [];
  const files = new Map<bigint, { size: bigint; names: bigint }>();
  for (const name of names) {
    if (name === but) continue;
    const path = join(folder, name);
    const found = await lstat(path, { bigint: true }).catch(isMissing);
    if (found === null || (await unlink(path).catch(isMissing)) === null) continue;
    // The names that it had when it was first met, less those that were taken from it.
    const file = files.get(found.ino) ?? { size: found.size, names: found.nlink };
    files.set(found.ino, { ...file, names: file.names - 1n });
  }
  if (names.length > 0) await syncFolder(folder).catch(isMissing);
  await removeEmpty(folder);
  const free = [...files.values()].filter(({ names }) => names === 0n);
  return Number(free.reduce((sum, { size }) => sum + size, 0n));
}

/** The place, the folder of its two characters, and the team's: as far up as they are empty. */
async function removeEmpty(place: string): Promise<void> {
  for (const folder of [place, dirname(place), dirname(dirname(place))]) {
    try {
      await rmdir(folder);
      // Else a loss of power could bring the folder back with what was in it.
      await syncFolder(dirname(folder)).catch(isMissing);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
      if (code !== 'ENOENT') throw error;
    }
  }
}

/** Faults of the file system, as the port tells them. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** @throws LedgerError `blobs_unavailable` for what the file system could not do. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LedgerError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    // Somebody has to make room first.
    if (FULL.has(code))
      fail('blobs_unavailable', 'The file storage is full.', { retryAfter: 30, cause: error });
    return fail('blobs_unavailable', 'The file storage failed.', { cause: error });
  }
}

/** For `catch`: null for a file that is not there, which is no fault. */
export function isMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
