import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { limits } from '../limits.js';
import type { ReportAttachment } from './entry.js';

export type ResolvedAttachment =
  | { found: true; path: string; size: number }
  | {
      found: false;
      reason: 'url' | 'outside_root' | 'hidden' | 'not_found' | 'not_a_file' | 'empty' | 'too_large';
    };

export type AttachmentFolders = {
  /** By its real path. Only files inside it are found, by theirs. */
  root: string;
  /** Folders that a relative path may be relative to, in order: that of the report, then the working folder. */
  bases: readonly string[];
};

/**
 * The file that a report names. A report may come from a fork, so its paths are not trusted: `..`, an absolute path or a
 * symbolic link never leads out of the root. Nor do they lead to a file that is hidden there. The path that it returns has no symbolic link in it.
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
  let reason: 'outside_root' | 'not_found' = 'not_found';
  for (const base of bases) {
    const found = await realPathOf(resolve(base, path));
    if (found === null) continue;
    if (isInside(root, found))
      return isHidden(root, found) ? { found: false, reason: 'hidden' } : fileAt(found);
    reason = 'outside_root';
  }
  return { found: false, reason };
}

/**
 * The attachments, each file once. A report may name a file by the path from its own folder, and again by the path from
 * the working folder. Only files of the same name are looked at, so that most reports need no access to the disk.
 */
export async function withoutSameFiles(
  attachments: ReportAttachment[],
  bases: readonly string[],
): Promise<ReportAttachment[]> {
  const names = repeatedNames(attachments);
  if (names.size === 0) return attachments;
  const known = new Set<string>();
  const kept: ReportAttachment[] = [];
  for (const attachment of attachments) {
    const file =
      attachment.source === 'path' && names.has(nameOf(attachment.path))
        ? await firstFile(attachment.path, bases)
        : null;
    if (file !== null && known.has(file)) continue;
    if (file !== null) known.add(file);
    kept.push(attachment);
  }
  return kept;
}

function repeatedNames(attachments: readonly ReportAttachment[]): Set<string> {
  const repeated = new Set<string>();
  if (attachments.length < 2) return repeated;
  const known = new Set<string>();
  for (const attachment of attachments) {
    if (attachment.source !== 'path') continue;
    const name = nameOf(attachment.path);
    if (known.has(name)) repeated.add(name);
    known.add(name);
  }
  return repeated;
}

function nameOf(path: string): string {
  return path.trim().split(/[\\/]/).at(-1) ?? '';
}

async function firstFile(written: string, bases: readonly string[]): Promise<string | null> {
  const path = written.trim().replaceAll('\\', '/');
  if (path.includes('\0')) return null;
  for (const base of bases) {
    const found = await realPathOf(resolve(base, path));
    if (found !== null) return found;
  }
  return null;
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

/** `.git/config` has the token of a checkout, `.env` those of the program; no test makes its files in such places. */
function isHidden(root: string, path: string): boolean {
  return relative(root, path)
    .split(sep)
    .some((part) => part.startsWith('.') || part === 'node_modules');
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
