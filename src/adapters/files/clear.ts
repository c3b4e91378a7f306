/** Removes what lies at a place, and says how much room that made. */
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from './errors.js';
import { syncFolder } from './durable-files.js';

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
