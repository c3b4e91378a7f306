import { expect } from 'chai';
import { putCleanupTask } from '../../src/artifacts/cleanup-tasks.js';
import { openRounds, startJanitor } from '../../src/artifacts/janitor.js';
import { RELEASED } from '../../src/leases/lease.js';
import {
  BYTES,
  expectNothingLeft,
  givenResultAndJanitor,
  HOUR,
  leftToDo,
} from '../commands/artifacts.given.js';
import { fakeIntervals } from '../concurrency/fake-intervals.js';
import { embeddedStores, eventually } from '../stores.js';

describe('the rounds of the janitor', () => {
  const stores = embeddedStores('each test');
  const given = () => givenResultAndJanitor(stores);

  it('run thousands of tasks, up to eight at the same time', async () => {
    const { team, test_result_id: result, blobs, round, reported, now } = await given();
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
    expect(reported).to.deep.equal({ errors: [], reclaimed: 2_000 * BYTES.length, reasons: [] });
    expect(most).to.be.within(2, 8);
  });

  it('run a requested deletion before a backlog of tasks that became due, also when it is requested during the round', async () => {
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

  it('let other work run between any two pages of a long history', async () => {
    const { janitor } = await given();
    const position = await janitor.feed.head();
    const order: string[] = [];
    // As the log in a file does, it returns a promise that is resolved already.
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

  it('stop before the end of a history that is too long, and still run the tasks that are due', async () => {
    const { confirmed, remove, blobs, janitor } = await given();
    await remove(await confirmed());
    const { read } = janitor.feed;
    let pages = 0;
    janitor.feed.read = async (options) => {
      pages += 1;
      // Each page holds the thread.
      for (const until = performance.now() + 20; performance.now() < until;);
      return { ...(await read(options)), caughtUp: false };
    };
    await openRounds(janitor)();
    expectNothingLeft(blobs);
    expect(pages).to.be.within(2, 30);
  });

  describe('of a started janitor', () => {
    const intervals = fakeIntervals();

    it('go on until it is stopped, one at a time; then it releases its lease', async () => {
      const { uploaded, blobs, janitor } = await given();
      await uploaded();
      const stop = startJanitor({ ...janitor, everyMs: 5 });
      intervals.fire();
      intervals.fire();
      await eventually('the task is stored', async () => (await leftToDo(stores)) === 1);
      stores.clock.forward(HOUR);
      await eventually('the task has run', () => {
        intervals.fire();
        return blobs.size === 0;
      });
      await stop();
      expect(intervals.size).to.equal(0);
      const lease = await stores.state.get<{ until: string }>('lease', 'janitor');
      expect(lease?.value.until).to.equal(RELEASED);
    });
  });
});
