import { ownServer } from '../kit/server.js';
import { checkPast } from './as-of.js';
import { expect } from 'chai';

describe('what the API says of 20 histories as of 50 moments of each', function () {
  this.timeout(600_000);
  const server = ownServer({ RATE_LIMIT: 'off' });

  it('is what it said at these moments', async () => {
    const seen = await checkPast(server, { histories: 20, moments: 50, withinMs: 500_000 });
    expect(Object.values(seen).reduce((sum, n) => sum + n, 0)).to.be.at.least(1_000);
  });
});
