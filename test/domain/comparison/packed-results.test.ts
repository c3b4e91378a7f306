import { expect } from 'chai';
import fc from 'fast-check';
import { typeid } from 'typeid-js';
import { plainResult } from './plain-result.js';
import { itemId } from '../../../src/domain/ids.js';
import {
  emptyChunk,
  packedResultsIn,
  resultsIn,
  withChange,
  withResults,
} from '../../../src/domain/comparison/packed-results.js';
import { idsInList, packList } from '../../../src/domain/comparison/packed-list.js';
import { resultIdIn, type RunResult } from '../../../src/domain/comparison/packed-line.js';
import { suiteHash, testGroup } from '../../../src/domain/comparison/test-keys.js';

const submissions = Array.from({ length: 3 }, () => typeid('run').toString());
const singles = Array.from({ length: 20 }, () => typeid('result').toString());

const resultId = fc.oneof(
  fc.constantFrom(...singles),
  fc
    .tuple(fc.constantFrom(...submissions), fc.integer({ min: 0, max: 999_999 }))
    .map(([run, ordinal]) => itemId(run, ordinal)),
);
const flag = fc.boolean();
const runResult: fc.Arbitrary<RunResult> = fc.record({
  test: fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{13}$/),
  group: fc.constantFrom('', ...Array.from({ length: 200 }, (_, n) => testGroup('', `n=${n}`))),
  status: fc.constantFrom('Failed', 'Passed', 'Skipped', 'KnownFail', 'Open', 'Unfinished'),
  superseded: flag,
  known: flag,
  known_elsewhere: flag,
  flaky: flag,
  slower: flag,
  ordinal: fc.nat(100_000),
  duration_ms: fc.option(fc.nat(), { nil: null }),
  result_id: resultId,
});
const results = fc.uniqueArray(runResult, { selector: ({ result_id }) => result_id, maxLength: 40 });

describe('a chunk of packed results', () => {
  it('gives back every result as it was added, in order', () => {
    fc.assert(
      fc.property(results, (all) => {
        expect(resultsIn(withResults(emptyChunk, all))).to.deep.equal(all);
      }),
    );
  });

  it('changes or loses exactly the result that is named', () => {
    fc.assert(
      fc.property(results, runResult, fc.nat(), flag, (all, other, n, isRemoved) => {
        fc.pre(all.length > 0);
        const { result_id } = all[n % all.length]!;
        const changed = isRemoved ? null : { ...other, result_id };
        const chunk = withChange(withResults(emptyChunk, all), result_id, (before) => {
          expect(before).to.deep.equal(all[n % all.length]);
          return changed;
        });
        const expected = all.flatMap((one) => (one.result_id !== result_id ? [one] : (changed ?? [])));
        expect(resultsIn(chunk)).to.deep.equal(expected);
      }),
    );
  });

  it('keeps the ids of any of its results in a list, in order', () => {
    fc.assert(
      fc.property(results, (all) => {
        const half = Math.floor(all.length / 2);
        const chunks = [all.slice(0, half), all.slice(half)].map((part) => withResults(emptyChunk, part));
        const packed = chunks.flatMap(packedResultsIn);
        const list = JSON.parse(JSON.stringify(packList(packed))) as ReturnType<typeof packList>;
        const final = all.filter(({ status }) => status !== 'Unfinished');
        expect(idsInList(list)).to.deep.equal(final.map(({ result_id }) => result_id));
        expect(packed.map(resultIdIn)).to.deep.equal(idsInList(list));
      }),
    );
  });

  it('takes up to 30 bytes for an item of a submission, with an environment, and 16 tests in each file', () => {
    const item = (n: number): RunResult => ({
      ...plainResult,
      test: '0123456789abc',
      group: testGroup(suiteHash({ file: `cart-${Math.floor(n / 16)}.test.ts`, suite: 'cart' }), 'os=linux'),
      ordinal: 49_000 + n,
      duration_ms: 1_234,
      result_id: itemId(submissions[0]!, n),
    });
    const chunk = withResults(
      emptyChunk,
      Array.from({ length: 256 }, (_, n) => item(49_000 + n)),
    );
    expect(JSON.stringify(chunk).length / 256).to.be.below(30);
  });
});
