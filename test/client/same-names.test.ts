import { expect } from 'chai';
import fc from 'fast-check';
import { attemptsInCall, testsByOrder } from '../../src/client/same-names.js';

/** The attempts that are sent for results of one name, in their order. */
function sent(...attempts: readonly number[]): number[] {
  const found = testsByOrder();
  for (const [place, attempt] of attempts.entries()) found.add(place, 'one', attempt);
  const changed = attemptsInCall(found.tests());
  return attempts.map((attempt, place) => changed.get(place) ?? attempt);
}

describe('tests of one name in one call', () => {
  it('keep their attempts where there is one test, or all were tried as often', () => {
    for (const attempts of [[1], [1, 2, 3], [1, 1, 1], [1, 2, 1, 2]])
      expect(sent(...attempts)).to.deep.equal(attempts);
  });

  it('get the same number for their last attempts, so that none supersedes the other', () => {
    expect(sent(1, 2, 1)).to.deep.equal([1, 2, 2]);
    expect(sent(1, 1, 2)).to.deep.equal([2, 1, 2]);
    expect(sent(1, 2, 3, 1, 2, 1)).to.deep.equal([1, 2, 3, 2, 3, 3]);
  });

  it('are told apart by their names, and where it is known, by which results are of one test', () => {
    const one = { name: 'one', places: [0, 2], attempts: [1, 3] };
    expect(attemptsInCall([one, { name: 'two', places: [1], attempts: [1] }]).size).to.equal(0);
    const other = { name: 'one', places: [1], attempts: [1] };
    expect([...attemptsInCall([one, other])]).to.deep.equal([[1, 3]]);
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
        const found = testsByOrder();
        for (const [place, { name, attempt }] of results.entries()) found.add(place, name, attempt);
        const changed = attemptsInCall(found.tests());
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
