import { expect } from 'chai';
import fc from 'fast-check';
import { attemptsInCall } from '../../src/client/same-names.js';

/** The attempts that are sent for results of one name. */
function sent(...attempts: readonly (number | undefined)[]): (number | undefined)[] {
  const results = attempts.map((attempt, n) => [n, { name: 'one', attempt }] as const);
  const changed = attemptsInCall(results);
  return attempts.map((attempt, n) => changed.get(n) ?? attempt);
}

describe('tests of one name in one call', () => {
  it('keep their attempts where there is one test, or all were tried as often', () => {
    for (const attempts of [[1], [undefined], [undefined, 2, 3], [1, 1, undefined], [1, 2, 1, 2]])
      expect(sent(...attempts)).to.deep.equal(attempts);
  });

  it('get the same number for their last attempts, so that none supersedes the other', () => {
    expect(sent(undefined, 2, undefined)).to.deep.equal([undefined, 2, 2]);
    expect(sent(undefined, undefined, 2)).to.deep.equal([2, undefined, 2]);
    expect(sent(1, 2, 3, 1, 2, 1)).to.deep.equal([1, 2, 3, 2, 3, 3]);
  });

  it('are told apart by their names', () => {
    const results = [
      [0, { name: 'one', attempt: 1 }],
      [1, { name: 'two' }],
      [2, { name: 'one', attempt: 2 }],
    ] as const;
    expect(attemptsInCall(results).size).to.equal(0);
  });

  it('all count by the rule of the service, with any number of attempts, and each only with its last one', () => {
    const tests = fc.array(
      fc.record({ name: fc.constantFrom('a', 'b', 'c'), tries: fc.integer({ min: 1, max: 5 }) }),
    );
    fc.assert(
      fc.property(tests, (all) => {
        const results = all.flatMap(({ name, tries }, test) =>
          Array.from({ length: tries }, (_, n) => ({ name, test, attempt: n + 1, isLast: n + 1 === tries })),
        );
        const changed = attemptsInCall(results.entries());
        const now = results.map((each, n) => ({ ...each, attempt: changed.get(n) ?? each.attempt }));
        for (const { name, attempt, isLast, test } of now) {
          const highest = Math.max(...now.filter((each) => each.name === name).map((each) => each.attempt));
          expect(attempt === highest, `test ${test}`).to.equal(isLast);
          expect(attempt).to.be.at.most(5);
        }
      }),
    );
  });
});
