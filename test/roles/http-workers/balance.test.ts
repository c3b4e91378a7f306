import { expect } from 'chai';
import { COUNT_EVERY_MS, openBalance, surplusOf } from '../../../src/roles/http-workers/balance.js';

describe('the surplus of connections of a worker', () => {
  it('is what it has above the mean of all', () => {
    expect(surplusOf(16, [16, 0])).to.equal(8);
    expect(surplusOf(3, [3, 1, 0, 0])).to.equal(2);
    expect(surplusOf(40, [40, 24])).to.equal(8);
  });

  it('is 0 at the mean, below it, and within the tolerated difference', () => {
    expect(surplusOf(0, [0, 0])).to.equal(0);
    expect(surplusOf(5, [5, 9])).to.equal(0);
    expect(surplusOf(34, [34, 30])).to.equal(0);
    // Where the mean is no whole number, one worker has a connection more.
    expect(surplusOf(1, [1, 0])).to.equal(0);
    expect(surplusOf(2, [2, 1])).to.equal(0);
  });

  it('is 0 for a worker alone', () => {
    expect(surplusOf(100, [100])).to.equal(0);
  });
});

describe('the balance of the workers', () => {
  let now = 0;
  const balance = () => {
    const opened = openBalance<string>(() => now);
    opened.up('a');
    opened.up('b');
    return opened;
  };

  it('ends connections of a worker that has too many twice in a row', () => {
    const { told } = balance();
    expect([told('a', 16), told('b', 0), told('a', 16), told('b', 0)]).to.deep.equal([0, 0, 8, 0]);
    expect([told('a', 8), told('a', 16), told('a', 8)]).to.deep.equal([4, 4, 4]);
  });

  it('ends none for a worker that is silent, gone or not up', () => {
    const { told, gone, up } = balance();
    told('b', 0);
    now += 4 * COUNT_EVERY_MS;
    expect([told('a', 16), told('a', 16)]).to.deep.equal([0, 0]);
    told('b', 0);
    expect([told('a', 16), told('a', 16)]).to.deep.equal([0, 8]);
    gone('b');
    expect([told('b', 0), told('a', 16), told('a', 16), told('c', 9)]).to.deep.equal([0, 0, 0, 0]);
    up('c');
    expect([told('a', 16), told('a', 16)]).to.deep.equal([0, 8]);
  });
});
