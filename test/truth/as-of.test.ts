import { expect } from 'chai';
import { ownServer } from '../kit/server.js';
import { checkPast } from './as-of.js';

describe('what the API says as of any moment of any history', () => {
  const server = ownServer();

  it('is what it said at that moment', async () => {
    const seen = await checkPast(server, { histories: 4, moments: 12, withinMs: 100_000 });
    expect(Object.keys(seen)).to.include('not there');
  }).timeout(120_000);
});
