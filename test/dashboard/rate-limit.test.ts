import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { pageServer } from '../kit/page-server.js';

describe('the rate limit of a person', () => {
  const server = pageServer({ RATE_LIMIT: '1' });

  for (const path of ['/account', '/runs/run_x', `/teams/${OPERATOR_TEAM}/team`]) {
    it(`counts ${path}, and lets them leave`, async () => {
      const statuses: number[] = [];
      // The burst is two points, and one comes back each second.
      while (!statuses.includes(429) && statuses.length < 30) {
        statuses.push((await server.get(path, { as: 'viewer' })).status);
      }
      expect(statuses).to.include(429);
      expect((await server.get('/sign-in')).status).to.equal(200);
      expect((await server.post('/sign-out', { as: 'viewer', form: {} })).status).to.equal(303);
    });
  }
});
