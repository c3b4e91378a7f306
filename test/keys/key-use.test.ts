import { expect } from 'chai';
import { openKeyUse } from '../../src/keys/key-use.js';
import type { State } from '../../src/ports/state.js';
import { AppError } from '../../src/errors.js';
import { fakeIntervals } from '../concurrency/fake-intervals.js';
import { embeddedStores, eventually, NOW } from '../stores.js';

describe('the time of the last use of a key', () => {
  const stores = embeddedStores('each test', { log: false });
  const intervals = fakeIntervals();
  const reported: unknown[] = [];
  beforeEach(() => void reported.splice(0));
  const opened = (state: State = stores.state) =>
    openKeyUse(state, stores.clock, (error) => void reported.push(error));

  it('is known at once, and null if there was none', async () => {
    const keyUse = opened();
    keyUse.used('key_1');
    stores.clock.forward(5);
    keyUse.used('key_2');
    expect(await keyUse.lastUsed('key_1')).to.equal(NOW);
    expect(await keyUse.lastUsed('key_2')).to.equal('2026-11-21T12:00:00.005Z');
    expect(await keyUse.lastUsed('key_3')).to.equal(null);
    await keyUse.close();
  });

  it('is known to other servers after a while, and after a stop', async () => {
    const [one, other] = [opened(), opened()];
    one.used('key_1');
    expect(await other.lastUsed('key_1')).to.equal(null);
    intervals.fire();
    await eventually('it is written', async () => (await other.lastUsed('key_1')) === NOW);
    stores.clock.forward(1_000);
    one.used('key_1');
    await one.close();
    expect(await other.lastUsed('key_1')).to.equal('2026-11-21T12:00:01.000Z');
    await other.close();
    expect(intervals.size).to.equal(0);
  });

  it('stays the newest, also if a server writes an earlier use later', async () => {
    const [one, other] = [opened(), opened()];
    one.used('key_1');
    stores.clock.forward(1_000);
    other.used('key_1');
    await other.close();
    await one.close();
    expect(await opened().lastUsed('key_1')).to.equal('2026-11-21T12:00:01.000Z');
  });

  it('takes one write per interval, however often the key is used', async () => {
    let puts = 0;
    const put: State['put'] = (...call) => {
      puts += 1;
      return stores.state.put(...call);
    };
    const keyUse = opened({ ...stores.state, put });
    for (let n = 0; n < 1_000; n += 1) keyUse.used('key_1');
    await keyUse.close();
    expect(puts).to.equal(1);
  });

  it('is reported if it cannot be written, and blocks nothing', async () => {
    const fault = new Error('State is away');
    const keyUse = opened({ ...stores.state, put: () => Promise.reject(fault) });
    keyUse.used('key_1');
    keyUse.used('key_2');
    await keyUse.close();
    expect(reported).to.deep.equal([fault, fault]);
  });

  it('is kept while State is unavailable, reported once for all keys, and written when it is back', async () => {
    const away = new AppError('state_unavailable', 'State is away');
    let answers = false;
    const put: State['put'] = (...call) => (answers ? stores.state.put(...call) : Promise.reject(away));
    const keyUse = opened({ ...stores.state, put });
    keyUse.used('key_1');
    keyUse.used('key_2');
    intervals.fire();
    await eventually('it is reported', () => reported.length > 0);
    expect(reported).to.deep.equal([away]);
    stores.clock.forward(1_000);
    keyUse.used('key_1');
    answers = true;
    await keyUse.close();
    const other = opened();
    expect(await other.lastUsed('key_1')).to.equal('2026-11-21T12:00:01.000Z');
    expect(await other.lastUsed('key_2')).to.equal(NOW);
    expect(reported).to.deep.equal([away]);
  });
});
