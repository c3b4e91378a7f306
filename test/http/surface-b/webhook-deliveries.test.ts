import { expect } from 'chai';
import { deliveryOf, type Attempt, type Delivery, type DeliveryState } from '../../../src/domain/delivery.js';
import { placeOf, type Message } from '../../../src/domain/message.js';
import { eventIdOf } from '../../../src/domain/test.js';
import { givenWebhook } from '../given.js';
import { expectRecord } from '../records.js';
import { expectError } from '../refusals.js';
import { testServer, type Team } from '../server.js';

const AT = '2026-11-21T12:00:00.000Z';
const attempt: Attempt = { at: AT, status: 500, duration_ms: 12, error: 'it said 500', response: 'no' };

describe('surface B: the deliveries of a webhook', () => {
  const server = testServer();
  let team: Team;
  let id: string;
  let deliveries: Delivery[];
  before(async () => {
    team = await server.newTeam();
    id = (await givenWebhook(team.owner)).id;
    const other = (await givenWebhook(team.owner)).id;
    const states = ['delivered', 'exhausted', 'cancelled', 'delivered', 'exhausted'] as const;
    deliveries = states.map((state, n) => ended(id, n, state));
    await server.stop();
    await server.stores(async ({ deliveries: kept }) => {
      await kept.add([...deliveries, ended(other, 0, 'delivered')]);
    });
    await server.start();
  });

  /** Finished, so that whoever sends leaves it alone; of an event that is none of this log. */
  function ended(webhook: string, n: number, state: DeliveryState): Delivery {
    const message: Message = {
      place: placeOf(String(n + 1).padStart(20, '0'), 0),
      event_id: eventIdOf(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`),
      type: 'test.failed',
      team_id: team.id,
      subject: `test_${n}`,
      at: AT,
      targets: [],
      body: '{}',
    };
    const ended = { state, attempts: [attempt], tries: 1, next_attempt_at: null, body: null };
    return { ...deliveryOf(message, webhook, AT), ...ended };
  }
  const list = async (query = '') => (await team.owner.get(`/v1/webhooks/${id}/deliveries${query}`)).body;
  const shown = ({ id, webhook_id, event_id, type, state, attempts, next_attempt_at }: Delivery) => ({
    id,
    webhook_id,
    event_id,
    type,
    state,
    attempts,
    next_attempt_at,
  });

  it('are listed newest first, with exactly the fields, those of this webhook only', async () => {
    const { data, pagination } = await list();
    expect(data).to.deep.equal(deliveries.toReversed().map(shown));
    for (const each of data) expectRecord(each, 'delivery');
    expect(pagination).to.deep.equal({ page: 1, per_page: 20, total: 5, total_pages: 1 });
  });

  it('are listed in pages', async () => {
    const pages = [
      await list('?per_page=2'),
      await list('?per_page=2&page=2'),
      await list('?per_page=2&page=3'),
    ];
    expect(pages.flatMap(({ data }) => data)).to.deep.equal(deliveries.toReversed().map(shown));
    expect(pages[2].pagination).to.deep.equal({ page: 3, per_page: 2, total: 5, total_pages: 3 });
    expect((await list('?page=9')).data).to.deep.equal([]);
  });

  it('are listed by state', async () => {
    for (const [state, total] of [
      ['delivered', 2],
      ['exhausted', 2],
      ['cancelled', 1],
      ['pending', 0],
    ]) {
      const { data, pagination } = await list(`?state=${state}`);
      expect([data.length, pagination.total], String(state)).to.deep.equal([total, total]);
      for (const each of data) expect(each.state).to.equal(state);
    }
    for (const query of ['?state=other', '?per_page=0', '?per_page=101', '?unknown=1']) {
      expectError(await team.owner.get(`/v1/webhooks/${id}/deliveries${query}`), 400, 'invalid_request');
    }
  });

  it('are sent once more only where they are of this webhook, and their message can be read', async () => {
    const resend = (delivery: string) => team.owner.post(`/v1/webhooks/${id}/deliveries/${delivery}/resend`);
    const unread = await resend(deliveries[1]!.id);
    expectError(unread, 503, 'unavailable', 'views_unavailable');
    expect(unread.headers.get('retry-after')).to.equal('1');
    for (const delivery of ['delivery_01h455vb4pex5vsknk084sn02q', 'nonsense', id]) {
      expectError(await resend(delivery), 404, 'not_found');
    }
    const second = (await givenWebhook(team.owner)).id;
    const strange = `/v1/webhooks/${second}/deliveries/${deliveries[1]!.id}/resend`;
    expectError(await team.owner.post(strange), 404, 'not_found');
    expect((await list()).data[3]).to.deep.equal(shown(deliveries[1]!));
  });
});
