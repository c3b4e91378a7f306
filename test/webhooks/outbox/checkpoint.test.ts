import { expect } from 'chai';
import { history } from '../../../projections/history/history.js';
import { addMilliseconds } from '../../../src/clock.js';
import { moveCheckpoint } from '../../../src/webhooks/outbox/checkpoint.js';
import { outboxLag, outgoingAfter } from '../../../src/webhooks/outbox/outgoing.js';
import { partitionOf, without, ALL_PARTITIONS } from '../../../src/domain/partition.js';
import { checkpointIn } from '../killable-processes.js';
import { messageAt, positionOf, team } from '../memory-stores.js';
import { embeddedStores, NOW } from '../../stores.js';

describe('the outgoing messages of the outbox', () => {
  const stores = embeddedStores('each test', { log: false });
  const partition = partitionOf(team);
  const place = (n: number) => messageAt(n).place;

  beforeEach(async () => {
    await stores.writer.prepare(history, 1);
    const to = positionOf(30);
    const changes = Array.from({ length: 30 }, (_, n) => ({
      collection: 'messages',
      id: messageAt(n + 1).event_id,
      before: null,
      after: {
        ...messageAt(n + 1, { at: addMilliseconds(NOW, n * 1_000), ...(n % 3 === 2 && { outgoing: null }) }),
        position: to,
      },
    }));
    await stores.writer.commit(history, { build: 1, epoch: 1, from: '', to, changes });
  });

  it('are read in order, after a position', async () => {
    const all = await outgoingAfter(stores.reader, { partition, place: '' }, { limit: 100 });
    expect(all.map((each) => each.place)).to.deep.equal(
      Array.from({ length: 30 }, (_, n) => n + 1)
        .filter((n) => n % 3 !== 0)
        .map(place),
    );
    expect(all[0]).to.deep.equal({ ...messageAt(1), position: positionOf(30) });
    const some = await outgoingAfter(stores.reader, { partition, place: place(4) }, { limit: 3 });
    expect(some.map((each) => each.place)).to.deep.equal([5, 7, 8].map(place));
    expect(await outgoingAfter(stores.reader, { partition, place: place(29) }, { limit: 3 })).to.deep.equal(
      [],
    );
    for (const other of without(ALL_PARTITIONS, partition))
      expect(await outgoingAfter(stores.reader, { partition: other, place: '' }, { limit: 3 })).to.deep.equal(
        [],
      );
  });

  it('have a checkpoint that moves only from the version that was read', async () => {
    const none = await checkpointIn(stores.state);
    expect(none.place).to.equal('');
    const first = await moveCheckpoint(stores.state, none, messageAt(4));
    expect(await moveCheckpoint(stores.state, none, messageAt(1))).to.equal(null);
    expect(await checkpointIn(stores.state)).to.deep.equal(first);
    expect(await moveCheckpoint(stores.state, first!, messageAt(5))).not.to.equal(null);
    expect((await checkpointIn(stores.state)).place).to.equal(place(5));
  });

  it('have a lag: the age of the oldest after the checkpoint', async () => {
    const lag = () => outboxLag(stores.state, stores.reader, stores.clock);
    stores.clock.forward(60_000);
    expect(await lag()).to.equal(60);
    await moveCheckpoint(stores.state, await checkpointIn(stores.state), messageAt(4));
    expect(await lag()).to.equal(56);
    await moveCheckpoint(stores.state, await checkpointIn(stores.state), messageAt(29));
    expect(await lag()).to.equal(0);
  });
});
