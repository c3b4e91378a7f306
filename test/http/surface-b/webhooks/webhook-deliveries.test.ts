import { expect } from 'chai';
import {
  newDelivery,
  type DeliveryAttempt,
  type Delivery,
  type DeliveryState,
} from '../../../../src/domain/messages/delivery.js';
import { outboxPosition, type Message } from '../../../../src/domain/messages/message.js';
import { eventIdOf } from '../../../../src/domain/test-history/test.js';
import { givenProject, givenResult, givenWebhook } from '../../given.js';
import { expectError } from '../../refusals.js';
import type { Answer } from '../../../kit/client.js';
import { until } from '../../../kit/process.js';
import { ownServer, type Team } from '../../../kit/server.js';

const AT = '2026-11-21T12:00:00.000Z';
const attempt: DeliveryAttempt = {
  at: AT,
  status: 500,
  duration_ms: 12,
  error: 'it said 500',
  response: 'no',
};

describe('surface B: the deliveries of a webhook', () => {
  const server = ownServer();
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

  /** A finished delivery, which no worker touches, of an event that is not in this log. */
  function ended(webhook: string, n: number, state: DeliveryState): Delivery {
    const message: Message = {
      // A position that the outbox has not reached, however long the log is.
      place: outboxPosition(String(n + 1).padStart(20, '9'), 0),
      event_id: eventIdOf(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`),
      type: 'test.failed',
      team_id: team.id,
      subject: `test_${n}`,
      at: AT,
      targets: [],
    };
    const ended = { state, attempts: [attempt], tries: 1, next_attempt_at: null };
    return { ...newDelivery(message, webhook, AT), ...ended };
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

  it('are listed for one webhook, newest first, with exactly the fields', async () => {
    const { data, pagination } = await list();
    expect(data).to.deep.equal(deliveries.toReversed().map(shown));
    expect(pagination).to.deep.equal({ page: 1, per_page: 20, total: 5, total_pages: 1 });
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
});

describe('surface B: the recovery of a webhook', () => {
  // Without a listener there, pending deliveries stay pending.
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  const LONG_AGO = '2020-01-01T00:00:00Z';
  let team: Team;
  let project: string;
  let path: string;
  beforeEach(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
    const webhook = { url: 'http://127.0.0.1:1/', events: ['test.failed'] };
    path = `/v1/webhooks/${(await givenWebhook(team.owner, webhook)).id}`;
  });
  const enabled = (enabled: boolean) => team.owner.patch(path, { enabled });
  /** While the messages are still being read from the log, it answers 503 with `Retry-After`, and queues nothing. */
  const recover = async (since = LONG_AGO) => {
    const answers: Answer[] = [];
    await until('the messages to be read from the log', async () => {
      answers.push(await team.owner.post(`${path}/recover`, { since }));
      return answers.at(-1)!.status !== 503;
    });
    return answers.at(-1)!;
  };
  const list = async () => (await team.owner.get(`${path}/deliveries`)).body;
  const failures = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        givenResult(team.owner, project, { test_name: `test ${n}`, status: 'Failed' }),
      ),
    );

  it('sends missed messages once, also those of events that were just posted', async () => {
    await enabled(false);
    await failures(3);
    await givenResult(team.owner, project, { test_name: 'passes', status: 'Passed' });
    await enabled(true);
    expect((await list()).data).to.deep.equal([]);
    const { status, body } = await recover();
    expect(status).to.equal(202);
    expect(body).to.deep.equal({ data: { count: 3 } });
    expect((await recover()).body.data.count, 'pending by now').to.equal(0);
    const { data, pagination } = await list();
    expect(pagination.total).to.equal(3);
    const { body: replay } = await team.owner.get('/v1/events?types=ResultCreated&limit=1000');
    const failed = replay.data.filter((event: any) => event.data.status === 'Failed');
    expect(data.map((each: any) => [each.type, each.event_id])).to.deep.equal(
      failed.map(({ id }: any) => ['test.failed', id]).toReversed(),
    );
  });
});
