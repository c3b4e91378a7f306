/** Finds report files, and reads one of them. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import { withoutSameFiles } from './attachments.js';
import type { ImportedEntry, ImportOptions } from './entry.js';
import { ImportError } from './import-error.js';
import { importReport } from './import-report.js';

export type ImportFileOptions = ImportOptions & {
  /** Sees the bytes of the file while it is read. */
  onBytes?: (bytes: Uint8Array) => void;
};

/**
 * The files that paths and globs name, sorted, each once. It throws `no_files` for a path or pattern that names none:
 * a wrong pattern must not pass for a run without tests.
 */
export async function findReports(patterns: readonly string[], cwd = process.cwd()): Promise<string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const files = await glob([pattern.replaceAll('\\', '/')], { cwd, dot: true, expandDirectories: false });
    if (files.length === 0) throw new ImportError('no_files', 'No file has this path or pattern.', pattern);
    for (const file of files) found.add(file);
  }
  return [...found].sort();
}

/**
 * The entries of one file, in groups as they are ready. It throws an `ImportError` where the file cannot be read or is
 * broken.
 */
export async function* importFile(
  file: string,
  options: ImportFileOptions = {},
): AsyncGenerator<readonly ImportedEntry[]> {
  const bases = [dirname(resolve(file)), process.cwd()];
  let left = 0;
  for await (const group of importReport({ path: file, bytes: bytesOf(file, options), ...options })) {
    for (const entry of group) {
      if (entry.type === 'summary') entry.summary.attachments -= left;
      if ((entry.type !== 'result' && entry.type !== 'attachments') || entry.attachments.length < 2) continue;
      const once = await withoutSameFiles(entry.attachments, bases);
      left += entry.attachments.length - once.length;
      entry.attachments = once;
    }
    yield group;
  }
}

/** The bytes of a report. @throws ImportError `cannot_read`, also for a link to a pipe or a device: it may never end. */
async function* bytesOf(file: string, { onBytes }: ImportFileOptions): AsyncGenerator<Uint8Array> {
  try {
    // Without this flag, a pipe without a writer waits already when it is opened. Windows has neither.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    await checkIsFile(handle);
    for await (const bytes of handle.createReadStream({ highWaterMark: BYTES_AT_ONCE })) {
      onBytes?.(bytes as Uint8Array);
      yield bytes as Uint8Array;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ImportError('cannot_read', `The file cannot be read: ${reason}.`, file, null, null, {
      cause: error,
    });
  }
}

const BYTES_AT_ONCE = 256 * 1_024;

async function checkIsFile(handle: FileHandle): Promise<void> {
  if ((await handle.stat()).isFile()) return;
  await handle.close();
  throw new Error('it is a pipe, a device or a folder');
}
