import { expect } from 'chai';
import { isSlower, withPass } from '../../../src/domain/comparison/slower.js';

describe('a pass is slower', () => {
  it('if it took more than 5 times the mean of the last passes, and more than the longest of them', () => {
    expect(isSlower(501, [100, 100])).to.equal(true);
    expect(isSlower(500, [100, 100])).to.equal(false);
    expect(isSlower(900, [1_000, 1, 1, 1, 1, 1, 1, 1, 1, 1])).to.equal(false);
    expect(isSlower(1_001, [1_000, 1, 1, 1, 1, 1, 1, 1, 1, 1])).to.equal(true);
  });

  it('never without an earlier pass', () => {
    expect(isSlower(1_000_000, [])).to.equal(false);
  });

  it('than the 20 newest passes', () => {
    const passes = Array.from({ length: 25 }, (_, n) => n).reduce<number[]>(withPass, []);
    expect(passes).to.deep.equal(Array.from({ length: 20 }, (_, n) => 24 - n));
  });
});
