import { expect } from 'chai';
import { openFairSemaphore, type FairSemaphore } from '../../src/concurrency/fair-semaphore.js';

describe('a fair semaphore', () => {
  const turns = () => new Promise((resolve) => void setImmediate(resolve));
  const has = (waits: { at: boolean }[]) => waits.map(({ at }) => at);

  /** A wait whose permits can be seen and given back. */
  function waitOf(waiting: Promise<(() => void) | null>): { at: boolean; release: () => void } {
    const wait = { at: false, release: () => expect.fail('it has no permit') as void };
    void waiting.then((release) => {
      wait.at = release !== null;
      wait.release = release ?? wait.release;
    });
    return wait;
  }

  it('gives one key no more than its share, however many permits are free', async () => {
    const { acquire, tryAcquire, taken } = openFairSemaphore(4, { perKey: 2 });
    const [first] = [await acquire('a'), await acquire('a')];
    expect(tryAcquire('a')).to.equal(null);
    expect(await acquire('a', { withinMs: 1 })).to.equal(null);
    expect(taken()).to.equal(2);
    first?.();
    expect(tryAcquire('a')).to.be.a('function');
  });

  it('lets other keys pass those that wait for their own share', async () => {
    const { acquire, tryAcquire } = openFairSemaphore(4, { perKey: 2 });
    const first = await acquire('a', { permits: 2 });
    const waiting = [waitOf(acquire('a')), waitOf(acquire('a'))];
    expect(tryAcquire('b')).to.be.a('function');
    expect(await acquire('b')).to.be.a('function');
    await turns();
    expect(has(waiting)).to.deep.equal([false, false]);
    first?.();
    await turns();
    expect(has(waiting)).to.deep.equal([true, true]);
  });

  /** Waits for a permit of each key, and returns the keys in the order in which they get one, and the permits. */
  function queued(acquire: FairSemaphore['acquire'], ...keys: string[]) {
    const admitted: string[] = [];
    const releases: (() => void)[] = [];
    for (const key of keys) {
      void acquire(key).then((release) => {
        admitted.push(key);
        releases.push(release!);
      });
    }
    return { admitted, releases };
  }

  it('gives the next permit to the key that holds the fewest', async () => {
    const { acquire } = openFairSemaphore(3, { perKey: 3 });
    const [first, second] = [await acquire('a'), await acquire('a')];
    await acquire('b');
    const { admitted } = queued(acquire, 'a', 'b', 'c', 'd');
    first?.();
    await turns();
    expect(admitted, 'a and b hold one').to.deep.equal(['c']);
    second?.();
    await turns();
    expect(admitted, 'a holds none').to.deep.equal(['c', 'a']);
  });

  it('lets keys that hold as many take turns, each in the order of its calls', async () => {
    const { acquire } = openFairSemaphore(1, { perKey: 1 });
    const first = await acquire('x');
    const { admitted, releases } = queued(acquire, 'a', 'a', 'a', 'b', 'b', 'c');
    first?.();
    for (let n = 0; n < 6; n += 1) {
      await turns();
      releases[n]?.();
    }
    expect(admitted).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('lets no small request overtake a larger one of a key that holds as few', async () => {
    const { acquire, tryAcquire } = openFairSemaphore(10, { perKey: 10 });
    const [five, four] = [await acquire('x', { permits: 5 }), await acquire('y', { permits: 4 })];
    const large = waitOf(acquire('a', { permits: 6 }));
    const small = waitOf(acquire('b'));
    expect(tryAcquire('b')).to.equal(null);
    await turns();
    expect([large.at, small.at]).to.deep.equal([false, false]);
    five?.();
    await turns();
    expect([large.at, small.at]).to.deep.equal([true, false]);
    four?.();
    await turns();
    expect(small.at).to.equal(true);
  });

  it('admits those behind a large request that is given up', async () => {
    const { acquire, taken } = openFairSemaphore(10, { perKey: 10 });
    await acquire('x', { permits: 9 });
    const abort = new AbortController();
    const large = acquire('a', { permits: 6, signal: abort.signal });
    const small = waitOf(acquire('b'));
    abort.abort();
    expect(await large).to.equal(null);
    await turns();
    expect(small.at).to.equal(true);
    expect(taken()).to.equal(10);
  });

  it('loses no permit by waits that are aborted or too long, nor by permits that are given back twice', async () => {
    const { acquire, tryAcquire, taken } = openFairSemaphore(1, { perKey: 1 });
    const first = await acquire('a');
    expect(await acquire('b', { withinMs: 1 })).to.equal(null);
    expect(await acquire('b', { signal: AbortSignal.abort() })).to.equal(null);
    first?.();
    first?.();
    expect(taken()).to.equal(0);
    expect(tryAcquire('b')).to.be.a('function');
    expect(tryAcquire('c')).to.equal(null);
  });

  it('counts what exists already, and admits again once it is gone', async () => {
    const { acquire, take, isFree, taken } = openFairSemaphore(4, { perKey: 3 });
    const release = take('a', 6);
    expect(taken()).to.equal(6);
    expect([isFree('a', 1), isFree('b', 1)]).to.deep.equal([false, false]);
    const waiting = waitOf(acquire('b', { permits: 3 }));
    release();
    await turns();
    expect(waiting.at).to.equal(true);
    expect([isFree('a', 1), isFree('a', 2), isFree('b', 1)]).to.deep.equal([true, false, false]);
  });

  it('throws for more permits than one key can ever get', async () => {
    const { acquire } = openFairSemaphore(10, { perKey: 4 });
    const error = await acquire('a', { permits: 5 }).catch((cause: Error) => cause.message);
    expect(error).to.equal('5 permits are more than one key can get');
  });
});
