import { expect } from 'chai';
import { repeats, type TestCase } from '../../src/importers/repeats.js';

type Case = TestCase & { id: number };

/** The numbers that cases of one name get: `PF` is a pass and then a failure. */
function numbersOf(
  outcomes: string,
  bytes = 1,
): { numbers: (number | null)[]; retried: number; beyond: number } {
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
  for (const [outcomes, numbers, retried] of [
    ['P', [null], 0],
    ['PP', [null, null], 0],
    ['FF', [null, null], 0],
    ['PF', [null, null], 0],
    ['FS', [null, null], 0],
    ['FP', [null, 2], 1],
    ['FFP', [null, 2, 3], 2],
    ['PFP', [null, 2, 3], 2],
    ['FPF', [null, 2, 3], 2],
    ['FSP', [null, 2, 3], 2],
  ] as const) {
    it(`numbers ${outcomes} ${retried === 0 ? 'as results of their own' : 'as attempts'}`, () => {
      expect(numbersOf(outcomes)).to.deep.equal({ numbers, retried, beyond: 0 });
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
});
