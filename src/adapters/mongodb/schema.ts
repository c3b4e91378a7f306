/**
 * Schema versions of the databases. Each database keeps its version in one document, in the collection `schema`. A list
 * of migrations belongs to each kind of database: entry n brings a database of version n to version n + 1, so the length
 * of the list is the version that this program reads and writes. Append to a list; never change an entry that was
 * released.
 *
 * A migration may run twice, and beside processes of the version before: several processes start at once, and an upgrade
 * replaces one after another. So it only adds. What it makes superfluous is removed by a migration of a later version.
 */
import type { Collection, Db } from 'mongodb';
import { type ErrorCode, LedgerError } from '../../errors.js';
import { version as program } from '../../version.js';
import { isDenied, isDuplicate } from './errors.js';

export type MongoMigration = (db: Db) => Promise<void>;

type SchemaDocument = { _id: 'version'; version: number };

/** A database without a version has the layout of version 1, or nothing. */
const asItIs: MongoMigration = () => Promise.resolve();

/** The read models: the builds and their collections. */
export const VIEWS_MIGRATIONS: readonly MongoMigration[] = [asItIs];

/** The state and the deliveries. */
export const STATE_MIGRATIONS: readonly MongoMigration[] = [asItIs];

/** A newer program has written the database. */
export class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase';
}

/**
 * Brings a database to the version of this program.
 * @throws LedgerError of the code, with a `NewerDatabase` as its cause, for a database of a newer program: this one does
 * not know what its fields mean, and its writes could destroy what the newer one relies on. Nothing is changed then.
 */
export async function raiseSchema(
  db: Db,
  migrations: readonly MongoMigration[],
  code: ErrorCode & `${string}_unavailable`,
): Promise<void> {
  const schema = db.collection<SchemaDocument>('schema');
  for (;;) {
    const version = (await schema.findOne({ _id: 'version' }))?.version ?? 0;
    if (version > migrations.length) throw newer(db.databaseName, version, migrations.length, code);
    const migration = migrations[version];
    if (migration === undefined) return;
    try {
      await migration(db);
      await raiseFrom(schema, version);
    } catch (error) {
      // A process that only reads has the rights for that alone. The writer raises the version.
      if (isDenied(error)) return;
      throw error;
    }
  }
}

/** Another process may have raised it in the meantime: each step is counted once. */
async function raiseFrom(schema: Collection<SchemaDocument>, version: number): Promise<void> {
  if (version > 0) {
    await schema.updateOne({ _id: 'version', version }, { $set: { version: version + 1 } });
    return;
  }
  await schema.insertOne({ _id: 'version', version: 1 }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
}

function newer(database: string, version: number, known: number, code: ErrorCode): LedgerError {
  const cause = new NewerDatabase(
    `the database ${database} has schema version ${version}, and this program (testledger ${program}) reads schema ` +
      `versions up to ${known}. The database was not changed. Start the newer testledger, or use another database`,
  );
  // Clients see the detail. The name of the database goes to the server's log only.
  return new LedgerError(code, 'The database was written by a newer testledger.', { cause, retryAfter: 60 });
}
