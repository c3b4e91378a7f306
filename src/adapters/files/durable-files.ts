/** Makes the names in folders durable: the fsync of a file does not cover its name. */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { coalesceByKey } from '../../concurrency/coalesce.js';

/** Resolves when everything that was made, renamed or removed in a folder survives a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns a `syncFolder` whose callers share one sync of a folder, if they came before it began. */
export function openSharedSync(): typeof syncFolder {
  const join = coalesceByKey<void>();
  return (folder) => join(folder, () => syncFolder(folder));
}

/** Makes a folder and those above it, durably. By default for the user alone. */
export async function makeFolder(folder: string, mode = 0o700): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first) return;
  }
}
