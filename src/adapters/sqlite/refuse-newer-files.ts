/** The check of a whole folder, before a start opens or migrates any file in it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { LOG_MIGRATIONS } from './log/file.js';
import { refuseNewer, schemaVersion } from './migrations.js';
import { STATE_MIGRATIONS } from './state/store.js';
import { VIEWS_MIGRATIONS } from './views/layout.js';

const files = {
  'events.sqlite': LOG_MIGRATIONS,
  'state.sqlite': STATE_MIGRATIONS,
  'records.sqlite': VIEWS_MIGRATIONS,
  'history.sqlite': VIEWS_MIGRATIONS,
};

/**
 * Refuses a folder that holds a file of a newer program. Threads open some of the files, and a thread that cannot
 * open its file is started again and again: without this check, the start would seem to succeed.
 * @throws Error that names the file, its version and the version of this program.
 */
export function refuseNewerFiles(folder: string): void {
  for (const [name, migrations] of Object.entries(files)) {
    const file = join(folder, name);
    if (existsSync(file)) refuseNewer(readVersion(file), file, migrations);
  }
}

/** Returns 0 if the version cannot be read. The function that opens a damaged file says what to do about it. */
function readVersion(file: string): number {
  let database: Database.Database | null = null;
  try {
    database = new Database(file);
    return schemaVersion(database);
  } catch {
    return 0;
  } finally {
    database?.close();
  }
}
