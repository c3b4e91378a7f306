import { expect } from 'chai';
import { exitCodeOf } from '../../../src/cli/wrapped/exit-code.js';

describe('exit code of a wrapped command', () => {
  const whole = { passes: true, failed: 3, isWhole: true };
  const ended = (code: number) => ({ code, wasKilled: false });

  it('is 0 where the gate lets pass the failures that explain the code', () => {
    expect(exitCodeOf(ended(1), whole)).to.equal(0);
    expect(exitCodeOf(ended(3), whole)).to.equal(0);
    expect(exitCodeOf(ended(255), { ...whole, failed: 4_000 })).to.equal(0);
  });

  it('is the own code where the failures do not explain it', () => {
    expect(exitCodeOf(ended(1), { ...whole, failed: 0 })).to.equal(1);
    expect(exitCodeOf(ended(2), whole)).to.equal(2);
    expect(exitCodeOf(ended(1), { ...whole, isWhole: false })).to.equal(1);
    expect(exitCodeOf({ code: 143, wasKilled: true }, { ...whole, failed: 143 })).to.equal(143);
  });

  it('is the own code where the gate fails, and 1 where only the gate fails', () => {
    expect(exitCodeOf(ended(5), { ...whole, passes: false })).to.equal(5);
    expect(exitCodeOf(ended(0), { ...whole, passes: false })).to.equal(1);
    expect(exitCodeOf(ended(0), { ...whole, failed: 0 })).to.equal(0);
  });
});
