import { expect } from 'chai';
import { table } from '../../src/cli/table.js';

describe('a table of the command line', () => {
  it('has no command of a terminal or of a CI log in any cell', () => {
    const hostile = '\u001b]52;c;aGk=\u0007\u009b31m##vso[task.setvariable]x\n::add-mask::y\u202e';
    const [line, ...others] = table([['id', hostile, hostile]]);
    expect(others).to.deep.equal([]);
    // oxlint-disable-next-line no-control-regex -- these must not be there
    expect(line).to.not.match(/[\u0000-\u001f\u007f-\u009f\u202e]|##vso|^::/u);
    expect(line).to.include('x ::add-mask::y');
  });

  it('keeps its columns', () => {
    expect(
      table([
        ['a', 'bb'],
        ['ccc', 'd'],
      ]),
    ).to.deep.equal(['a    bb', 'ccc  d']);
  });
});
