import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { openMongoDeliveries } from '../../../src/adapters/mongodb/deliveries/deliveries.js';
import { openMongoState } from '../../../src/adapters/mongodb/state.js';
import { openMongoViewReader } from '../../../src/adapters/mongodb/views/reader.js';
import { openMongoViewWriter } from '../../../src/adapters/mongodb/views/writer.js';
import { openForApi } from '../../../src/adapters/open.js';
import { readConfig } from '../../../src/config.js';
import { isAppError, reasonOf, type ErrorCode } from '../../../src/errors.js';
import { emptyDatabase, type TestDatabase } from './database.js';

type Schema = { _id: string; version: number };

describe('the schema version of a MongoDB database', () => {
  let database: TestDatabase;
  let client: MongoClient;
  const url = () => database.url;
  const views = (): Db => client.db();
  const state = (): Db => client.db(`${client.db().databaseName}_state`);
  const versionOf = async (db: Db) => (await db.collection<Schema>('schema').findOne())?.version ?? null;
  const setVersion = async (db: Db, version: number): Promise<void> => {
    await db.collection<Schema>('schema').replaceOne({ _id: 'version' }, { version }, { upsert: true });
  };
  beforeEach(async () => {
    database = await emptyDatabase();
    client = new MongoClient(database.url);
  });
  afterEach(async () => {
    await client.close();
    await database.drop();
  });

  /** Each opens one store, and does one thing with it. */
  const uses: Record<string, { of: () => Db; code: ErrorCode; use: () => Promise<unknown> }> = {
    'the state': {
      of: state,
      code: 'state_unavailable',
      use: () =>
        closing(openMongoState({ url: url() }), (each) => each.put('kind', 'key', 1, { expected: 'any' })),
    },
    'the deliveries': {
      of: state,
      code: 'state_unavailable',
      use: () => closing(openMongoDeliveries({ url: url() }), (each) => each.pending()),
    },
    'the reader of the read models': {
      of: views,
      code: 'views_unavailable',
      use: () => closing(openMongoViewReader({ url: url() }), (each) => each.position('things')),
    },
    'the writer of the read models': {
      of: views,
      code: 'views_unavailable',
      use: () => closing(openMongoViewWriter({ url: url() }), (each) => each.prepare(things, 1)),
    },
  };
  const things = { name: 'things', version: 1, collections: [{ name: 'things', indexes: [] }] };

  it('is that of this program after the first call of each store, and each refuses a newer database, by a message that names both versions, and changes nothing', async () => {
    for (const [what, { of, code, use }] of Object.entries(uses)) {
      await use();
      expect(await versionOf(of()), what).to.equal(1);
      await of().dropDatabase();
      await setVersion(of(), 7);
      const error = await use().catch((error: unknown) => error);
      expect(isAppError(error, code), String(error)).to.equal(true);
      expect(reasonOf(error))
        .to.match(
          /^The database was written by a newer testledger: the database test_\w+ has schema version 7, /,
        )
        .and.include('reads schema versions up to 1');
      expect((error as Error).message, 'what clients see').to.not.include('test_');
      expect((await of().listCollections().toArray()).map(({ name }) => name)).to.deep.equal(['schema']);
      expect(await versionOf(of())).to.equal(7);
      await of().dropDatabase();
    }
  });

  it('is given again to read models that were deleted while the writer runs', async () => {
    const writer = openMongoViewWriter({ url: url() });
    await writer.prepare(things, 1);
    await views().dropDatabase();
    await writer.prepare(things, 1);
    expect(await versionOf(views())).to.equal(1);
    await writer.close();
  });

  for (const [which, of] of [
    ['the read models', views],
    ['the state', state],
  ] as const) {
    it(`stops a start on ${which} of a newer program, and not on those of this one`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'testledger-newer-'));
      const config = readConfig({
        DATA_DIR: folder,
        VIEWS_URL: url(),
        BLOBS_URL: `file:${folder}`,
        SECRET_KEY: 'of this suite alone: 32 characters or more',
      });
      const start = async () => {
        const ends: (() => Promise<void> | void)[] = [];
        try {
          await openForApi(config, (end) => void ends.unshift(end));
        } finally {
          for (const end of ends) await end();
        }
      };
      await setVersion(of(), 7);
      const refused = await start().then(() => 'started', reasonOf);
      expect(refused).to.include('has schema version 7').and.include('Start the newer testledger');
      await setVersion(of(), 1);
      await start();
      await rm(folder, { recursive: true });
    });
  }
});

async function closing<S extends { close(): Promise<void> }, T>(
  store: S,
  use: (store: S) => Promise<T>,
): Promise<T> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
