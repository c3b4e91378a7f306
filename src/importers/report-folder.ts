/** The reports in a folder. A command that names a folder does not say which of its files are reports. */
import { opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ImportError } from './import-error.js';

/** What is in a folder and is not read, for one reason. `files`: the first of them. */
export type LeftOut = { reason: string; count: number; files: string[] };

/** The names that reports have. Others beside them are pages, pictures, logs and archives. */
const NAMES = /\.(?:xml|trx|json|ndjson)(?:\.gz)?$/i;
/** What tools and package managers keep for themselves. An attachment is not taken from there either. */
const HIDDEN = /^(?:\.|node_modules$)/;
const MOST_ENTRIES = 100_000;
const MOST_NAMED = 100;
const SHOWN = 3;

/**
 * The files in a folder, and in those below it, that may be reports by their names. It follows links to files, and none to
 * folders: they may lead in a circle, or to all that there is.
 *
 * @throws ImportError `too_large`, `cannot_read`
 */
export function candidatesIn(root: string, leave: Leave, mostEntries = MOST_ENTRIES): string[] {
  const files: string[] = [];
  const folders = [root];
  let entries = 0;
  for (const folder of folders) {
    for (const { name, isFolder, isLink } of entriesOf(folder)) {
      entries += 1;
      if (entries > mostEntries) {
        const detail = `The folder has more than ${mostEntries} files: name its reports, such as "folder/**/*.xml".`;
        throw new ImportError('too_large', detail, root);
      }
      const path = join(folder, name);
      if (HIDDEN.test(name)) leave('named with a dot before, or node_modules', path);
      else if (isFolder && isLink) leave('a link to a folder', path);
      else if (isFolder) folders.push(path);
      else if (NAMES.test(name)) files.push(path);
      else leave('not named .xml, .trx, .json or .ndjson', path);
    }
  }
  return files;
}

function* entriesOf(folder: string): Generator<{ name: string; isFolder: boolean; isLink: boolean }> {
  try {
    const opened = opendirSync(folder);
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        const isLink = entry.isSymbolicLink();
        // The read says what is wrong with a link to nothing.
        const target = isLink ? statSync(join(folder, entry.name), { throwIfNoEntry: false }) : entry;
        yield { name: entry.name, isFolder: target?.isDirectory() ?? false, isLink };
      }
    } finally {
      opened.closeSync();
    }
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const detail = `The folder cannot be read: ${(error as Error).message}.`;
    throw new ImportError('cannot_read', detail, folder, null, null, { cause: error });
  }
}

export type Leave = (reason: string, file: string) => void;

/** Counts what is left out, by its reason. */
export function openLeftOut(): { leave: Leave; all: () => LeftOut[] } {
  const reasons = new Map<string, LeftOut>();
  return {
    leave(reason, file) {
      const known = reasons.get(reason) ?? { reason, count: 0, files: [] };
      reasons.set(reason, known);
      known.count += 1;
      if (known.files.length < MOST_NAMED) known.files.push(file);
    },
    all: () => [...reasons.values()],
  };
}

export function leftOutText({ reason, count, files }: LeftOut): string {
  const shown = files.slice(0, SHOWN).join(', ');
  const more = count > SHOWN ? ` and ${count - SHOWN} more` : '';
  return `${count} not read, ${reason}: ${shown}${more}.`;
}
