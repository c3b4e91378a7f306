/** The check of both databases at a start, before anything is written. */
import { isAppError } from '../../errors.js';
import { openMongoState } from './state.js';
import { NewerDatabase } from './schema.js';
import { openMongoViewReader } from './views/reader.js';

/**
 * Refuses the databases of a newer program. A database that is away is checked with the first call that reaches it: its
 * absence does not keep a server from starting.
 * @throws AppError that says which versions the database and the program have.
 */
export async function refuseNewerDatabases(url: string): Promise<void> {
  const [views, state] = [openMongoViewReader({ url }), openMongoState({ url })];
  try {
    const looks = await Promise.allSettled([views.position('schema'), state.get('schema', 'version')]);
    const refused = looks.find((look) => look.status === 'rejected' && isNewer(look.reason));
    if (refused?.status === 'rejected') throw refused.reason;
  } finally {
    await views.close();
    await state.close();
  }
}

function isNewer(error: unknown): boolean {
  return isAppError(error) && error.cause instanceof NewerDatabase;
}
