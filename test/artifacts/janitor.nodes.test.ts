import { expect } from 'chai';
import { LEASE_MS } from '../../src/leases/lease.js';
import {
  DAY,
  expectNothingLeft,
  givenBoth,
  givenJanitor,
  HOUR,
  leftToDo,
  SETTLED_MS,
} from '../commands/artifacts.given.js';
import { embeddedStores } from '../stores.js';

describe('the janitor of many processes', () => {
  const stores = embeddedStores('each test');
  const given = () => givenBoth(stores);

  it('is one: another takes over when it has ended, or was not heard of for the time of a lease', async () => {
    const { uploaded, blobs, happened } = await given();
    await uploaded();
    const one = givenJanitor(stores, blobs, { holder: { boot: 'one', alone: false } });
    const two = givenJanitor(stores, blobs, { holder: { boot: 'two', alone: false } });
    await one.round();
    const before = await leftToDo(stores);
    stores.clock.forward(LEASE_MS - 1);
    await two.round();
    expect(two.told.errors).to.deep.equal([]);
    expect(await leftToDo(stores)).to.equal(before);
    stores.clock.forward(HOUR);
    await two.round();
    expect((await happened()).at(-1)).to.equal('ArtifactDeleted never_confirmed');
    await two.round.end();
    const three = givenJanitor(stores, blobs, { holder: { boot: 'three', alone: false } });
    stores.clock.forward(SETTLED_MS);
    await three.round();
    expect(await leftToDo(stores)).to.equal(0);
  });

  it('does no harm where two take themselves for it', async () => {
    const { confirmed, uploaded, remove, blobs, happened } = await given();
    await confirmed();
    await uploaded();
    await remove(await confirmed());
    const two = [1, 2].map((n) => givenJanitor(stores, blobs, { holder: { boot: String(n), alone: true } }));
    for (const forward of [0, HOUR, SETTLED_MS, 30 * DAY, SETTLED_MS]) {
      stores.clock.forward(forward);
      await Promise.all(two.map(({ round }) => round()));
    }
    expectNothingLeft(blobs);
    expect(two.flatMap(({ told }) => told.errors)).to.deep.equal([]);
    expect((await happened()).filter((each) => each.startsWith('ArtifactDeleted'))).to.have.length(3);
  });
});
