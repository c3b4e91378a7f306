import { expect } from 'chai';
import fc from 'fast-check';
import { typeid } from 'typeid-js';
import { plainResult } from './plain-result.js';
import {
  compare,
  comparisonKinds,
  countsOf,
  sizeOf,
  testsIn,
} from '../../../src/domain/comparison/compare.js';
import { emptyChunk, withResults } from '../../../src/domain/comparison/packed-results.js';
import { resultIdIn, type PackedResult, type RunResult } from '../../../src/domain/comparison/packed-line.js';
import { testGroup } from '../../../src/domain/comparison/test-keys.js';

const ids: string[] = Array.from({ length: 200 }, () => typeid('result').toString());
/** Each of another title, so that none may be another one under a new name. */
const keyOf = (test: number) => String(test).padStart(2, '0').padEnd(13, 'x');

/** `environment`: that of the line. Two results are of one line if they are of the same test and environment. */
type Given = Partial<RunResult> & { of: number; environment?: string; status: RunResult['status'] };

/** Results with the ids from a number on. */
function resultsFrom(first: number, given: readonly Given[]): RunResult[] {
  return given.map(({ of, environment = '', ...result }, n) => ({
    ...plainResult,
    group: testGroup('', environment),
    ...result,
    test: keyOf(of),
    result_id: ids[first + n]!,
  }));
}

function testsOf(results: readonly RunResult[]) {
  // Several chunks: a test may have results in more than one.
  const half = Math.floor(results.length / 2);
  const chunks = [results.slice(0, half), results.slice(half)];
  return testsIn(chunks.map((part) => withResults(emptyChunk, part)));
}

const compared = (here: readonly Given[], before: readonly Given[] | null) => {
  const mine = resultsFrom(0, here);
  const theirs = before === null ? null : resultsFrom(100, before);
  const found = compare(testsOf(mine), theirs === null ? null : testsOf(theirs));
  const ordinal = (result: PackedResult) => ids.indexOf(resultIdIn(result));
  return Object.fromEntries(comparisonKinds.map((kind) => [kind, found[kind].map(ordinal)]));
};

describe('the comparison of a run with its baseline', () => {
  const result: fc.Arbitrary<Given> = fc.record({
    of: fc.integer({ min: 0, max: 12 }),
    environment: fc.constantFrom('', 'os=linux', 'os=windows'),
    status: fc.constantFrom('Failed', 'Passed', 'Skipped', 'KnownFail'),
    superseded: fc.boolean(),
    known: fc.boolean(),
    known_elsewhere: fc.boolean(),
    flaky: fc.boolean(),
    slower: fc.boolean(),
  });
  const given = fc.array(result, { maxLength: 30 });

  it('agrees with its definition for any two runs', () => {
    fc.assert(
      fc.property(given, fc.option(given), (here, before) => {
        const counts = (one: Given) => one.superseded !== true;
        const listed = here.map((one, n) => ({ ...one, n })).filter(counts);
        const isSame = (one: Given, other: Given) =>
          one.of === other.of && one.environment === other.environment;
        const failedIn = (run: readonly Given[], other: Given) =>
          run.some((one) => counts(one) && isSame(one, other) && one.status === 'Failed');
        const unknownIn = (run: readonly Given[], other: Given) =>
          failedIn(
            run.filter(({ known }) => known !== true),
            other,
          );
        const isIn = (run: readonly Given[], other: Given) => run.some((one) => isSame(one, other));
        const stillFails = (one: Given) =>
          unknownIn(base, one) || (one.known_elsewhere === true && failedIn(base, one));
        const of = (wanted: (one: Given) => boolean) => listed.filter(wanted).map(({ n }) => n);
        const base = before ?? [];
        const fails = (one: Given) => one.status === 'Failed';
        const expected = {
          new_failures: of((one) => fails(one) && one.known !== true && !stillFails(one)),
          still_failing: of((one) => fails(one) && one.known !== true && stillFails(one)),
          known: of((one) => fails(one) && one.known === true),
          fixed: of((one) => one.status === 'Passed' && failedIn(base, one) && !failedIn(here, one)),
          flaky: of((one) => {
            const earlier = here.some(
              (other) => isSame(other, one) && other.superseded === true && fails(other),
            );
            return (
              (one.status === 'Passed' && (one.flaky === true || earlier)) ||
              (fails(one) && one.flaky === true)
            );
          }),
          slower: of((one) => one.slower === true),
          added: before === null ? [] : of((one) => !isIn(base.filter(counts), one)),
          // One result of each test: the first that was not skipped.
          removed: base.flatMap((one, n) => {
            const ran = (other: Given) => counts(other) && other.status !== 'Skipped';
            const isFirst = base.findIndex((other) => ran(other) && isSame(other, one)) === n;
            return isFirst && !isIn(here.filter(counts), one) ? [100 + n] : [];
          }),
          renamed_maybe: [],
        };
        const found = compared(here, before);
        const sorted = (lists: Record<string, number[]>) =>
          Object.fromEntries(
            Object.entries(lists).map(([kind, list]) => [kind, list.toSorted((a, b) => a - b)]),
          );
        expect(sorted(found)).to.deep.equal(sorted(expected));
      }),
      { numRuns: 500 },
    );
  });

  it('counts what it lists', () => {
    const found = compare(testsOf(resultsFrom(0, [{ of: 1, status: 'Failed' }])), null);
    expect(countsOf(found)).to.include({ new_failures: 1, still_failing: 0, added: 0 });
  });

  it('takes a test with any number of results, and counts each of them as memory', () => {
    const [many] = resultsFrom(0, [{ of: 1, status: 'Failed' }]);
    const chunk = withResults(emptyChunk, [many!]);
    const tests = testsIn(Array.from({ length: 200_000 }, () => chunk));
    expect(sizeOf(tests)).to.be.above(200_000);
    expect(countsOf(compare(tests, tests)).still_failing).to.equal(200_000);
    expect(countsOf(compare(new Map(), tests)).removed).to.equal(1);
  });
});
