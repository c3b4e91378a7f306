import { expect } from 'chai';
import fc from 'fast-check';
import { fitRun, type BaselineWord, type CompletedRun } from '../../../src/domain/comparison/baseline.js';

type Given = { tests: number; missing: boolean; word: BaselineWord | null };

const positionOf = (n: number) => String(n).padStart(20, '0');

/** The runs as they are listed, those that were created last first. */
function listed(given: readonly Given[]): CompletedRun[] {
  const runs = given.map(({ tests, missing, word }, n): CompletedRun => {
    return {
      id: `run ${n}`,
      created: positionOf(n),
      tests,
      ...(missing && { incomplete: true }),
      ...(word !== null && { word }),
    };
  });
  return runs.toReversed();
}

describe('the baseline', () => {
  const given = fc.record({
    tests: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 60 })),
    missing: fc.boolean().map((one) => one),
    word: fc.oneof(
      { weight: 4, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom('fit' as const, 'unfit' as const) },
    ),
  });

  it('is the newest fit run of any list, and the newer ones are passed over for the reason of the newest', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(given, { maxLength: 40 }), fc.nat(40), (runs, at) => {
        const older = runs.slice(0, at);
        const reasons = older.map(({ tests, missing, word }, n) => {
          if (word === 'fit') return null;
          if (word === 'unfit') return 'set_aside';
          if (tests < 1) return 'empty';
          if (missing) return 'incomplete';
          const ten = older.slice(Math.max(n - 10, 0), n);
          return ten.every((other) => tests >= other.tests / 2) ? null : 'too_small';
        });
        const fit = reasons.lastIndexOf(null);
        const passed = reasons.slice(fit + 1);
        const reason = passed.at(-1);
        seen.add(String(reason));
        expect(fitRun(listed(runs), positionOf(at))).to.deep.equal({
          id: fit === -1 ? null : `run ${fit}`,
          passed_over: reason == null ? null : { runs: passed.length, reason },
        });
      }),
      { numRuns: 2_000 },
    );
    expect([...seen].sort()).to.deep.equal(['empty', 'incomplete', 'set_aside', 'too_small', 'undefined']);
  });

  it('has at least half of the tests of each of the ten before it, and no more are asked', () => {
    const run = (tests: number): Given => ({ tests, missing: false, word: null });
    const ten = Array.from({ length: 10 }, () => run(5));
    const chosen = (...runs: Given[]) => fitRun(listed(runs), positionOf(runs.length)).id;
    expect(chosen(run(10), run(5))).to.equal('run 1');
    expect(chosen(run(11), run(5))).to.equal('run 0');
    expect(chosen(run(11), ...ten)).to.equal('run 0');
    expect(chosen(run(11), ...ten, run(5))).to.equal('run 11');
  });
});
