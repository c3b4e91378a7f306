/** Empties the write-ahead logs of the files in a folder. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from './database.js';

/** False where another connection is in the way. The files belong to a running server, so none of them is made. */
export function emptyLogsIn(folder: string): boolean {
  // The lock of the folder has no log.
  const files = readdirSync(folder).filter((name) => name.endsWith('.sqlite-wal'));
  const stores = files.map((name) => name.slice(0, -'-wal'.length));
  return stores.map((name) => isEmptied(join(folder, name))).every(Boolean);
}

function isEmptied(file: string): boolean {
  const database = openDatabase(file, { synchronous: 'FULL', busyTimeoutMs: 100 });
  try {
    const [isHeldUp] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw().get([]) as [number];
    return isHeldUp === 0;
  } finally {
    database.close();
  }
}
