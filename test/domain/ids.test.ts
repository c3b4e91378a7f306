import { expect } from 'chai';
import { isId } from '../../src/domain/ids.js';
import { idOf } from './ids.js';

describe('an id', () => {
  it('is its prefix, an underscore and 26 characters of base32', () => {
    expect(isId('run', 'run_01h455vb4pex5vsknk084sn02q')).to.equal(true);
    expect(isId('result', 'result_00000000000000000000000000')).to.equal(true);
    expect(isId('result', 'result_7zzzzzzzzzzzzzzzzzzzzzzzzz')).to.equal(true);
    expect(isId('team', idOf('team'))).to.equal(true);
  });

  it('of one kind is not an id of another kind', () => {
    expect(isId('run', idOf('result'))).to.equal(false);
    expect(isId('run', `trun_${'0'.repeat(26)}`)).to.equal(false);
  });

  for (const [why, id] of [
    ['nothing', ''],
    ['a prefix alone', 'run_'],
    ['no prefix', '01h455vb4pex5vsknk084sn02q'],
    ['one character too few', 'run_01h455vb4pex5vsknk084sn02'],
    ['one character too many', 'run_01h455vb4pex5vsknk084sn02qq'],
    ['upper case', 'run_01H455VB4PEX5VSKNK084SN02Q'],
    ['a letter that base32 leaves out', 'run_01h455vb4pex5vsknk084sn02i'],
    ['more than 128 bits', 'run_80000000000000000000000000'],
    ['another separator', 'run-01h455vb4pex5vsknk084sn02q'],
    ['a line feed after it', 'run_01h455vb4pex5vsknk084sn02q\n'],
    ['a NUL in it', 'run_01h455vb4pex5vsknk084sn0\0q'],
    ['what would lead into another stream', 'run_01h455vb4pex5vsknk084sn02q.x'],
  ] as const) {
    it(`is not ${why}`, () => expect(isId('run', id)).to.equal(false));
  }
});
