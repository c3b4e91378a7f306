import { expect } from 'chai';
import { ownServer } from '../kit/server.js';
import { checkHistories } from './truth.js';

describe('what the API says of any history', () => {
  const server = ownServer();

  it('is what models say that keep everything', async () => {
    const seen = await checkHistories(server, { histories: 15, withinMs: 100_000 });
    expect(Object.keys(seen)).to.include.members(['outcome failed', 'baseline', 'new_failures', 'removed']);
  });
});
