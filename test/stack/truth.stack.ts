import { expect } from 'chai';
import { ownServer } from '../kit/server.js';
import { checkPast } from '../truth/as-of.js';
import { checkHistories } from '../truth/truth.js';

describe('what the API says of any history on shared stores', function () {
  this.timeout(550_000);
  const server = ownServer();

  it('is what models say that keep everything', async () => {
    const seen = await checkHistories(server, { histories: 12, withinMs: 500_000 });
    expect(Object.keys(seen)).to.include.members(['outcome failed', 'baseline', 'new_failures', 'removed']);
  });

  it('is, as of any moment, what it said at that moment', async () => {
    const seen = await checkPast(server, { histories: 4, moments: 6, withinMs: 500_000 });
    expect(Object.values(seen).reduce((sum, n) => sum + n, 0)).to.be.at.least(24);
  });
});
