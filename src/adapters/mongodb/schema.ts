/**
 * The schema version of the databases. Each database keeps its own in one document, in the collection `schema`. Several
 * processes start at once, and an upgrade replaces one after another, so a process may meet the version before its own.
 */
import type { Db } from 'mongodb';
import { type ErrorCode, AppError } from '../../errors.js';
import { version as program } from '../../version.js';
import { isDenied, isDuplicate } from './errors.js';

/** The version that this program reads and writes. */
const SCHEMA_VERSION = 1;

/** A newer program has written the database. */
export class NewerDatabase extends Error {
  override readonly name = 'NewerDatabase';
}

/**
 * Brings a database to the version of this program.
 * @throws AppError of the code, with a `NewerDatabase` as its cause, for a database of a newer program: this one does
 * not know what its fields mean, and its writes could destroy what the newer one relies on. Nothing is changed then.
 */
export async function raiseSchema(db: Db, code: ErrorCode & `${string}_unavailable`): Promise<void> {
  const schema = db.collection<{ _id: 'version'; version: number }>('schema');
  for (;;) {
    const version = (await schema.findOne({ _id: 'version' }))?.version ?? 0;
    if (version > SCHEMA_VERSION) throw newer(db.databaseName, version, code);
    if (version === SCHEMA_VERSION) return;
    try {
      await schema.updateOne({ _id: 'version' }, { $max: { version: SCHEMA_VERSION } }, { upsert: true });
    } catch (error) {
      // A process that only reads has the rights for that alone. The writer raises the version.
      if (isDenied(error)) return;
      if (!isDuplicate(error)) throw error;
    }
  }
}

function newer(database: string, version: number, code: ErrorCode): AppError {
  const cause = new NewerDatabase(
    `the database ${database} has schema version ${version}, and this program (testledger ${program}) reads schema ` +
      `versions up to ${SCHEMA_VERSION}. The database was not changed. Start the newer testledger, or use another database`,
  );
  // Clients see the detail. The name of the database goes to the server's log only.
  return new AppError(code, 'The database was written by a newer testledger.', { cause, retryAfter: 60 });
}
