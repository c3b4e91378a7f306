/** The bytes of the files that this server keeps by itself: the log, the read models, the state, the files of artifacts. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { blobsAdapters, locate, logAdapters, viewsAdapters } from './registry.js';

/** `bytes` of the SQLite files in a folder, with their write-ahead logs. Empty where servers hold everything. */
export async function storageBytes(config: Config): Promise<{ name: string; bytes: number }[]> {
  const folders = [
    locate(logAdapters, config.events).folder,
    locate(viewsAdapters, config.views).folder,
    locate(blobsAdapters, config.blobs).folder,
    config.dataDir,
  ];
  const sizes = new Map<string, number>();
  for (const folder of new Set(folders.filter((each) => each !== null))) {
    // A flat look: the folders of artifacts may hold a million files.
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const [name] = /^[a-z]+\.sqlite/.exec(entry.name) ?? [];
      if (name === undefined || name === 'lock.sqlite' || !entry.isFile()) continue;
      const { size } = await stat(join(folder, entry.name)).catch(() => ({ size: 0 }));
      sizes.set(name, (sizes.get(name) ?? 0) + size);
    }
  }
  return [...sizes].map(([name, bytes]) => ({ name, bytes }));
}
