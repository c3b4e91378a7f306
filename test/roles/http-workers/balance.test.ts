import { expect } from 'chai';
import { surplusOf } from '../../../src/roles/http-workers/balance.js';

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
