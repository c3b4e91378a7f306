import { expect } from 'chai';
import fc from 'fast-check';
import { plainResult } from './plain-result.js';
import { emptyChunk, packedResultsIn, withResults } from '../../../src/domain/comparison/packed-results.js';
import type { PackedResult } from '../../../src/domain/comparison/packed-line.js';
import { pairsOf } from '../../../src/domain/comparison/renamed.js';
import { suiteHash, testGroup, testKey } from '../../../src/domain/comparison/test-keys.js';
import { testIdOf } from '../../../src/domain/test-history/test.js';
import { idOf } from '../ids.js';

type Given = { title: string; file?: string; suite?: string; environment: string };

const project = idOf('project', 1);

/** Each under a name of its own. */
function resultsOf(given: readonly Given[], prefix: string): PackedResult[] {
  const chunk = given.reduce((present, { title, environment, ...metadata }, n) => {
    const name = `${prefix} ${n} › ${title}`;
    return withResults(present, [
      {
        ...plainResult,
        test: testKey(testIdOf(project, name), name),
        group: testGroup(suiteHash(metadata), environment),
        result_id: idOf('result', n),
      },
    ]);
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

  it('are the same, whatever the order of the tests', () => {
    const shuffled = <T>(all: readonly T[], by: readonly number[]) =>
      all.map((one, n) => [by[n] ?? 0, one] as const).toSorted(([one], [other]) => one - other);
    fc.assert(
      fc.property(tests, tests, fc.array(fc.nat(), { minLength: 12 }), (removed, added, order) => {
        const [gone, fresh] = [resultsOf(removed, 'old'), resultsOf(added, 'new')];
        const other = (all: readonly PackedResult[]) => shuffled(all, order).map(([, result]) => result);
        const linesOf = (pairs: ReturnType<typeof pairsOf>) =>
          [...pairs.keys()].map(({ line }) => line).toSorted();
        const [one, another] = [pairsOf(gone, fresh), pairsOf(other(gone), other(fresh))];
        expect(linesOf(one)).to.deep.equal(linesOf(another));
      }),
      { numRuns: 500 },
    );
  });
});
