import { expect } from 'chai';
import { openPermits } from '../../../src/adapters/eventstoredb/connection.js';

describe('turns', () => {
  it('lets so many work at once, and the others in the order they came', async () => {
    const take = openPermits(3);
    const began: number[] = [];
    let working = 0;
    const works = Array.from({ length: 20 }, (_, index) =>
      take(5_000, async () => {
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

  it('gives the turn of work that failed to the next', async () => {
    const take = openPermits(1);
    const failed = take(5_000, () => Promise.reject(new Error('broken')));
    const next = take(5_000, () => Promise.resolve('done'));
    expect(await failed.catch((error: Error) => error.message)).to.equal('broken');
    expect(await next).to.equal('done');
  });

  it('does not begin what waited for longer than its limit, and loses no turn by it', async () => {
    const take = openPermits(1);
    let release = (): void => undefined;
    const first = take(5_000, () => new Promise<void>((resolve) => (release = resolve)));
    let begun = false;
    const late = take(1, async () => {
      begun = true;
    });
    expect(await late.catch((error: Error) => error.message)).to.equal('no turn within 1 ms');
    const next = take(5_000, () => Promise.resolve('done'));
    release();
    await first;
    expect(await next).to.equal('done');
    expect(begun).to.equal(false);
  });
});
