import { expect } from 'chai';
import fc from 'fast-check';
import { itemId } from '../../../src/domain/ids.js';
import { failingRow, type FailingRow, type Verdict } from '../../../src/domain/test-history/failing-row.js';
import {
  originsOfVerdicts,
  renumberedVerdicts,
  unpacked,
  withNewest,
  withVerdicts,
  type PackedVerdicts,
} from '../../../src/domain/test-history/packed-verdicts.js';
import { idOf } from '../ids.js';

const instant = fc.oneof(
  fc.constantFrom('2026-11-26T09:37:35.276Z', '1970-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z'),
  // As no program writes them today.
  fc.constantFrom('2026-11-26T09:37:35Z', '2026-11-26T09:37:35.276+00:00', '+010000-01-01T00:00:00.000Z'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const moment = fc.record({
  run_id: fc.constantFrom(idOf('run', 1), idOf('run', 2), null),
  commit: fc.oneof(fc.constantFrom(null, '', 'a b.c', '4f0c1d2e3b5a'), fc.string()),
  at: instant,
});
const verdict: fc.Arbitrary<Verdict> = fc.record(
  {
    result_id: fc.oneof(
      fc.nat(99).map((n) => idOf('result', n)),
      fc.nat(999_999).map((ordinal) => itemId(idOf('run', 1), ordinal)),
    ),
    passed: fc.boolean(),
    moment,
    superseded: fc.constant(true as const),
  },
  { requiredKeys: ['result_id', 'passed', 'moment'] },
);
/** Oldest first. */
const verdicts = fc.array(verdict, { maxLength: 12 });
const none: PackedVerdicts = { text: '', before: '', origins: [] };

/** The row after verdicts, oldest first. */
function rowOf(all: readonly Verdict[]): FailingRow {
  const before = { failing_since: null, last_passed: null };
  return failingRow({ verdicts: all.toReversed(), before });
}

describe('the packed verdicts of a branch', () => {
  it('are the four newest as they were, and the row of those before them, for many tests with the same origins', () => {
    fc.assert(
      fc.property(fc.array(verdicts), (tests) => {
        let { origins } = none;
        const packed = tests.map((all) => {
          const { text, before, origins: more } = all.reduce(withNewest, { ...none, origins });
          origins = more;
          return { text, before };
        });
        const read = JSON.parse(JSON.stringify(origins)) as typeof origins;
        tests.forEach((all, n) => {
          expect(unpacked({ ...packed[n]!, origins: read })).to.deep.equal({
            verdicts: all.slice(-4).toReversed(),
            before: rowOf(all.slice(0, -4)),
          });
        });
      }),
    );
  });

  it('come back as they were with other numbers for their origins', () => {
    fc.assert(
      fc.property(verdicts, (all) => {
        const packed = all.reduce(withNewest, none);
        const { origins } = packed;
        const numbers = new Map(origins.map((_, n) => [n, origins.length - 1 - n]));
        const renumbered = renumberedVerdicts(packed, numbers);
        expect(unpacked({ ...renumbered, origins: origins.toReversed() })).to.deep.equal(unpacked(packed));
        expect(originsOfVerdicts(renumbered)).to.deep.equal(
          originsOfVerdicts(packed).map((n) => numbers.get(n)),
        );
      }),
    );
  });

  it('can be replaced, before them the same row', () => {
    fc.assert(
      fc.property(verdicts, fc.array(verdict, { maxLength: 4 }), (all, others) => {
        const packed = all.reduce(withNewest, none);
        const { before } = unpacked(packed);
        expect(unpacked(withVerdicts(packed, others))).to.deep.equal({ verdicts: others, before });
      }),
    );
  });

  it('name the run and the commit of several verdicts once, and take an eighth of their JSON', () => {
    const commit = '4f0c1d2e3b5a69788796a5b4c3d2e1f001122334';
    const all = [4, 3, 2, 1].map((n): Verdict => ({
      result_id: itemId(idOf('run', 1), n),
      passed: n > 2,
      moment: { run_id: idOf('run', 1), commit, at: '2026-11-26T09:37:35.276Z' },
    }));
    const { text, origins } = all.reduce(withNewest, none);
    expect(origins).to.deep.equal([[idOf('run', 1), commit, idOf('run', 1)]]);
    expect(text.length).to.be.below(JSON.stringify(all).length / 8);
    expect(text).to.match(/^f0\.1@mwxcztik /);
  });
});
