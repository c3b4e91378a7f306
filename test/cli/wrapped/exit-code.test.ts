import { expect } from 'chai';
import { brokeOff, exitCodeOf } from '../../../src/cli/wrapped/exit-code.js';

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

describe('a wrapped command', () => {
  const ended = (code: number) => ({ code, wasKilled: false });

  it('broke off where it failed without a failure, or a signal ended it or a program that it started', () => {
    expect(brokeOff(ended(1), 0)).to.equal(true);
    expect(brokeOff({ code: 143, wasKilled: true }, 143)).to.equal(true);
    expect(brokeOff(ended(137), 2)).to.equal(true);
  });

  it('came to its end where it passed, and where failures may explain its code', () => {
    expect(brokeOff(ended(0), 0)).to.equal(false);
    expect(brokeOff(ended(1), 2)).to.equal(false);
    expect(brokeOff(ended(101), 2)).to.equal(false);
    expect(brokeOff(ended(140), 140)).to.equal(false);
    expect(brokeOff(ended(255), 4_000)).to.equal(false);
  });
});
