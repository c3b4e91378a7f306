import { expect } from 'chai';
import { ownServer } from '../kit/server.js';
import { compared } from '../truth/moves.js';
import { checkHistories } from '../truth/truth.js';

describe('what the API says of any history on shared stores', function () {
  this.timeout(550_000);
  const server = ownServer();

  it('is what models say that keep everything', async () => {
    const seen = await checkHistories(server, { histories: 12, withinMs: 500_000, examples: [compared] });
    expect(Object.keys(seen)).to.include.members(['outcome failed', 'baseline', 'new_failures', 'removed']);
  });
});
