/** A database of its own for each store, on the server of `TEST_VIEWS_URL`. */
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { withDatabase } from '../../kit/store-urls.js';

export type TestDatabase = {
  /** With the database as its path. */
  url: string;
  /** Drops the database, and that of its state. */
  drop(): Promise<void>;
};

/** @throws Error where no server is configured: a suite that cannot run has not passed. */
export async function emptyDatabase(server = serverUrl()): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  return {
    url: withDatabase(server, name),
    drop: async () => {
      const client = new MongoClient(server);
      try {
        await client.db(name).dropDatabase();
        await client.db(`${name}_state`).dropDatabase();
      } finally {
        await client.close();
      }
    },
  };
}

export function serverUrl(): string {
  const url = process.env['TEST_VIEWS_URL'] ?? '';
  if (!url.startsWith('mongodb'))
    throw new Error('TEST_VIEWS_URL must name a MongoDB: start the servers of the stack');
  return url;
}
