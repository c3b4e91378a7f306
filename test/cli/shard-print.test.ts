import { expect } from 'chai';
import { printed } from '../../src/cli/shard-plan/print.js';

describe('the tests of a shard as arguments', () => {
  for (const [as, entries, line] of [
    ['pytest', ['a.py::test_b[c d]'], "'a.py::test_b[c d]'"],
    ['vitest', ['a.test.ts', "it's.test.ts"], "a.test.ts 'it'\\''s.test.ts'"],
    ['jest', ['a.test.js', 'b.test.js'], '--runTestsByPath a.test.js b.test.js'],
    ['go', ['example.org/shop', './cart'], 'example.org/shop ./cart'],
    ['go', ['TestPays', 'TestSignsIn'], "-run '^(TestPays|TestSignsIn)$'"],
    ['cypress', ['a.cy.ts', 'b.cy.ts'], '--spec a.cy.ts,b.cy.ts'],
  ] as const)
    it(`of ${as}: ${line}`, () => expect(printed(entries, as)).to.deep.equal([line]));

  it('are a line for each entry, or none for an empty shard', () => {
    expect(printed(['a', 'b c'], 'lines')).to.deep.equal(['a', 'b c']);
    expect(printed([], 'jest')).to.deep.equal([]);
  });
});
