import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { limits } from '../limits.js';

export type ResolvedAttachment =
  | { found: true; path: string; size: number }
  | { found: false; reason: 'url' | 'outside_root' | 'not_found' | 'not_a_file' | 'empty' | 'too_large' };

export type AttachmentFolders = {
  /** Only files inside it are found, by their real path. */
  root: string;
  /** Folders that a relative path may be relative to, in order: that of the report, then the working folder. */
  bases: readonly string[];
};

/**
 * The file that a report names. A report may come from a fork, so its paths are not trusted: `..`, an absolute path or a
 * symbolic link never leads out of the root. The path that it returns has no symbolic link in it.
 */
export async function resolveAttachment(
  written: string,
  { root, bases }: AttachmentFolders,
): Promise<ResolvedAttachment> {
  const path = written.trim().replaceAll('\\', '/');
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(path)) return { found: false, reason: 'url' };
  // The drive of a Windows path, on a system without drives.
  if (path.includes('\0') || (/^[A-Za-z]:/.test(path) && sep === '/'))
    return { found: false, reason: 'outside_root' };
  const realRoot = await realpath(root);
  let reason: 'outside_root' | 'not_found' = 'not_found';
  for (const base of bases) {
    const found = await realPathOf(resolve(base, path));
    if (found === null) continue;
    if (isInside(realRoot, found)) return fileAt(found);
    reason = 'outside_root';
  }
  return { found: false, reason };
}

/** Null where there is no such file, or where this user cannot see it. */
async function realPathOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (
      code === 'ENOENT' ||
      code === 'ENOTDIR' ||
      code === 'EACCES' ||
      code === 'ELOOP' ||
      code === 'ENAMETOOLONG'
    ) {
      return null;
    }
    throw error;
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A device or a pipe is no file: reading it might never end. */
async function fileAt(path: string): Promise<ResolvedAttachment> {
  const facts = await stat(path).catch(() => null);
  // It went away since it was found.
  if (facts === null) return { found: false, reason: 'not_found' };
  if (!facts.isFile()) return { found: false, reason: 'not_a_file' };
  if (facts.size === 0) return { found: false, reason: 'empty' };
  if (facts.size > limits.artifactBytes) return { found: false, reason: 'too_large' };
  return { found: true, path, size: facts.size };
}
