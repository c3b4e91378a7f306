/** MongoDB goes away and comes back. Calls fail soon, with a code and a time to try again, and then work again. */
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoState } from '../../../src/adapters/mongodb/state.js';
import { openMongoViewReader } from '../../../src/adapters/mongodb/views/reader.js';
import { openMongoViewWriter } from '../../../src/adapters/mongodb/views/writer.js';
import type { State } from '../../../src/ports/state.js';
import type { ViewReader, ViewWriter } from '../../../src/ports/views.js';
import { isAppError, type ErrorCode } from '../../../src/errors.js';
import { added, at, commitTo, thingsSpec } from '../../contract/views/things.js';
import { startMongod } from '../../stack/mongod.js';
import type { StackServer } from '../../kit/stack-server.js';
import { withDatabase } from '../../kit/store-urls.js';
import { namedUrl, openFailPoints } from './failpoint.js';

const APP = 'held-up';
/** A call that a request waits for is given up after 5 s, and others after 15 s. */
const SOON = 12_000;
/** The driver alone would wait for 30 s. */
const LATEST = 28_000;

describe('MongoDB that goes away', function () {
  const spec = thingsSpec();
  const sort = { field: 'at', direction: 'ascending' } as const;
  let server: StackServer;
  let url: string;
  let reader: ViewReader;
  let writer: ViewWriter;
  let state: State;
  before(async () => {
    server = await startMongod();
    url = namedUrl(withDatabase(server.url, 'away'), APP);
  });
  after(() => server.stop());
  beforeEach(async () => {
    const client = new MongoClient(url);
    await client.db().dropDatabase();
    await client.db('away_state').dropDatabase();
    await client.close();
    reader = openMongoViewReader({ url });
    writer = openMongoViewWriter({ url });
    state = openMongoState({ url });
  });
  afterEach(async () => {
    await Promise.all([reader.close(), writer.close(), state.close()]);
  });

  it('fails every call within seconds with its code, and every call works again when MongoDB is back', async () => {
    await writer.prepare(spec, 1);
    await commitTo(writer, spec, [added('a', { at: '1' })]);
    await state.put('kind', 'key', 1, { expected: 'any' });
    await reader.get(spec, 'things', ['a']);

    await server.kill();
    const commit = { build: 1, epoch: 1, from: at(1), to: at(2), changes: [added('b', { at: '2' })] };
    await Promise.all([
      fails('views_unavailable', SOON, () => reader.position('things')),
      fails('views_unavailable', SOON, () => reader.position('things', { atLeast: at(2), timeoutMs: 1_000 })),
      fails('views_unavailable', SOON, () => reader.get(spec, 'things', ['a'])),
      fails('views_unavailable', SOON, () => reader.find(spec, 'things', { where: {}, sort, limit: 1 })),
      fails('views_unavailable', SOON, () => writer.builds('things')),
      fails('views_unavailable', SOON, () => writer.load(spec, 1, [{ collection: 'things', id: 'a' }])),
      fails('views_unavailable', LATEST, () => writer.commit(spec, commit)),
      fails('views_unavailable', LATEST, () => writer.prepare(spec, 2)),
      fails('views_unavailable', LATEST, () => writer.promote(spec, 2, 1)),
      fails('state_unavailable', SOON, () => state.get('kind', 'key')),
      fails('state_unavailable', SOON, () => state.put('kind', 'key', 2, { expected: 'any' })),
      fails('state_unavailable', SOON, () => state.remove('kind', 'other', 'any')),
      fails('state_unavailable', SOON, () => state.list('kind', { limit: 1 })),
      fails('state_unavailable', SOON, () => state.purge('2026', 1)),
    ]);

    await server.start();
    await writer.commit(spec, commit);
    expect(await reader.position('things')).to.equal(at(2));
    expect((await reader.find(spec, 'things', { where: {}, sort, limit: 9, total: true })).total).to.equal(2);
    expect((await state.get('kind', 'key'))?.value).to.equal(1);
    expect(await state.put('kind', 'key', 2, { expected: 'any' })).to.be.a('number');
  });

  it('may be away when the stores are opened, and is used when it is there', async () => {
    await Promise.all([reader.close(), writer.close(), state.close()]);
    await server.kill();
    reader = openMongoViewReader({ url });
    writer = openMongoViewWriter({ url });
    state = openMongoState({ url });
    await Promise.all([
      fails('views_unavailable', SOON, () => reader.position('things')),
      fails('views_unavailable', LATEST, () => writer.prepare(spec, 1)),
      fails('state_unavailable', SOON, () => state.get('kind', 'key')),
    ]);
    await server.start();
    await writer.prepare(spec, 1);
    await commitTo(writer, spec, [added('a')]);
    expect(await reader.position('things')).to.equal(at(1));
    expect(await state.put('kind', 'key', 1, { expected: 'absent' })).to.be.a('number');
  });

  it('ends a wait when the position is reached, though the primary and the connections were lost meanwhile', async () => {
    await writer.prepare(spec, 1);
    await commitTo(writer, spec, []);
    const waiting = reader.position('things', { atLeast: at(2), timeoutMs: 60_000 });
    await server.kill();
    await server.start();
    await commitTo(writer, spec, []);
    expect(await waiting).to.equal(at(2));
  });

  it('may lose its primary: the next primary serves the calls made meanwhile', async () => {
    await writer.prepare(spec, 1);
    await commitTo(writer, spec, [added('a')]);
    const client = new MongoClient(server.url);
    await client.db('admin').command({ replSetStepDown: 1, force: true });
    const waiting = reader.position('things', { atLeast: at(2), timeoutMs: 60_000 });
    const written = state.put('kind', 'key', 1, { expected: 'absent' });
    await commitTo(writer, spec, [added('b')]);
    expect(await waiting).to.equal(at(2));
    expect(await written).to.be.a('number');
    expect(await reader.get(spec, 'things', ['a', 'b'])).to.not.include(null);
    await client.close();
  });

  it('holds everything in the databases testledger and testledger_state when the URL names none', async () => {
    const plain = { url: server.url };
    const stores = [openMongoState(plain), openMongoViewWriter(plain)] as const;
    await stores[0].put('kind', 'key', 1, { expected: 'any' });
    await stores[1].prepare(spec, 1);
    await Promise.all(stores.map((store) => store.close()));
    const client = new MongoClient(server.url);
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    expect(databases.map(({ name }) => name)).to.include.members(['testledger', 'testledger_state']);
    await client.close();
  });

  it('fails a call within seconds when it takes the call and never answers, and goes on when it answers again', async () => {
    await writer.prepare(spec, 1);
    await commitTo(writer, spec, [added('a')]);
    await state.put('kind', 'key', 1, { expected: 'any' });
    const failPoints = openFailPoints(server.url);
    const held = { blockConnection: true, blockTimeMS: 8_000, appName: APP };
    await failPoints.set('alwaysOn', {
      failCommands: ['find', 'aggregate', 'findAndModify', 'delete'],
      ...held,
    });
    await Promise.all([
      fails('views_unavailable', SOON, () => reader.position('things')),
      fails('views_unavailable', SOON, () => reader.get(spec, 'things', ['a'])),
      fails('state_unavailable', SOON, () => state.get('kind', 'key')),
      fails('state_unavailable', SOON, () => state.put('kind', 'key', 2, { expected: 'any' })),
      fails('state_unavailable', SOON, () => state.put('kind', 'key', 3, { expected: 'any' })),
    ]);
    await failPoints.off();
    await failPoints.close();
    expect(await reader.get(spec, 'things', ['a'])).to.have.length(1);
    // The server may finish the call that it took. It never got the call that waited behind it and was given up.
    await state.put('kind', 'other', 1, { expected: 'any' });
    expect((await state.get('kind', 'key'))?.value).to.be.oneOf([1, 2]);
  });
});

async function fails(code: ErrorCode, withinMs: number, call: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const outcome = await call().then(
    () => null,
    (error: unknown) => error,
  );
  const what = `${call.toString()}: ${String(outcome)}`;
  expect(isAppError(outcome, code), what).to.equal(true);
  expect((outcome as { retryAfter?: number }).retryAfter, what).to.be.a('number');
  expect(performance.now() - began, what).to.be.lessThan(withinMs);
}
