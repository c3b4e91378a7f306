import { expect } from 'chai';
import { openSemaphore } from '../../src/concurrency/semaphore.js';

describe('a semaphore', () => {
  it('runs at most as many pieces of work as it has permits, and the others in the order of the calls', async () => {
    const { run } = openSemaphore(3);
    const began: number[] = [];
    let working = 0;
    const works = Array.from({ length: 20 }, (_, index) =>
      run(5_000, async () => {
        began.push(index);
        working += 1;
        expect(working).to.be.at.most(3);
        for (let turn = 0; turn < index % 4; turn += 1) await Promise.resolve();
        working -= 1;
        return index;
      }),
    );
    expect(await Promise.all(works)).to.deep.equal(began);
    expect(began).to.deep.equal(began.toSorted((a, b) => a - b));
  });

  it('passes the permit of work that failed to the next', async () => {
    const { run } = openSemaphore(1);
    const failed = run(5_000, () => Promise.reject(new Error('broken')));
    const next = run(5_000, () => Promise.resolve('done'));
    expect(await failed.catch((error: Error) => error.message)).to.equal('broken');
    expect(await next).to.equal('done');
  });

  it('does not begin work that waited for longer than its limit, and loses no permit by it', async () => {
    const { run } = openSemaphore(1);
    let release = (): void => undefined;
    const first = run(5_000, () => new Promise<void>((resolve) => (release = resolve)));
    let begun = false;
    const late = run(1, async () => {
      begun = true;
    });
    expect(await late.catch((error: Error) => error.message)).to.equal('no turn within 1 ms');
    const next = run(5_000, () => Promise.resolve('done'));
    release();
    await first;
    expect(await next).to.equal('done');
    expect(begun).to.equal(false);
  });

  it('gives no permit to a wait that is aborted, and passes it to the next in the line', async () => {
    const { acquire } = openSemaphore(1);
    const release = await acquire({});
    const abort = new AbortController();
    const aborted = acquire({ signal: abort.signal });
    const next = acquire({});
    abort.abort();
    expect(await aborted).to.equal(null);
    release?.();
    expect(await next).to.be.a('function');
    expect(await acquire({ signal: AbortSignal.abort() })).to.equal(null);
  });

  it('takes a permit back once, however often it is given back', async () => {
    const { acquire } = openSemaphore(1);
    const first = await acquire({});
    first?.();
    first?.();
    const second = await acquire({});
    expect(second).to.be.a('function');
    expect(await acquire({ withinMs: 1 })).to.equal(null);
  });
});
