import { expect } from 'chai';
import { forEachConcurrent } from '../../src/concurrency/for-each-concurrent.js';

describe('work for each of many', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('is done once for each, so many at once and no more', async () => {
    const done: number[] = [];
    let [under, most] = [0, 0];
    const items = Array.from({ length: 50 }, (_, n) => n);
    await forEachConcurrent(items, 8, async (n) => {
      most = Math.max(most, (under += 1));
      await turn();
      under -= 1;
      done.push(n);
    });
    expect(done.sort((a, b) => a - b)).to.deep.equal(items);
    expect(most).to.equal(8);
    await forEachConcurrent([], 8, () => expect.fail('there is nothing to do'));
  });

  it('tells the first fault when what had begun has ended, and begins no more', async () => {
    const fault = new Error('no');
    let [begun, ended] = [0, 0];
    const told = await forEachConcurrent(Array.from({ length: 50 }), 4, async () => {
      const mine = (begun += 1);
      await turn();
      ended += 1;
      if (mine === 2) throw fault;
    }).catch((error: unknown) => error);
    expect(told).to.equal(fault);
    expect([begun, ended]).to.deep.equal([begun, begun]);
    expect(begun).to.be.below(10);
  });
});
