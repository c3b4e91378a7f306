/** The folders of stores: locked by their server, and refused where a newer program wrote them. */
import { realpathSync } from 'node:fs';
import type { OnStop } from './adapter.js';
import { makePrivateFolder } from './shared/file-modes.js';

/** Locks every folder once, by its real path: two paths may lead to the same folder. */
export async function lockFolders(folders: readonly (string | null)[], onStop: OnStop): Promise<void> {
  const locked = new Set<string>();
  for (const folder of folders) {
    if (folder === null) continue;
    makePrivateFolder(folder);
    const path = realpathSync(folder);
    if (locked.has(path)) continue;
    const { lockFolder } = await import('./sqlite/folder-lock.js');
    const lock = lockFolder(path);
    onStop(() => lock.release());
    locked.add(path);
  }
}

/** Refuses a start before anything is opened: threads open some of the files, and a thread that fails starts again. */
export async function refuseNewerFolders(folders: readonly (string | null)[]): Promise<void> {
  for (const folder of new Set(folders)) {
    if (folder !== null) (await import('./sqlite/refuse-newer-files.js')).refuseNewerFiles(folder);
  }
}
