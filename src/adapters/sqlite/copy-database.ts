/** A copy of a SQLite file that others may be writing: everything that was committed at one moment, and nothing else. */
import { open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import Database from 'libsql';
import { syncFolder } from '../files/durable-files.js';
import { makePrivateFile } from '../shared/file-modes.js';
import { refuseNewer, schemaVersion, type Migrations } from './migrations.js';

/** A writer that holds the file for longer than this is no writer of ours. */
const BUSY_MS = 30_000;

/**
 * Copies a file to a new one, checks the copy, and makes it durable. The writer goes on meanwhile; its write-ahead log
 * grows until the copy is done. Returns the bytes of the copy.
 * @throws Error when the file is missing, was written by a newer program or is damaged.
 */
export async function copyDatabase(from: string, to: string, migrations: Migrations): Promise<number> {
  await stat(from);
  const target = resolve(to);
  makePrivateFile(target);
  const source = new Database(resolve(from));
  try {
    source.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    refuseNewer(schemaVersion(source), from, migrations);
    source.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
  } finally {
    source.close();
  }
  checkCopy(target);
  const handle = await open(target, 'r+');
  try {
    // SQLite leaves that to the caller.
    await handle.sync();
    await syncFolder(dirname(target));
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** @throws Error when SQLite finds a fault in the copy. */
function checkCopy(file: string): void {
  const copy = new Database(file);
  try {
    const [found] = copy.prepare('PRAGMA quick_check').raw().all([]) as [string][];
    if (found?.[0] !== 'ok') throw new Error(`the copy ${file} is damaged: ${found?.[0] ?? 'no answer'}`);
  } finally {
    copy.close();
  }
}
