/** One server per folder. Two would give out the same positions, and each would miss the other's notifications. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { makePrivateFile, makePrivateFolder } from '../shared/file-modes.js';
import { isBusy } from './database.js';

export type FolderLock = { release(): void };

// Kept here too: a connection that becomes garbage closes and loses its lock.
const held = new Map<string, Database.Database>();

/**
 * Holds a folder for this process until `release()`, or until the process ends in any way. The lock is the operating
 * system's lock on `lock.sqlite`, so a kill leaves nothing behind that the next start must clear up.
 * Nothing else in this process may open `lock.sqlite`: closing any descriptor of it drops the lock.
 * @throws Error when this or another process holds the folder.
 */
export function lockFolder(folder: string): FolderLock {
  makePrivateFolder(folder);
  const path = realpathSync(folder);
  if (held.has(path)) throw inUse(path);
  makePrivateFile(join(path, 'lock.sqlite'));
  const database = new Database(join(path, 'lock.sqlite'));
  try {
    // Two servers that start at the same instant must not both be refused, and an earlier one may be about to end.
    database.exec('PRAGMA busy_timeout = 500');
    // Otherwise a kill would leave a journal behind, which the next start would have to play back.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) throw inUse(path);
    throw new Error(`the folder ${path} cannot be locked: ${String(error)}`, { cause: error });
  }
  held.set(path, database);
  return {
    release: () => {
      if (held.get(path) !== database) return;
      held.delete(path);
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** The `code` of the error for a folder that another process has. */
const FOLDER_IN_USE = 'FOLDER_IN_USE';

function inUse(path: string): Error {
  const error = new Error(`the folder ${path} is in use by another testledger server`);
  return Object.assign(error, { code: FOLDER_IN_USE });
}
