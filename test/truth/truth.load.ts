import { expect } from 'chai';
import { ownServer } from '../kit/server.js';
import { passedOver } from './moves.js';
import { allVerdicts, checkHistories } from './truth.js';

describe('what the API says of 1,000 histories', function () {
  this.timeout(850_000);
  const server = ownServer();

  it('is what models say that keep everything', async () => {
    // More of each verdict than the test asks for.
    const examples = Array.from({ length: 8 }, () => passedOver).flat();
    const seen = await checkHistories(server, { histories: 1_000, withinMs: 800_000, examples });
    for (const verdict of allVerdicts) expect(seen[verdict] ?? 0, verdict).to.be.above(5);
  });
});
