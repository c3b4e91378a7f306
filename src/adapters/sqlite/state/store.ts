/** The file `state.sqlite`: the entries of the state and the deliveries, in one file so that one backup
 * has both, and the contents where the log is on a server. */
import { join } from 'node:path';
import { CONTENT_TABLES } from '../contents/table.js';
import { DELIVERY_TABLES } from '../deliveries/table.js';
import { openStore, type SqliteFile } from '../errors.js';
import type { Migrations } from '../migrations.js';
import { STATE_TABLES } from './table.js';

/** The layout of the file. */
export const STATE_MIGRATIONS: Migrations = [`${STATE_TABLES}\n${DELIVERY_TABLES}\n${CONTENT_TABLES}`];

export function stateStore(folder: string): SqliteFile {
  return {
    file: join(folder, 'state.sqlite'),
    code: 'state_unavailable',
    damaged: 'The state does not follow from the log: restore it from the backup.',
    migrations: STATE_MIGRATIONS,
  };
}

/** Makes the file where it is missing, and migrates that of an older program. @throws AppError `state_unavailable` */
export function prepareStateFile(store: SqliteFile): void {
  openStore(store, { synchronous: 'FULL', busyTimeoutMs: 5_000, erases: true }).close();
}
