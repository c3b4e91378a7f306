import { expect } from 'chai';
import { attemptInRun } from '../../../src/domain/test-history/attempt-in-run.js';

describe('the place of an attempt in its run', () => {
  it('follows the attempt of the shard first, and then the attempt within it', () => {
    const inOrder = [1, 2, 3, 31].flatMap((shard) =>
      [1, 2, 31, 32].map((attempt) => attemptInRun(attempt, shard)),
    );
    expect(inOrder).to.deep.equal(inOrder.toSorted((one, other) => one - other));
    expect(new Set(inOrder).size).to.equal(inOrder.length);
  });

  it('is from 1 to 1,000 for every attempt', () => {
    for (const shard of [1, 31, 32, 1_000]) {
      for (const attempt of [1, 32, 33, 1_000]) expect(attemptInRun(attempt, shard)).to.be.within(1, 1_000);
    }
    for (const attempt of [1, 1_000]) expect(attemptInRun(attempt, null)).to.equal(attempt);
  });
});
