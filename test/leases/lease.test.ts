import { expect } from 'chai';
import { acquireLease, LEASE_MS, type Lease } from '../../src/leases/lease.js';
import { embeddedStores } from '../stores.js';

const YEAR_MS = 365 * 86_400_000;

describe('a lease', () => {
  const stores = embeddedStores('each test', { log: false });
  const acquire = (boot: string, { alone = false, name = 'records' } = {}) =>
    acquireLease(stores.state, name, { boot, alone }, stores.clock);
  const held = async (boot: string, alone = false): Promise<Lease> =>
    (await acquire(boot, { alone })) ?? expect.fail(`${boot} did not get it`);

  it('has one holder, however many processes try at once', async () => {
    const wanted = Array.from({ length: 20 }, (_, n) => acquire(`server ${n}`));
    expect((await Promise.all(wanted)).filter((lease) => lease !== null)).to.have.length(1);
  });

  it('can be acquired again at once by the process that has it, which voids the former one', async () => {
    const former = await held('one');
    const lease = await held('one');
    expect(lease.epoch).to.equal(2);
    expect(await former.renew()).to.equal(false);
    await former.release();
    expect(await acquire('other')).to.equal(null);
    expect(await lease.renew()).to.equal(true);
  });

  it('is held for 10 s, and then any process can acquire it', async () => {
    await held('one');
    stores.clock.forward(LEASE_MS - 1);
    expect(await acquire('other')).to.equal(null);
    stores.clock.forward(1);
    await held('other');
  });

  it('is held while it is renewed in time', async () => {
    const lease = await held('one');
    for (let n = 0; n < 5; n += 1) {
      stores.clock.forward(LEASE_MS - 1);
      expect(await lease.renew()).to.equal(true);
    }
    stores.clock.forward(LEASE_MS - 1);
    expect(await acquire('other')).to.equal(null);
  });

  it('can be renewed late if no other process acquired it meanwhile', async () => {
    const lease = await held('one');
    stores.clock.forward(10 * LEASE_MS);
    expect(await lease.renew()).to.equal(true);
    expect(await acquire('other')).to.equal(null);
  });

  it('is lost when another process has it: a renewal returns false and does not disturb the new holder', async () => {
    const lost = await held('one');
    stores.clock.forward(LEASE_MS);
    const lease = await held('other');
    expect(await lost.renew()).to.equal(false);
    expect(await lost.renew()).to.equal(false);
    await lost.release();
    expect(await lease.renew()).to.equal(true);
    expect(await acquire('third')).to.equal(null);
  });

  it('is free at once after its release', async () => {
    await (await held('one')).release();
    await held('other');
  });

  it('is free at once after its release, even if the clock was set back meanwhile', async () => {
    await (await held('one')).release();
    stores.clock.forward(-3_600_000);
    await held('other');
  });

  it('of a process that was killed while its clock ran a year ahead is free 10 s after another looked at it first', async () => {
    stores.clock.forward(YEAR_MS);
    const lease = await held('one');
    stores.clock.forward(-YEAR_MS);
    let now = 0;
    const options = { elapsed: () => now };
    const other = () =>
      acquireLease(stores.state, 'records', { boot: 'other', alone: false }, stores.clock, options);
    expect(await other()).to.equal(null);
    // Its clock is still ahead, but it lives.
    stores.clock.forward(YEAR_MS);
    now += LEASE_MS;
    expect(await lease.renew()).to.equal(true);
    stores.clock.forward(-YEAR_MS);
    for (let n = 0; n < 3; n += 1) {
      now += LEASE_MS / 2;
      expect(await other(), `${now}`).to.equal(null);
    }
    now += 1;
    expect((await other())?.epoch).to.equal(2);
    expect(await lease.renew()).to.equal(false);
  });

  it('is deleted some time after its end, if the caller wants that', async () => {
    const holder = { boot: 'one', alone: false };
    const options = { forgottenAfterMs: 60_000 };
    const lease = await acquireLease(stores.state, 'many/1', holder, stores.clock, options);
    await held('one');
    stores.clock.forward(30_000);
    await lease?.renew();
    stores.clock.forward(60_000);
    const now = () => stores.clock().toISOString();
    expect(await stores.state.purge(now(), 9)).to.equal(0);
    stores.clock.forward(LEASE_MS + 1);
    expect(await stores.state.purge(now(), 9)).to.equal(1);
    expect((await acquireLease(stores.state, 'many/1', holder, stores.clock, options))?.epoch).to.equal(1);
  });

  it('has an epoch that rises with every holder, also after a restart', async () => {
    const epochs: number[] = [];
    for (const boot of ['one', 'other', 'one']) {
      const lease = await held(boot);
      epochs.push(lease.epoch);
      await lease.renew();
      await lease.release();
    }
    await held('one');
    stores.clock.forward(LEASE_MS);
    await stores.restart();
    epochs.push((await held('other')).epoch);
    expect(epochs).to.deep.equal([1, 2, 3, 5]);
  });

  describe('of an earlier start', () => {
    it('is void at once when no other process can hold it', async () => {
      const lost = await held('first start', true);
      const lease = await held('second start', true);
      expect(lease).to.include({ epoch: 2, alone: true });
      expect(await lost.renew()).to.equal(false);
    });

    it('holds when another process can hold it', async () => {
      expect(await held('first start')).to.include({ alone: false });
      expect(await acquire('second start')).to.equal(null);
    });
  });

  it('of one name is independent of other names', async () => {
    await held('one');
    expect(await acquire('other', { name: 'another' })).not.to.equal(null);
  });
});
