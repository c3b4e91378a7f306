import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { openLocalBus } from '../../../src/adapters/sqlite/bus.js';
import { isLedgerError } from '../../../src/errors.js';
import { busContract } from '../../contract/bus/contract.js';
import { consumerOf, message, messages, place, takeAll } from '../../contract/bus/subject.js';

const emptyFolder = () => mkdtemp(join(tmpdir(), 'testledger-bus-'));

busContract('a SQLite file', async () => {
  const folder = await emptyFolder();
  return { open: () => openLocalBus({ folder }), remove: () => rm(folder, { recursive: true }) };
});

describe('the bus in a SQLite file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await emptyFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('keeps no acknowledged message', async () => {
    const bus = await openLocalBus({ folder });
    await bus.publish(messages(1, 40));
    const consumer = consumerOf(bus, 7);
    await takeAll(consumer, 40);
    await consumer.end();
    await bus.close();
    const database = new Database(join(folder, 'bus.sqlite'));
    expect(database.prepare('SELECT count(*) AS n FROM messages').get([])).to.include({ n: 0 });
    database.close();
  });

  it('drops its oldest messages while no consumer takes any', async () => {
    const bus = await openLocalBus({ folder });
    for (let n = 0; n < 11; n += 1) await bus.publish(messages(n * 1_000 + 1, n * 1_000 + 1_000));
    const consumer = consumerOf(bus, 1);
    expect(await consumer.take()).to.deep.equal([place(1_001)]);
    await consumer.end();
    await bus.close();
  });

  it('replaces a damaged file, because the outbox has all its messages', async () => {
    await writeFile(join(folder, 'bus.sqlite'), 'garbage'.repeat(1_000));
    const bus = await openLocalBus({ folder });
    expect(await bus.last()).to.equal(null);
    await bus.publish([message(1)]);
    expect(await bus.last()).to.equal(place(1));
    await bus.close();
  });

  it('says why its file cannot be used', async () => {
    await writeFile(join(folder, 'file'), '');
    const error: unknown = await openLocalBus({ folder: join(folder, 'file', 'below') }).catch(
      (reason: unknown) => reason,
    );
    expect(isLedgerError(error, 'bus_unavailable'), String(error)).to.equal(true);
    expect(String(error)).to.include(folder);
  });

  it('notifies a consumer in another thread', async () => {
    const bus = await openLocalBus({ folder });
    const thread = new Worker(new URL('./bus.thread.js', import.meta.url), { workerData: { folder } });
    expect(await once(thread, 'message')).to.deep.equal(['waiting']);
    const took = once(thread, 'message');
    await bus.publish([message(1)]);
    const [{ places, ms }] = (await took) as [{ places: string[]; ms: number }];
    expect(places).to.deep.equal([place(1)]);
    // By itself, the consumer would look after half a second.
    expect(ms).to.be.lessThan(400);
    await once(thread, 'exit');
    await bus.close();
  });
});
