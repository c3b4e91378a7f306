import { expect } from 'chai';
import { putCleanupTask } from '../../src/artifacts/cleanup-tasks.js';
import { openRounds, startJanitor } from '../../src/artifacts/janitor.js';
import { RELEASED } from '../../src/leases/lease.js';
import { BYTES, expectNothingLeft, givenBoth, HOUR, leftToDo } from '../commands/artifacts.given.js';
import { heldIntervals } from '../concurrency/intervals.js';
import { embeddedStores, eventually } from '../stores.js';

describe('the rounds of the janitor', () => {
  const stores = embeddedStores('each test');
  const given = () => givenBoth(stores);

  it('get thousands done each, eight at once', async () => {
    const { team, test_result_id: result, blobs, round, told, now } = await given();
    const [at, since] = [now(), now()];
    for (let n = 0; n < 2_000; n += 1) {
      const artifact = `artifact_${n}`;
      blobs.upload({ team, artifact }, BYTES);
      await putCleanupTask(stores.state, {
        at,
        since,
        team,
        artifact,
        what: 'deletion',
        result,
        failures: 0,
      });
    }
    let [under, most] = [0, 0];
    blobs.before = async () => {
      most = Math.max(most, (under += 1));
      await Promise.resolve();
      under -= 1;
    };
    await round();
    expectNothingLeft(blobs);
    expect(await leftToDo(stores)).to.equal(0);
    expect(blobs.cleared).to.equal(2_000);
    expect(told).to.deep.equal({ errors: [], reclaimed: 2_000 * BYTES.length, reasons: [] });
    expect(most).to.be.within(2, 8);
  });

  it('do what was asked for before a backlog of what came due, also where it is asked for meanwhile', async () => {
    const { team, test_result_id: result, confirmed, remove, blobs, placeOf, round, now } = await given();
    const [id, since] = [await confirmed(), now()];
    for (let n = 0; n < 200; n += 1) {
      const artifact = `artifact_${n}`;
      await putCleanupTask(stores.state, {
        at: since,
        since,
        team,
        artifact,
        what: 'late upload',
        result,
        failures: 0,
      });
    }
    const order: string[] = [];
    blobs.before = async (what, { artifact }) => {
      if (what !== 'clear') return;
      order.push(artifact);
      if (order.length === 1) await remove(id);
    };
    await round();
    expect(order.indexOf(id)).to.be.within(1, 40);
    expect(order).to.have.length(201);
    expect(blobs.at(placeOf(id)).versions).to.deep.equal([]);
  });

  it('let others in between any two pages of a long history', async () => {
    const { janitor } = await given();
    const position = await janitor.feed.head();
    const order: string[] = [];
    // As the log in a file: the promise that it answers has been kept already.
    janitor.feed.read = async () => {
      order.push('page');
      return { events: [], position, caughtUp: order.filter((each) => each === 'page').length === 20 };
    };
    let others = setImmediate(function other() {
      order.push('others');
      others = setImmediate(other);
    });
    await openRounds(janitor)();
    clearImmediate(others);
    expect(order.filter((each) => each === 'page')).to.have.length(20);
    expect(order.join()).to.not.include('page,page');
  });

  it('end before the end of a history that is too long, and do what is due all the same', async () => {
    const { confirmed, remove, blobs, janitor } = await given();
    await remove(await confirmed());
    const { read } = janitor.feed;
    let pages = 0;
    janitor.feed.read = async (options) => {
      pages += 1;
      // Each holds the thread.
      for (const until = performance.now() + 20; performance.now() < until;);
      return { ...(await read(options)), caughtUp: false };
    };
    await openRounds(janitor)();
    expectNothingLeft(blobs);
    expect(pages).to.be.within(2, 30);
  });

  describe('by the clock', () => {
    const intervals = heldIntervals();

    it('go on until it is stopped, one at a time, and then it gives back its lease', async () => {
      const { uploaded, blobs, janitor } = await given();
      await uploaded();
      const stop = startJanitor({ ...janitor, everyMs: 5 });
      intervals.strike();
      intervals.strike();
      await eventually('it is noted', async () => (await leftToDo(stores)) === 1);
      stores.clock.forward(HOUR);
      await eventually('it is done', () => {
        intervals.strike();
        return blobs.size === 0;
      });
      await stop();
      expect(intervals.size).to.equal(0);
      const lease = await stores.state.get<{ until: string }>('lease', 'janitor');
      expect(lease?.value.until).to.equal(RELEASED);
    });
  });
});
