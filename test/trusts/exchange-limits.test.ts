import { expect } from 'chai';
import { openPointExchange, type PointExchange } from '../../src/concurrency/shared-points.js';
import { openExchangeLimits, type ExchangeLimits } from '../../src/trusts/exchange-limits.js';
import { eventually } from '../stores.js';

describe('the limits of the exchange of tokens', () => {
  const exchanges: PointExchange[] = [];
  afterEach(() => {
    for (const each of exchanges.splice(0)) each.close();
  });

  /** Two processes that tell each other what they have taken. */
  function givenTwo(): [ExchangeLimits, ExchangeLimits] {
    const opened = [0, 1].map((n) => {
      exchanges[n] = openPointExchange((taken) => exchanges[1 - n]!.received(taken));
      return openExchangeLimits((address) => address, exchanges[n].of('ci-token'));
    });
    return opened as [ExchangeLimits, ExchangeLimits];
  }

  const isLimited = (take: () => void): boolean => {
    try {
      take();
      return false;
    } catch (error) {
      expect(error).to.include({ code: 'rate_limited' });
      return true;
    }
  };

  it('count the wrong tokens of an address and the keys of a trust in all processes together', async () => {
    const [one, other] = givenTwo();
    for (let n = 0; n < 19; n += 1) one.refused('a');
    for (let n = 0; n < 4_999; n += 1) one.exchanged('trust_1');
    one.refused('a');
    one.exchanged('trust_1');
    await eventually('the other has heard of them', () => isLimited(() => other.refused('a')));
    expect(isLimited(() => other.exchanged('trust_1'))).to.equal(true);
    expect(isLimited(() => other.refused('b'))).to.equal(false);
    expect(isLimited(() => other.exchanged('trust_2'))).to.equal(false);
  });
});
