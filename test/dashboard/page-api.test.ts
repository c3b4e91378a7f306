import { expect } from 'chai';
import { openPageApi } from '../../src/dashboard/page-api.js';
import type { SurfaceRoutes } from '../../src/http/app.js';
import type { Call } from '../../src/http/route.js';
import { systemClock } from '../../src/clock.js';

const key = {
  key_id: 'person_1',
  name: 'Ada',
  role: 'viewer',
  team_id: 'team_1',
  team_name: 'Team',
  person_id: 'person_1',
  person_role: null,
  project_ids: null,
  expires_at: null,
} as const;

describe('the API as pages use it', () => {
  it('costs a person what it costs a key beyond the first point: a search through many results', async () => {
    const search = {
      method: 'GET',
      path: '/test-runs/:id/results',
      role: 'viewer',
      async handle({ rate }: Call) {
        rate.charge(400);
        return { status: 200, body: {} };
      },
    };
    const services = { validate: { query: () => ({}) }, clock: systemClock };
    const surface = { base: '/v1', routes: [search], services } as unknown as SurfaceRoutes;
    const charged: number[] = [];
    const rate = { charge: (points: number) => void charged.push(points), check: () => undefined };
    const client = { network: '192.0.2.0/24', agent: 'Firefox' };
    const api = openPageApi([surface])({
      key,
      correlationId: 'r',
      client,
      origin: 'http://page.invalid',
      rate,
    });
    await api.get('/v1/test-runs/{id}/results', { params: { id: 'run_1' }, query: { q: 'x' } });
    expect(charged).to.deep.equal([400]);
  });
});
