import { expect } from 'chai';
import fc from 'fast-check';
import { codePoint } from '../../kit/any-text.js';
import {
  filtered,
  filterIn,
  inOneForm,
  readFilter,
  withTerms,
} from '../../../src/dashboard/parts/filter/filter.js';
import {
  ofAudit,
  ofCauses,
  ofResults,
  ofRuns,
  ofTests,
  sinceOf,
} from '../../../src/dashboard/parts/filter/vocabularies.js';

const at = (path: string) => new URL(path, 'http://page.invalid');

describe('the filter of a list', () => {
  it('understands the values of its fields and words, and what is left out', () => {
    const { values, refused } = readFilter('status:failed pays -tag:slow owner:"The shop" card', ofResults);
    expect(values).to.deep.equal({
      status: 'failed',
      not_tag: 'slow',
      owner: 'The shop',
      q: 'pays card',
    });
    expect(refused).to.deep.equal([]);
  });

  for (const [text, why] of [
    ['stauts:failed', 'there is no such field here; in quotes it is a text to look for'],
    ['constructor:x', 'there is no such field here; in quotes it is a text to look for'],
    ['status:red', '"status" is one of failed, passed, skipped, running, pending'],
    ['branch:', 'it has no value'],
    ['-branch:main', '"branch" cannot be left out here'],
    ['-word', 'words cannot be left out'],
    ['age:soon', '"age" is a number of hours, days or weeks, such as 24h, 7d or 4w'],
    ['age:0d', '"age" is a number of hours, days or weeks, such as 24h, 7d or 4w'],
    ['environment:linux', '"environment" is like os=linux,node=22'],
    [`branch:${'x'.repeat(256)}`, 'it is too long'],
    ['x'.repeat(256), 'it is too long'],
    ['""', 'it is empty'],
    ['a\0b', 'it has a sign that is none'],
    ['status:failed status:passed', 'the list takes one of these, which is the first'],
  ] as const) {
    it(`says why it leaves out ${JSON.stringify(text.slice(0, 40))}`, () => {
      const { refused } = readFilter(text, ofRuns);
      expect(refused.map((each) => each.why)).to.deep.equal([why]);
    });
  }

  it('takes no more than 1,000 characters and 20 terms, and says that the rest is left out', () => {
    expect(readFilter('a '.repeat(21), ofRuns))
      .to.include({ isCut: true })
      .and.have.nested.property('terms.length', 20);
    expect(readFilter(`"${'x'.repeat(9_998)}"`, ofRuns)).to.include({ isCut: true });
    expect(readFilter('status:failed', ofRuns)).to.include({ isCut: false });
  });

  it('passes on only values that its API takes, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 300 }), (text) => {
        for (const vocabulary of [ofRuns, ofTests, ofCauses, ofResults, ofAudit]) {
          const { values } = readFilter(text, vocabulary);
          for (const value of Object.values(values)) {
            expect(value.length).to.be.within(1, 600);
            expect(value.isWellFormed() && !value.includes('\0')).to.equal(true);
          }
        }
      }),
    );
  });

  it('is the one of the list where the address has none, and may be empty there', () => {
    expect(filterIn(at('/failures'), ofCauses).values).to.deep.equal({ age: '30d' });
    expect(filterIn(at('/failures?q='), ofCauses).values).to.deep.equal({});
    expect(withTerms(at('/failures?page=3&sort=runs'), [], ofCauses)).to.equal('/failures?sort=runs&q=');
    expect(withTerms(at('/?q=a&page=3'), [], ofRuns)).to.equal('/');
  });

  it('has one form: fields as parameters, and a term that a button adds, lead to it', () => {
    expect(inOneForm(at('/?q=a&page=2'), ofRuns)).to.equal(null);
    expect(inOneForm(at('/?branch=main&status=&q=a+b&page=2'), ofRuns)).to.equal('/?q=a+b+branch%3Amain');
    expect(inOneForm(at('/?q=status%3Afailed+a&add=status%3Apassed'), ofRuns)).to.equal(
      '/?q=a+status%3Apassed',
    );
    expect(inOneForm(at('/?add='), ofRuns)).to.equal('/');
    expect(inOneForm(at('/?q=-tag%3Aa&add=tag%3Ab'), ofTests)).to.equal('/?q=-tag%3Aa+tag%3Ab');
  });

  it('leads to one list from another by values of any signs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }), (branch) => {
        fc.pre(!branch.includes('\0'));
        expect(filterIn(at(filtered('/runs', { branch })), ofRuns).values).to.deep.equal({ branch });
      }),
    );
  });

  it('knows since when an age is', () => {
    const now = '2026-11-30T12:00:00.000Z';
    expect(sinceOf('24h', now)).to.equal('2026-11-29T12:00:00.000Z');
    expect(sinceOf('7d', now)).to.equal('2026-11-23T12:00:00.000Z');
    expect(sinceOf('2w', now)).to.equal('2026-11-16T12:00:00.000Z');
    expect(sinceOf(undefined, now)).to.equal(undefined);
    expect(Number.isNaN(Date.parse(sinceOf('9999w', now)!))).to.equal(false);
  });
});
