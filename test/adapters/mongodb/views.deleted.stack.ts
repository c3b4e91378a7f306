import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoViewReader } from '../../../src/adapters/mongodb/views/reader.js';
import { openMongoViewWriter } from '../../../src/adapters/mongodb/views/writer.js';
import { added, at, commitTo, refused, thingsSpec } from '../../contract/views/things.js';
import { emptyDatabase, type TestDatabase } from './database.js';

describe('the views: MongoDB: a database that is deleted while it is read', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(() => database.drop());

  it('fails one read, and then serves the rebuilt documents, so that none is missing silently', async () => {
    const { url } = database;
    const spec = thingsSpec();
    const [reader, writer] = [openMongoViewReader({ url }), openMongoViewWriter({ url })];
    await writer.prepare(spec, 1);
    await commitTo(writer, spec, [added('a')], { to: at(5) });
    expect(await reader.position(spec.name, { atLeast: at(5), timeoutMs: 5_000 })).to.equal(at(5));
    expect(await reader.get(spec, 'things', ['a'])).to.have.length(1);
    const client = new MongoClient(url);
    await client.db().dropDatabase();
    await client.close();

    await refused(reader.get(spec, 'things', ['a']), 'views_unavailable');
    expect(await reader.position(spec.name, { atLeast: at(5), timeoutMs: 50 })).to.equal('');
    const again = openMongoViewWriter({ url });
    await again.prepare(spec, 1);
    await commitTo(again, spec, [added('a', { again: true })], { to: at(5) });
    expect(await reader.position(spec.name, { atLeast: at(5), timeoutMs: 5_000 })).to.equal(at(5));
    expect((await reader.get(spec, 'things', ['a']))[0]).to.include({ again: true });
    for (const each of [reader, writer, again]) await each.close();
  });
});
