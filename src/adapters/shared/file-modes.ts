/**
 * The rights to read the files of a store. The user of the server has them, and the group of the folder if the operator
 * has given the folder to it (0750). No other user of the machine has any: the files hold the results and secrets of all
 * teams.
 */
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export type Modes = { file: number; folder: number };

const OTHERS = 0o007;
const GROUP_READS = 0o040;
const ALL = 0o777;

/** The modes of new files and folders below a folder. */
export function modesIn(folder: string): Modes {
  const { mode } = statSync(folder);
  // A folder that others may enter has the modes of the system, so its group was not chosen by the operator.
  const isShared = (mode & OTHERS) === 0 && (mode & GROUP_READS) !== 0;
  return isShared ? { file: 0o640, folder: 0o750 } : { file: 0o600, folder: 0o700 };
}

/** Makes a folder, and those above it that are missing, for the user alone. An existing folder stays as it is. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Makes an empty file with the modes of its folder where there is none. Without this, SQLite would make the file with
 * the modes of the system. The files that SQLite puts beside it get the modes of the file.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', modesIn(dirname(path)).file));
  } catch (error) {
    // An existing file is not opened at all: closing it would drop the locks that this process holds on it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const ours = /^(?:(?:events|state|records|history|lock)\.sqlite(?:-wal|-shm|-journal)?|secret\.key.*|blobs)$/;

/**
 * Takes the rights that a folder and the files in it give to other users, as those of a restored backup may do. The rights
 * of the group stay where the folder has none for others. A folder that also holds other things keeps its modes.
 * @param notice gets a sentence about each change, and about what cannot be changed
 */
export function closeToOthers(folder: string, notice: (text: string) => void = () => undefined): void {
  const names = readdirSync(folder);
  const found = statSync(folder).mode & ALL;
  if ((found & OTHERS) !== 0) {
    if (names.every((name) => ours.test(name))) narrow(folder, found, 0o700, notice);
    else notice(`other users may enter the folder ${folder}; it holds other things too, so it stays open`);
  }
  const modes = modesIn(folder);
  // The file of the secret refuses wide modes by itself: its secret may be known already.
  for (const name of names.filter((each) => ours.test(each) && !each.startsWith('secret.key'))) {
    const path = join(folder, name);
    const mode = modeOf(path);
    if (mode !== null) narrow(path, mode, basename(path) === 'blobs' ? modes.folder : modes.file, notice);
  }
}

function narrow(path: string, found: number, allowed: number, notice: (text: string) => void): void {
  if ((found & ~allowed) === 0) return;
  try {
    chmodSync(path, found & allowed);
    notice(
      `${path} had the mode ${octal(found)}, and other users could read it; it has ${octal(found & allowed)} now`,
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    notice(
      `${path} has the mode ${octal(found)}, so other users can read it; its mode cannot be changed (${codeOf(error)})`,
    );
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** Null for a file that is gone: SQLite removes its files beside another when the last connection closes. */
function modeOf(path: string): number | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : found.mode & ALL;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
