/**
 * The places of artifacts below the folder of blobs: their paths, their removal, and the faults of the file system.
 * Names consist of our ids, which are checked once more.
 */
import { dirname, join } from 'node:path';
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import type { BlobPlace } from '../../ports/blobs.js';
import { UPLOAD_NAME } from '../../artifacts/blob-urls.js';
import { isId } from '../../domain/ids.js';
import { AppError, fail } from '../../errors.js';
import { syncFolder } from './durable-files.js';

/** The name of a kept file: its inode and the time of its last change; or the time and a random number. */
const version = /^[\da-z]{1,20}-[\da-z]{1,20}$/;

export type BlobFolders = {
  /** On the same file system as all places, so that a rename can move a file from here. */
  temporary: string;
  folderOf(place: BlobPlace): string;
  uploadIn(folder: string): string;
  /** A place's folder and those above it, up to the folder of all blobs. Each holds the name of the one before. */
  chainOf(folder: string): string[];
  find(place: BlobPlace, version: string): { root: string; path: string };
};

export function openBlobFolders(root: string): BlobFolders {
  return {
    temporary: join(root, 'tmp'),
    folderOf: (place) => join(root, below(place)),
    uploadIn: (folder) => join(folder, UPLOAD_NAME),
    chainOf: (folder) => [folder, dirname(folder), dirname(dirname(folder)), root],
    find(place, name) {
      if (!version.test(name)) fail('not_found', 'There is no such file.');
      return { root, path: join(below(place), name) };
    },
  };
}

/** The end of an id is random, so it spreads a team's artifacts evenly over 1,024 folders. */
function below({ team, artifact }: BlobPlace): string {
  if (!isId('team', team) || !isId('artifact', artifact)) fail('not_found', 'There is no such file.');
  return join(team, artifact.slice(-2), artifact);
}

/**
 * Removes everything at a place except one file, and returns how many bytes became free. Two calls at once both
 * succeed, and neither counts what the other removed.
 */
export async function clearPlace(folder: string, but: string | null): Promise<number> {
  const names = (await readdir(folder).catch(nullIfMissing)) ?? [];
  const files = new Map<bigint, { size: bigint; names: bigint }>();
  for (const name of names) {
    if (name === but) continue;
    const path = join(folder, name);
    const found = await lstat(path, { bigint: true }).catch(nullIfMissing);
    if (found === null || (await unlink(path).catch(nullIfMissing)) === null) continue;
    // The number of names when the file was first met, minus those that were removed since.
    const file = files.get(found.ino) ?? { size: found.size, names: found.nlink };
    files.set(found.ino, { ...file, names: file.names - 1n });
  }
  if (names.length > 0) await syncFolder(folder).catch(nullIfMissing);
  await removeEmpty(folder);
  const free = [...files.values()].filter(({ names }) => names === 0n);
  return Number(free.reduce((sum, { size }) => sum + size, 0n));
}

/** Removes the place's folder, the folder of its two characters, and the team's, as far up as they are empty. */
async function removeEmpty(place: string): Promise<void> {
  for (const folder of [place, dirname(place), dirname(dirname(place))]) {
    try {
      await rmdir(folder);
      // Otherwise a loss of power could bring the folder back with its content.
      await syncFolder(dirname(folder)).catch(nullIfMissing);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
      if (code !== 'ENOENT') throw error;
    }
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Runs work on the file system. @throws AppError `blobs_unavailable` where it fails. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    // Retried late, because an operator has to make room first.
    if (FULL.has(code))
      fail('blobs_unavailable', 'The file storage is full.', { retryAfter: 30, cause: error });
    return fail('blobs_unavailable', 'The file storage failed.', { cause: error });
  }
}

/** For `catch`: null for a missing file, which is not a fault. */
export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
