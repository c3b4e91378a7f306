import { expect } from 'chai';
import { plainResult } from './plain-result.js';
import { compare, countsOf, countTests, testsIn } from '../../../src/domain/comparison/compare.js';
import { emptyChunk, withResults, type Chunk } from '../../../src/domain/comparison/packed-results.js';
import { suiteHash, testGroup, testKey } from '../../../src/domain/comparison/test-keys.js';
import { defaultGate, judgeGate } from '../../../src/domain/gate/judge-gate.js';
import { itemId } from '../../../src/domain/ids.js';
import { testIdOf } from '../../../src/domain/test-history/test.js';
import { idOf } from '../ids.js';

type Test = { file: string; suite: string; title: string };

const TESTS = 1_000;
const PER_SUITE = 10;
const SUITES_PER_FILE = 3;

/** As reporters name them: the file is a part of the name with one of them, and with another it is not. */
const nameOf = ({ file, suite, title }: Test, withFile: boolean) =>
  [...(withFile ? [file] : []), suite, title].join(' › ');

/** Some titles come again in other suites, as in real ones. */
const suiteOfTests: readonly Test[] = Array.from({ length: TESTS }, (_, n) => {
  const suite = Math.floor(n / PER_SUITE);
  return {
    file: `test/area-${Math.floor(suite / SUITES_PER_FILE)}.test.ts`,
    suite: `suite ${suite}`,
    title: n % 7 === 0 ? `renders ${n % 3}` : `does ${n}`,
  };
});

/** A generator with a seed: the same refactorings each time. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const refactorings: Record<string, (tests: readonly Test[], random: (below: number) => number) => Test[]> = {
  'rename a file'(tests, random) {
    const { file } = tests[random(tests.length)]!;
    return tests.map((test) => (test.file === file ? { ...test, file: 'test/renamed.test.ts' } : test));
  },
  'move a suite'(tests, random) {
    const { suite } = tests[random(tests.length)]!;
    const { file } = tests[random(tests.length)]!;
    return tests.map((test) => (test.suite === suite ? { ...test, file, suite: `moved ${suite}` } : test));
  },
  'delete one to three tests'(tests, random) {
    const from = random(tests.length);
    return tests.toSpliced(from, 1 + random(3));
  },
  'rename a suite in its file'(tests, random) {
    const { suite } = tests[random(tests.length)]!;
    return tests.map((test) => (test.suite === suite ? { ...test, suite: 'another name' } : test));
  },
  'rename the tests of a suite'(tests, random) {
    const { suite } = tests[random(tests.length)]!;
    return tests.map((test) => (test.suite === suite ? { ...test, title: `${test.title}, again` } : test));
  },
};

function runOf(tests: readonly Test[], { withFile, n }: { withFile: boolean; n: number }) {
  const run = idOf('run', n);
  const project = idOf('project', 1);
  const chunks: Chunk[] = [];
  tests.forEach((test, ordinal) => {
    const name = nameOf(test, withFile);
    if (ordinal % 256 === 0) chunks.push(emptyChunk);
    chunks.push(
      withResults(chunks.pop()!, [
        {
          ...plainResult,
          test: testKey(testIdOf(project, name), name),
          group: testGroup(suiteHash({ file: test.file, suite: test.suite }), 'os=linux'),
          result_id: itemId(run, ordinal),
        },
      ]),
    );
  });
  return testsIn(chunks);
}

describe('the gate after a refactoring', () => {
  const baselines = [false, true].map((withFile) => runOf(suiteOfTests, { withFile, n: 1 }));

  function removedAfter(tests: readonly Test[], withFile: boolean) {
    const baseline = baselines[Number(withFile)]!;
    const run = runOf(tests, { withFile, n: 2 });
    const found = compare(run, baseline);
    const { removed, renamed_maybe } = countsOf(found);
    const { tests: ran, baseline_tests } = countTests(run, baseline, found);
    const none = { new_failures: 0, failing: 0, known: 0, flaky: 0 };
    const whole = { empty: false, incomplete: false, report_failed: false };
    const facts = { ...none, ...whole, removed, baseline_tests, tests: ran };
    return { removed, renamed_maybe, reasons: judgeGate(defaultGate, facts).reasons };
  }

  it('fails by removed tests for at most 1 % of 500 random ones', () => {
    const kinds = Object.values(refactorings);
    const random = randomFrom(49);
    let failed = 0;
    for (let n = 0; n < 500; n += 1) {
      const { removed, reasons } = removedAfter(kinds[n % kinds.length]!(suiteOfTests, random), n % 2 === 0);
      // Those that were deleted, and nothing beside.
      expect(removed).to.be.at.most(3);
      if (reasons.length > 0) failed += 1;
    }
    expect(failed).to.be.at.most(5);
  });

  it('fails for a file of tests that is gone, and not for one whose tests are all in another one', () => {
    const files = [...new Set(suiteOfTests.map(({ file }) => file))];
    const gone = new Set(files.slice(0, 4));
    const rest = suiteOfTests.filter(({ file }) => !gone.has(file));
    expect(removedAfter(rest, true)).to.deep.include({ removed: 120, reasons: ['removed'] });
    const moved = suiteOfTests.map((test) =>
      gone.has(test.file) ? { ...test, file: 'test/all.test.ts' } : test,
    );
    expect(removedAfter(moved, true)).to.deep.equal({ removed: 0, renamed_maybe: 120, reasons: [] });
  });
});
