import { expect } from 'chai';
import { batches, LONGEST } from './batches.js';
import { filesOf } from './mocha.js';
import { suiteNamed } from './suites.js';

describe('the batches of a suite', () => {
  for (const name of ['all', 'process', 'stack', 'tools', 'browser'])
    it(`have each file of the suite ${name} once`, () => {
      const files = filesOf(suiteNamed(name));
      expect(batches(files).flat().toSorted()).to.deep.equal(files);
    });

  it('begin with the files that take longest, each of which exists', () => {
    const first = batches(filesOf(suiteNamed('process'))).slice(0, LONGEST.length);
    expect(first.map(({ length }) => length)).to.deep.equal([1, 2, 2, 2, 3]);
    for (const [n, batch] of first.entries()) for (const file of batch) expect(file).to.match(LONGEST[n]!);
  });
});
