import { expect } from 'chai';
import fc from 'fast-check';
import {
  emptyChunk,
  lineKeyIn,
  packedResultsIn,
  withResult,
  type PackedResult,
} from '../../../src/domain/comparison/packed-results.js';
import {
  addUnpaired,
  countPairs,
  pairsOf,
  removeUnpaired,
  unpaired,
} from '../../../src/domain/comparison/renamed.js';
import { suiteHash, testGroup, testKey } from '../../../src/domain/comparison/test-keys.js';
import { testIdOf } from '../../../src/domain/test-history/test.js';
import { idOf } from '../ids.js';

type Given = { title: string; file?: string; suite?: string; environment: string };

const project = idOf('project', 1);

/** Each under a name of its own. */
function resultsOf(given: readonly Given[], prefix: string): PackedResult[] {
  const chunk = given.reduce((present, { title, environment, ...metadata }, n) => {
    const name = `${prefix} ${n} › ${title}`;
    return withResult(present, {
      test: testKey(testIdOf(project, name), name),
      group: testGroup(suiteHash(metadata), environment),
      status: 'Passed',
      superseded: false,
      known: false,
      known_elsewhere: false,
      flaky: false,
      slower: false,
      result_id: idOf('result', n),
    });
  }, emptyChunk);
  return packedResultsIn(chunk);
}

describe('the pairs of removed and added tests', () => {
  const given = fc.record(
    {
      title: fc.constantFrom('pays', 'pays › twice', 'refunds', 'greets'),
      file: fc.constantFrom('a.ts', 'b.ts'),
      suite: fc.constantFrom('cart', 'login'),
      environment: fc.constantFrom('', 'os=linux', 'os=windows'),
    },
    { requiredKeys: ['title', 'environment'] },
  );
  const tests = fc.array(given, { maxLength: 12 });
  const titleOf = ({ title }: Given) => title.split(' › ').at(-1)!;
  const mayPair = (one: Given, other: Given) =>
    (titleOf(one) === titleOf(other) && one.environment === other.environment) ||
    (one.file !== undefined &&
      one.suite !== undefined &&
      one.file === other.file &&
      one.suite === other.suite);

  it('have the same title and environment, or the same file and suite, and no two that are left do', () => {
    fc.assert(
      fc.property(tests, tests, (removed, added) => {
        const [gone, fresh] = [resultsOf(removed, 'old'), resultsOf(added, 'new')];
        const pairs = [...pairsOf(gone, fresh)].map(([one, other]) => [
          gone.indexOf(one),
          fresh.indexOf(other),
        ]);
        for (const [one, other] of pairs) expect(mayPair(removed[one!]!, added[other!]!)).to.equal(true);
        const [ones, others] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
        expect(new Set(ones).size).to.equal(pairs.length);
        expect(new Set(others).size).to.equal(pairs.length);
        const left = removed.filter((_, n) => !ones.includes(n));
        const rest = added.filter((_, n) => !others.includes(n));
        expect(left.some((one) => rest.some((other) => mayPair(one, other)))).to.equal(false);
      }),
      { numRuns: 500 },
    );
  });

  it('are as many, however the tests come and go one by one', () => {
    fc.assert(
      fc.property(tests, tests, fc.array(fc.nat(11)), (removed, added, leaving) => {
        const [gone, fresh] = [resultsOf(removed, 'old'), resultsOf(added, 'new')];
        const [here, there] = [unpaired(gone), unpaired([])];
        for (const result of fresh.toReversed()) addUnpaired(there, result);
        const left = gone.filter((_, n) => !leaving.includes(n));
        for (const result of gone) if (!left.includes(result)) removeUnpaired(here, lineKeyIn(result));
        expect(countPairs(here, there)).to.equal(pairsOf(left, fresh).size);
        expect(countPairs(there, here)).to.equal(pairsOf(fresh, left).size);
      }),
      { numRuns: 500 },
    );
  });
});
