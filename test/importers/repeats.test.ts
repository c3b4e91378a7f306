import { expect } from 'chai';
import { noRepeats, repeats, type RepeatCounts, type TestCase } from '../../src/importers/repeats.js';

type Case = TestCase & { id: number };

/** The numbers that cases of one name get: `PF` is a pass and then a failure. */
function numbersOf(outcomes: string, bytes = 1): { numbers: (number | null)[] } & RepeatCounts {
  const { add, end, counts } = repeats<Case>();
  const numbers: (number | null)[] = [];
  const status: Record<string, string> = { P: 'passed', F: 'failed', S: 'skipped' };
  const placed = Array.from(outcomes).flatMap((outcome, id) =>
    add({ id, name: 'same', status: status[outcome]!, attempts: 1, bytes }),
  );
  for (const { test, first } of [...placed, ...end()]) numbers[test.id] = first;
  return { numbers, ...counts() };
}

describe('importers: repeated names', () => {
  for (const [outcomes, numbers, retried, failing] of [
    ['P', [null], 0, 0],
    ['PP', [null, null], 0, 0],
    ['FF', [null, null], 0, 2],
    ['PF', [null, null], 0, 1],
    ['FS', [null, null], 0, 1],
    ['FP', [null, 2], 1, 0],
    ['FFP', [null, 2, 3], 2, 0],
    ['PFP', [null, 2, 3], 2, 0],
    ['FPF', [null, 2, 3], 2, 1],
    ['FPFP', [null, 2, 3, 4], 3, 0],
    ['FSP', [null, 2, 3], 2, 0],
  ] as const) {
    it(`numbers ${outcomes} ${retried === 0 ? 'as results of their own' : 'as attempts'}`, () => {
      expect(numbersOf(outcomes)).to.deep.equal({ numbers, retried, failing, beyond: 0 });
    });
  }

  it('goes on after the attempts that a report puts together', () => {
    const { add } = repeats<Case>();
    expect(add({ id: 1, name: 'n', status: 'failed', attempts: 3, bytes: 1 })).to.have.nested.property(
      '[0].first',
      1,
    );
    expect(add({ id: 2, name: 'n', status: 'passed', attempts: 2, bytes: 1 })).to.have.nested.property(
      '[0].first',
      4,
    );
  });

  it('gives no number beyond the highest attempt', () => {
    const { numbers, beyond } = numbersOf(`F${'P'.repeat(1_100)}`);
    expect(numbers[999]).to.equal(1_000);
    expect(numbers[1_000]).to.equal(null);
    expect(beyond).to.equal(101);
  });

  it('does not wait with more than a bounded number of bytes', () => {
    const { add } = repeats<Case>();
    const placed = Array.from({ length: 20 }, (_, id) =>
      add({ id, name: 'n', status: 'passed', attempts: 1, bytes: 1_024 * 1_024 }),
    ).flat();
    expect(placed.length).to.be.at.least(10);
  });

  it('takes each case of a report that lists attempts itself as a test of its own', () => {
    const { add, end, counts } = noRepeats<Case>();
    const cases = [
      ['failed', 1],
      ['passed', 1],
      ['passed', 3],
    ] as const;
    const placed = cases.flatMap(([status, attempts], id) =>
      add({ id, name: 'same', status, attempts, bytes: 1 }),
    );
    expect([...placed, ...end()].map(({ first }) => first)).to.deep.equal([null, null, 1]);
    expect(counts()).to.deep.equal({ retried: 2, beyond: 0, failing: 1 });
  });
});
