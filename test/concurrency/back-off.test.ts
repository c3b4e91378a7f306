import { expect } from 'chai';
import { backOffMs } from '../../src/concurrency/back-off.js';

describe('a back-off', () => {
  it('doubles with every failure in a row, up to the longest pause', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 2_000].map((failures) =>
      backOffMs(failures, { firstMs: 100, longestMs: 2_000 }),
    );
    expect(pauses).to.deep.equal([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  });
});
