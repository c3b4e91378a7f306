import { expect } from 'chai';
import { ownServer } from '../kit/server.js';
import { allVerdicts, checkHistories } from './truth.js';

describe('what the API says of 1,000 histories', function () {
  this.timeout(600_000);
  const server = ownServer();

  it('is what models say that keep everything', async () => {
    const seen = await checkHistories(server, 1_000);
    for (const verdict of allVerdicts) expect(seen[verdict] ?? 0, verdict).to.be.above(10);
  });
});
