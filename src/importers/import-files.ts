/** Finds report files, and reads one of them. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { glob } from 'tinyglobby';
import { allureFolders, allureNamesIn, importAllure } from './allure/folder.js';
import { withoutSameFiles } from './attachments.js';
import { hasDecimalComma } from './values/decimal-comma.js';
import type { ImportedEntry, ImportOptions } from './entry.js';
import { ImportError } from './import-error.js';
import { importReport, NO_DOCUMENT } from './import-report.js';
import { candidatesIn, leftOutText, openLeftOut, type Leave, type LeftOut } from './report-folder.js';

/** `left`: what folders have besides their reports. */
export type FoundReports = { files: string[]; left: LeftOut[] };

/**
 * The files that paths and globs name, each once, in the order of their places: however a command names the same files, it
 * finds them in the same order. It throws `no_files` for a path or pattern that names none, and for a folder without reports:
 * a wrong pattern must not pass for a run without tests.
 */
export async function findReports(patterns: readonly string[], cwd = process.cwd()): Promise<FoundReports> {
  // By their places, since one file may be named from the root, from here, and by links to it or to its folder.
  const found = new Map<string, string>();
  const here = await realpath(cwd);
  const allLeft: LeftOut[] = [];
  for (const pattern of patterns) {
    const { files, isEachOnce = false, left = [] } = await filesOf(pattern, cwd);
    if (files.length === 0) throw new ImportError('no_files', 'No file has this path or pattern.', pattern);
    if (isEachOnce && patterns.length === 1) return { files: files.sort(), left };
    allLeft.push(...left);
    for (const file of files.sort()) {
      const named = resolve(here, file);
      const place = placeOf(named);
      const known = found.get(place);
      // The files that a report names are beside itself, and not always beside a link to it.
      if (known === undefined || (named === place && resolve(here, known) !== place)) found.set(place, file);
    }
  }
  return { files: [...found.keys()].sort().map((place) => found.get(place)!), left: allLeft };
}

/** At once: a folder of Allure has a file for each result, and to wait for each of them takes ten times as long. */
function placeOf(named: string): string {
  try {
    return realpathSync.native(named);
  } catch {
    return named;
  }
}

/** `isEachOnce`: whether it is known that no two of them are one file. A folder of Allure has very many files. */
type Named = { files: string[]; isEachOnce?: boolean; left?: LeftOut[] };

/**
 * What exists is a path, and so is each folder at the beginning of a pattern: their names may have brackets and other signs
 * of patterns. Behind them, a backslash takes the meaning of a sign away, but for Windows, where it parts folders.
 */
async function filesOf(pattern: string, cwd: string): Promise<Named> {
  const parts = (sep === '\\' ? pattern.replaceAll('\\', '/') : pattern).split('/');
  let start = '';
  let known = 0;
  while (known < parts.length) {
    const next = known === 0 ? parts[0] || '/' : join(start, parts[known]!);
    if (!(await exists(resolve(cwd, next)))) break;
    start = next;
    known += 1;
  }
  if (known === parts.length) return filesAt(start, cwd);
  const folder = resolve(cwd, start);
  const files = await glob([parts.slice(known).join('/')], {
    cwd: folder,
    dot: true,
    expandDirectories: false,
  });
  return { files: files.map((file) => join(start, file)) };
}

/** Of a path that exists. */
async function filesAt(path: string, cwd: string): Promise<Named> {
  const place = resolve(cwd, path);
  // A folder of Allure's results is named as a whole.
  const found = allureNamesIn(place);
  if (found !== null)
    return { files: found.names.map((name) => join(path, name)), isEachOnce: !found.hasLinks };
  const isFolder = await stat(place).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return { files: [path] };
  const nameOf = (file: string) => join(path, relative(place, file));
  const { leave, all } = openLeftOut();
  const files = await reportsBelow(place, (reason, file) => leave(reason, nameOf(file)));
  const left = all();
  if (files.length > 0) return { files: files.map(nameOf), left };
  const detail = ['No report is in this folder.', ...left.map(leftOutText)].join(' ');
  throw new ImportError('no_files', detail, path);
}

async function reportsBelow(place: string, leave: Leave): Promise<string[]> {
  const { folders, others } = allureFolders(candidatesIn(place, leave));
  const files = folders.flatMap((each) => each.files);
  for (const file of others)
    if (await isAnotherDocument(file)) leave('not a report of a known format', file);
    else files.push(file);
  return files;
}

/** Few, so that a small report is not parsed twice. */
const TRIED_BYTES = 4_096;

/**
 * Whether the file is XML or JSON that is no report, such as settings or the coverage of code. One that is cut off or that no
 * parser takes may be a report: it is read, and what is wrong with it is said then.
 */
async function isAnotherDocument(file: string): Promise<boolean> {
  try {
    for await (const _ of importReport({ path: file, bytes: bytesOf(file, TRIED_BYTES) })) return false;
    return false;
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return error.code === 'unknown_format' && error.detail !== NO_DOCUMENT;
  }
}

/** Also for a link to nothing, of which the read says what is wrong. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** One report: a file, or the files that belong together. */
export type Report = {
  /** For people. */
  name: string;
  files: readonly string[];
  /** Throws an `ImportError` as `importFile` does. */
  entries: (options: ImportOptions) => AsyncGenerator<readonly ImportedEntry[]>;
};

/** The reports that are in these files, in their order. */
export function reportsIn(files: readonly string[]): Report[] {
  const { folders, others } = allureFolders(files);
  return [
    ...folders.map((found) => ({
      name: found.folder,
      files: found.files,
      entries: (options: ImportOptions) => importAllure(found, options),
    })),
    ...others.map((file) => ({
      name: file,
      files: [file],
      entries: (options: ImportOptions) => importFile(file, options),
    })),
  ];
}

/**
 * The entries of one file, in groups as they are ready. It throws an `ImportError` where the file cannot be read or is
 * broken.
 */
export async function* importFile(
  file: string,
  options: ImportOptions = {},
): AsyncGenerator<readonly ImportedEntry[]> {
  const bases = [dirname(resolve(file)), process.cwd()];
  let left = 0;
  const decimalComma = await hasDecimalComma(bytesOf(file));
  const input = { path: file, bytes: bytesOf(file), ...options, decimalComma };
  for await (const group of importReport(input)) {
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

/**
 * The bytes of a report, unpacked where it is packed by gzip.
 *
 * @throws ImportError `cannot_read`, also for a link to a pipe or a device: it may never end
 */
async function* bytesOf(file: string, most = BYTES_AT_ONCE): AsyncGenerator<Uint8Array> {
  try {
    const blocks = blocksOf(file, most);
    const { value: first } = blocks.next();
    if (first === undefined) return;
    const all = joined(first, blocks);
    if (GZIP.equals(first.subarray(0, GZIP.length)))
      yield* pipeline(Readable.from(all), createGunzip(), () => undefined);
    else yield* all;
  } catch (error) {
    const reason = await reasonFor(error, file);
    throw new ImportError('cannot_read', `The file cannot be read: ${reason}.`, file, null, null, {
      cause: error,
    });
  }
}

/** Its first bytes (RFC 1952, section 2.3.1). */
const GZIP = Buffer.from([0x1f, 0x8b]);

const BYTES_AT_ONCE = 256 * 1_024;
/** Of a file without a size, such as those of /proc. */
const LEAST_BYTES = 4_096;

/** At once: a run has hundreds of small reports, and to wait for each open, read and close takes as long as to parse them. */
function* blocksOf(file: string, most: number): Generator<Buffer> {
  // Without this flag, a pipe without a writer waits already when it is opened. Windows has neither.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = checkedFile(fstatSync(descriptor));
    for (;;) {
      const block = Buffer.allocUnsafe(Math.min(most, Math.max(size, LEAST_BYTES)));
      const read = readSync(descriptor, block);
      if (read === 0) return;
      yield block.subarray(0, read);
    }
  } finally {
    closeSync(descriptor);
  }
}

function checkedFile(stats: Stats): Stats {
  if (stats.isFile()) return stats;
  if (stats.isDirectory()) throw new Error('it is a folder');
  throw new Error(stats.isFIFO() ? 'it is a pipe' : 'it is a device');
}

function* joined(first: Buffer, rest: Generator<Buffer>): Generator<Buffer> {
  yield first;
  yield* rest;
}

async function reasonFor(error: unknown, file: string): Promise<string> {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && (await exists(file))) return 'it is a link to nothing';
  return code === 'Z_BUF_ERROR' ? 'what is packed in it is cut off' : message;
}
