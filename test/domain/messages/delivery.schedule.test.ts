import { expect } from 'chai';
import { delayAfter, openSchedule } from '../../../src/domain/messages/delivery.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const schedule = openSchedule(Math.random);

describe('the delay before the next attempt', () => {
  it('grows from 5 s to a day, varies by a tenth, and is null after the tenth attempt', () => {
    const delays = [5_000, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
    delays.forEach((delay, n) => {
      const drawn = Array.from({ length: 200 }, () => schedule(n + 1) ?? NaN);
      for (const one of drawn) expect(one).to.be.within(0.9 * delay, 1.1 * delay);
      expect(new Set(drawn).size, 'the delays vary').to.be.greaterThan(100);
    });
    expect(schedule(10)).to.equal(null);
    expect(schedule(11)).to.equal(null);
  });

  it('is as long as the endpoint asks for if that is longer, but at most a day', () => {
    const by = (tries: number) => (tries === 10 ? null : 5_000);
    expect(delayAfter(1, null, by)).to.equal(5_000);
    expect(delayAfter(1, 4_000, by)).to.equal(5_000);
    expect(delayAfter(1, 6_000, by)).to.equal(6_000);
    expect(delayAfter(1, 48 * HOUR, by)).to.equal(24 * HOUR);
    expect(delayAfter(10, 6_000, by)).to.equal(null);
  });
});
