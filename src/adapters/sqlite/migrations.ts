/**
 * Schema versions of the SQLite files. Each file keeps its version in `PRAGMA user_version`. The migrations of a file
 * are a list of SQL: entry n brings a file of version n to version n + 1, so the length of the list is the version
 * that this program reads and writes. The first entry makes the tables. Append to a list; never change an entry that was
 * released.
 */
import type Database from 'libsql';
import { version as program } from '../../version.js';
import { immediately } from './transaction.js';

export type Migrations = readonly string[];

/** The schema version of a file. An empty file has version 0. */
export function schemaVersion(database: Database.Database): number {
  return (database.prepare('PRAGMA user_version').raw().get([]) as [number])[0];
}

/**
 * Refuses the file of a newer program: this one does not know what its columns mean, and its writes could destroy
 * what the newer one relies on.
 * @throws Error that names the file, its version and the version of this program.
 */
export function refuseNewer(version: number, file: string, migrations: Migrations): void {
  if (version <= migrations.length) return;
  throw new Error(
    `the file ${file} was written by a newer testledger: it has schema version ${version}, and this program ` +
      `(testledger ${program}) reads schema versions up to ${migrations.length}. The file was not changed. ` +
      'Start the newer testledger, or use another folder',
  );
}

/**
 * Brings a file to the version of this program, in one transaction: a migration that fails leaves the file as it was.
 * Several connections may open the file at once; the first one migrates, and the others wait for it.
 * @throws Error of the migration that failed; Error when a newer program migrated the file in the meantime.
 */
export function migrate(database: Database.Database, file: string, migrations: Migrations): void {
  if (schemaVersion(database) === migrations.length) return;
  immediately(database, () => {
    // Read again under the lock: another connection may have migrated the file in between.
    let version = schemaVersion(database);
    refuseNewer(version, file, migrations);
    for (; version < migrations.length; version += 1) {
      database.exec(migrations[version] as string);
      database.exec(`PRAGMA user_version = ${version + 1}`);
    }
  });
}
