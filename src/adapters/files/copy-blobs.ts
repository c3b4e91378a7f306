/** Copies of the kept files of artifacts in another folder, for a backup. */
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobPlace } from '../../ports/blobs.js';
import { syncFolder } from './durable-files.js';
import { clearPlace, nullIfMissing, openBlobFolders } from './places.js';

export type BlobsCopy = {
  /**
   * Brings one kept file into the copy, durably. It makes a hard link where the file system allows that, because a kept
   * file never changes; otherwise it copies the bytes.
   */
  take(place: BlobPlace, version: string): Promise<'there' | 'linked' | 'copied' | 'missing'>;
  /** Removes the files of an artifact from the copy. */
  remove(place: BlobPlace): Promise<void>;
};

export type BlobsCopyOptions = {
  from: string;
  to: string;
  /** False: copies the bytes even where a hard link is possible. */
  links?: boolean;
};

export function openBlobsCopy({ from, to, links = true }: BlobsCopyOptions): BlobsCopy {
  const sources = openBlobFolders(join(from, 'blobs'));
  const copies = openBlobFolders(join(to, 'blobs'));

  return {
    async take(place, version) {
      const { root, path } = sources.find(place, version);
      const source = join(root, path);
      const folder = copies.folderOf(place);
      const target = join(folder, version);
      if ((await stat(target).catch(nullIfMissing)) !== null) return 'there';
      if ((await stat(source).catch(nullIfMissing)) === null) return 'missing';
      const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
      const taken = await bring(source, target);
      for (const each of isNew ? copies.chainOf(folder) : [folder]) await syncFolder(each);
      return taken;
    },
    async remove(place) {
      await clearPlace(copies.folderOf(place), null);
    },
  };

  async function bring(source: string, target: string): Promise<'linked' | 'copied' | 'missing'> {
    try {
      if (links) {
        const linked = await link(source, target).then(
          () => true,
          (error: NodeJS.ErrnoException) => !cannotLink.has(error.code ?? '') && Promise.reject(error),
        );
        if (linked) return 'linked';
      }
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      await syncFile(target);
      return 'copied';
    } catch (error) {
      // It was deleted after it was found.
      return nullIfMissing(error as NodeJS.ErrnoException) ?? 'missing';
    }
  }
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Another file system, one without hard links, a file of another user, or too many links. */
const cannotLink = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
