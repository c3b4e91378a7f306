import { expect } from 'chai';
import fc from 'fast-check';
import { codePoint } from '../../kit/any-text.js';
import { formatFilter, parseFilter, type Term } from '../../../src/dashboard/parts/filter/filter-text.js';

const field = fc.option(fc.stringMatching(/^[a-z][a-z_]{0,9}$/), { nil: null });
/** Texts of the signs that mean something here, and any others. */
const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '-', ':', '/', ' ', '\t', 'a', '‮', ' '), maxLength: 12 }),
);
const term: fc.Arbitrary<Term> = fc.record({ not: fc.boolean(), field, value });

describe('the text of a filter', () => {
  it('says the same terms again after they were written as text', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 8 }), (terms) => {
        expect(parseFilter(formatFilter(terms))).to.deep.equal(terms);
      }),
      { numRuns: 2_000 },
    );
  });

  it('may be any text, and has one form once it was parsed', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), value), (text) => {
        const once = formatFilter(parseFilter(text));
        expect(formatFilter(parseFilter(once))).to.equal(once);
      }),
      { numRuns: 2_000 },
    );
  });

  const cases: Record<string, Term[]> = {
    'status:failed pays': [
      { not: false, field: 'status', value: 'failed' },
      { not: false, field: null, value: 'pays' },
    ],
    '-tag:slow': [{ not: true, field: 'tag', value: 'slow' }],
    'owner:"The shop team"': [{ not: false, field: 'owner', value: 'The shop team' }],
    'owner:@shop/checkout': [{ not: false, field: 'owner', value: '@shop/checkout' }],
    'environment:os=linux,node=22': [{ not: false, field: 'environment', value: 'os=linux,node=22' }],
    'branch:': [{ not: false, field: 'branch', value: '' }],
    '"not closed': [{ not: false, field: null, value: 'not closed' }],
    [String.raw`"C:\tests\"`]: [{ not: false, field: null, value: String.raw`C:\tests"` }],
    '-': [{ not: false, field: null, value: '-' }],
    'std::vector https://a.example TypeError: a.ts:12 x': [
      'std::vector',
      'https://a.example',
      'TypeError:',
      'a.ts:12',
      'x',
    ].map((value) => ({ not: false, field: null, value })),
    '   ': [],
  };
  for (const [text, terms] of Object.entries(cases)) {
    it(`reads ${JSON.stringify(text)} as people mean it`, () => {
      expect(parseFilter(text)).to.deep.equal(terms);
    });
  }

  it('is read in a time that grows with its length only, also where quotes and backslashes are thousands', () => {
    for (const unit of ['"', '\\', '"\\', '-', 'a:', ' ']) {
      const text = unit.repeat(100_000 / unit.length);
      const from = performance.now();
      parseFilter(text);
      expect(performance.now() - from, JSON.stringify(unit)).to.be.lessThan(1_000);
    }
  });
});
