import { expect } from 'chai';
import { ownServer } from '../kit/server.js';
import { compared, passedOver } from './moves.js';
import { checkHistories } from './truth.js';

describe('what the API says of any history', () => {
  const server = ownServer();

  it('meets each reason for which a run is no baseline', async () => {
    const histories = passedOver.length;
    const seen = await checkHistories(server, { histories, withinMs: 100_000, examples: passedOver });
    for (const reason of ['set_aside', 'empty', 'incomplete', 'too_small'])
      expect(seen[reason] ?? 0, reason).to.be.at.least(1);
  });

  it('is what models say that keep everything', async () => {
    const seen = await checkHistories(server, { histories: 10, withinMs: 100_000, examples: [compared] });
    expect(Object.keys(seen)).to.include.members(['outcome failed', 'baseline', 'new_failures', 'removed']);
  });
});
