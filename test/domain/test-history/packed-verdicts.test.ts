import { expect } from 'chai';
import fc from 'fast-check';
import { itemId } from '../../../src/domain/ids.js';
import type { Verdict } from '../../../src/domain/test-history/failing-row.js';
import {
  originsOfVerdicts,
  packVerdicts,
  renumberedVerdicts,
  verdictsIn,
} from '../../../src/domain/test-history/packed-verdicts.js';
import { idOf } from '../ids.js';

const instant = fc.oneof(
  fc.constantFrom('2026-11-26T09:37:35.276Z', '1970-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z'),
  // As no program writes them today.
  fc.constantFrom('2026-11-26T09:37:35Z', '2026-11-26T09:37:35.276+00:00', '+010000-01-01T00:00:00.000Z', ''),
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

describe('the packed verdicts of a branch', () => {
  it('come back as they were, also after JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.array(verdict, { maxLength: 10 })), (tests) => {
        let origins: ReturnType<typeof packVerdicts>['origins'] = [];
        const texts = tests.map((verdicts) => {
          const packed = packVerdicts(verdicts, origins);
          origins = packed.origins;
          return packed.text;
        });
        const read = JSON.parse(JSON.stringify(origins)) as typeof origins;
        expect(texts.map((text) => verdictsIn({ text, origins: read }))).to.deep.equal(tests);
      }),
    );
  });

  it('come back as they were with other numbers for their origins', () => {
    fc.assert(
      fc.property(fc.array(verdict, { maxLength: 10 }), (verdicts) => {
        const { text, origins } = packVerdicts(verdicts, []);
        const numbers = new Map(origins.map((_, n) => [n, origins.length - 1 - n]));
        const renumbered = renumberedVerdicts(text, numbers);
        expect(verdictsIn({ text: renumbered, origins: origins.toReversed() })).to.deep.equal(verdicts);
        expect(originsOfVerdicts(renumbered)).to.deep.equal(
          originsOfVerdicts(text).map((n) => numbers.get(n)),
        );
      }),
    );
  });

  it('name the run and the commit of several verdicts once, and take an eighth of their JSON', () => {
    const commit = '4f0c1d2e3b5a69788796a5b4c3d2e1f001122334';
    const verdicts = [1, 2, 3, 4].map((n): Verdict => ({
      result_id: itemId(idOf('run', 1), n),
      passed: n > 2,
      moment: { run_id: idOf('run', 1), commit, at: '2026-11-26T09:37:35.276Z' },
    }));
    const { text, origins } = packVerdicts(verdicts, []);
    expect(origins).to.deep.equal([[idOf('run', 1), commit, idOf('run', 1)]]);
    expect(text.length).to.be.below(JSON.stringify(verdicts).length / 8);
    expect(text).to.match(/^f0\.1@mwxcztik /);
  });
});
