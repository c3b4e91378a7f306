import { expect } from 'chai';
import { forEachConcurrent } from '../../src/concurrency/for-each-concurrent.js';

describe('work for each item', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('is done once for each item, with at most the given number at the same time', async () => {
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
    await forEachConcurrent([], 8, () => expect.fail('there is no item'));
  });

  it('begins no more after a fault, and throws the first fault after all work that had begun has ended', async () => {
    const fault = new Error('no');
    let [begun, ended] = [0, 0];
    const thrown = await forEachConcurrent(Array.from({ length: 50 }), 4, async () => {
      const mine = (begun += 1);
      await turn();
      ended += 1;
      if (mine === 2) throw fault;
    }).catch((error: unknown) => error);
    expect(thrown).to.equal(fault);
    expect([begun, ended]).to.deep.equal([begun, begun]);
    expect(begun).to.be.below(10);
  });
});
