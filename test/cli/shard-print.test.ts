import { expect } from 'chai';
import { CliError } from '../../src/cli/errors.js';
import { printed } from '../../src/cli/shard-plan/print.js';
import { entriesOf } from '../../src/cli/shard-plan/runner-list.js';

describe('the tests of a shard as arguments', () => {
  for (const [as, entries, line] of [
    ['pytest', ['a.py::test_b[c d]'], "'a.py::test_b[c d]'"],
    ['vitest', ['a.test.ts', "it's.test.ts"], "a.test.ts 'it'\\''s.test.ts'"],
    ['jest', ['a.test.js', 'b.test.js'], '--runTestsByPath a.test.js b.test.js'],
    ['go', ['example.org/shop', './cart'], 'example.org/shop ./cart'],
    ['go', ['TestPays', 'TestSignsIn'], "-run '^(TestPays|TestSignsIn)$'"],
    ['go', ['TestÄpfel', 'Test_under', 'Example'], "-run '^(TestÄpfel|Test_under|Example)$'"],
    ['cypress', ['a.cy.ts', 'b.cy.ts'], '--spec a.cy.ts,b.cy.ts'],
  ] as const)
    it(`of ${as}: ${line}`, () => expect(printed(entries, as)).to.deep.equal([line]));

  it('are a line for each entry, or none for an empty shard', () => {
    expect(printed(['a', 'b c'], 'lines')).to.deep.equal(['a', 'b c']);
    expect(printed([], 'jest')).to.deep.equal([]);
  });

  it('are packages of Go where the list of all shards has packages, though one shard has names alone', () => {
    expect(printed(['TestShop'], 'go', ['TestShop', 'TestShop/cart'])).to.deep.equal(['TestShop']);
  });

  it('let Cypress find files whose names are patterns or lists, and leave patterns as they are', () => {
    const paths = ['app/[id].cy.ts', 'app/(shop)/a.cy.ts', 'one,two.cy.ts'];
    expect(printed(paths, 'cypress')).to.deep.equal([
      "--spec 'app/?id?.cy.ts,app/?shop?/a.cy.ts,one?two.cy.ts'",
    ]);
    expect(printed(['a/**/{b,c}.cy.ts'], 'cypress')).to.deep.equal(["--spec 'a/**/{b,c}.cy.ts'"]);
  });
});

describe('the list that a runner printed', () => {
  const go = [
    'TestPays',
    'ok  \texample.org/shop\t0.003s',
    '?   \texample.org/cart\t[no test files]',
    'TestÄpfel',
  ];

  it('is the tests of Go, without what it says of packages, in lines or in the words of a shell', () => {
    expect(entriesOf(go, 'go')).to.deep.equal(['TestPays', 'TestÄpfel']);
    expect(entriesOf(go.join('\n').split(/\s+/u), 'go')).to.deep.equal(['TestPays', 'TestÄpfel']);
    expect(entriesOf(['ok  \ta\t(cached) [no tests to run]'], 'go')).to.deep.equal([]);
    expect(entriesOf(['example.org/ok', 'ok', 'ok/cart'], 'go')).to.deep.equal([
      'example.org/ok',
      'ok',
      'ok/cart',
    ]);
  });

  it('is refused where Go could not list the tests of a package, which would run in no shard', () => {
    for (const line of ['FAIL\texample.org/shop [build failed]', 'FAIL'])
      expect(() => entriesOf([...go, line], 'go')).to.throw(CliError, 'not whole');
  });

  it('is refused where a shell has put names of files among the tests of Go, which would choose packages', () => {
    expect(() =>
      entriesOf(['TestPays', 'a', 'b', 'example.org/cart', '[no', 'test', 'files]'], 'go'),
    ).to.throw(CliError, 'tests and packages');
    expect(entriesOf(['TestShop', 'TestShop/cart'], 'go')).to.have.length(2);
  });

  it('is the files of Vitest without the names of projects, with which it finds none', () => {
    expect(entriesOf(['[unit] src/[id].test.ts', 'src/a b.test.ts'], 'vitest')).to.deep.equal([
      'src/[id].test.ts',
      'src/a b.test.ts',
    ]);
  });
});
