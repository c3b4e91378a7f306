import { expect } from 'chai';
import { history } from '../../../projections/history/history.js';
import { openFreshness, type Freshness } from '../../../src/projecting/freshness.js';
import type { Deliveries } from '../../../src/ports/deliveries.js';
import { recover } from '../../../src/webhooks/fan-out/recover.js';
import { newDelivery } from '../../../src/domain/messages/delivery.js';
import { eventPositionOf } from '../../../src/domain/messages/message.js';
import { deliveryIdOf } from '../../../src/domain/test-history/test.js';
import type { WebhookRecord } from '../../../src/domain/messages/webhook.js';
import { fail } from '../../../src/errors.js';
import { refusal } from '../../contract/event-log/events.js';
import { idOf } from '../../domain/ids.js';
import { failureIn } from '../../domain/messages/failure.js';
import { memoryDeliveries } from '../deliveries.memory.js';
import { embeddedStores, givenRun, NOW } from '../../stores.js';
import { hook, messageOf, positionOf, publish, TEAM } from '../stored-messages.js';

const LATER = '2026-11-22T12:00:00.000Z';
const HISTORY_MS = 30 * 86_400_000;

describe('the recovery of missed messages', () => {
  const stores = embeddedStores('each test');
  let deliveries: Deliveries;
  let record: () => WebhookRecord;
  let freshness: Freshness;
  beforeEach(() => {
    deliveries = memoryDeliveries();
    record = () => hook;
    freshness = async () => 0;
  });
  const since = (at: string) =>
    recover(
      {
        deliveries,
        views: stores.reader,
        freshness,
        load: async () => record(),
        historyMs: HISTORY_MS,
      },
      { team: TEAM, since: at, now: LATER },
    );
  const all = async () => {
    const { items } = await deliveries.find(hook.webhook_id, {
      direction: 'ascending',
      offset: 0,
      limit: 9_999,
    });
    return items;
  };
  const several = (count: number) => Array.from({ length: count }, (_, n) => messageOf(n + 1));

  it('queues a delivery of each message since the instant, with the instant itself, due at once', async () => {
    const messages = several(5);
    await publish(stores.writer, messages);
    expect(await since(messages[2]!.at)).to.equal(3);
    const wanted = messages.slice(2).map((message) => newDelivery(message, hook.webhook_id, LATER, true));
    expect(await all()).to.deep.equal(wanted);
    expect(wanted.map(({ id }) => id)).to.deep.equal(
      messages.slice(2).map(({ event_id }) => deliveryIdOf(hook.webhook_id, event_id)),
    );
    expect((await deliveries.claimable(hook.webhook_id, LATER, 10)).length).to.equal(3);
  });

  it('takes only messages of the team and of subscribed events, and never a ping', async () => {
    const types = ['test.failed', 'test.flaky', 'test.recovered', 'run.completed', 'webhook.ping'] as const;
    await publish(stores.writer, [
      ...types.map((type, n) => messageOf(n + 1, { type })),
      messageOf(6, { team_id: idOf('team', 2) }),
    ]);
    record = () => ({ ...hook, events: ['test.flaky', 'run.completed'] });
    expect(await since(NOW)).to.equal(2);
    expect((await all()).map(({ type }) => type)).to.deep.equal(['test.flaky', 'run.completed']);
    record = () => hook;
    expect(await since(NOW)).to.equal(2);
    expect((await all()).map(({ type }) => type)).to.deep.equal(types.slice(0, 4));
  });

  it('takes only messages of the projects of the webhook', async () => {
    const of = (project_id: string) => ({ about: failureIn(project_id) });
    await publish(stores.writer, [
      messageOf(1, of('project_1')),
      messageOf(2, of('project_2')),
      messageOf(3),
    ]);
    record = () => ({ ...hook, project_ids: ['project_2'] });
    expect(await since(NOW)).to.equal(1);
    expect((await all()).map(({ subject }) => subject)).to.deep.equal(['test_2']);
  });

  it('leaves delivered and pending deliveries, and queues exhausted and cancelled ones again', async () => {
    const messages = several(5);
    await publish(stores.writer, messages);
    const of = (n: number) => newDelivery(messages[n]!, hook.webhook_id, NOW);
    const ended = { next_attempt_at: null, tries: 9 };
    const before = [
      { ...of(0), ...ended, state: 'delivered' as const },
      { ...of(1), tries: 2, next_attempt_at: '2026-11-23T00:00:00.000Z' },
      { ...of(2), ...ended, state: 'exhausted' as const },
      { ...of(3), ...ended, state: 'cancelled' as const },
    ];
    await deliveries.add(before);
    expect(await since(NOW)).to.equal(3);
    const after = await all();
    expect(after.slice(0, 2)).to.deep.equal(before.slice(0, 2));
    for (const n of [2, 3]) {
      const again = {
        asked: true,
        created_at: LATER,
        state: 'pending',
        tries: 0,
        next_attempt_at: LATER,
      };
      expect(after[n]).to.deep.equal({ ...before[n], ...again });
    }
    expect(after[4]).to.deep.equal(newDelivery(messages[4]!, hook.webhook_id, LATER, true));
    expect(await since(NOW), 'again').to.equal(0);
  });

  it('marks pending deliveries from before the last enabling as manual, so that they are sent', async () => {
    const messages = several(2);
    await publish(stores.writer, messages);
    const waiting = messages.map((message) => newDelivery(message, hook.webhook_id, NOW));
    await deliveries.add(waiting);
    record = () => ({ ...hook, since: eventPositionOf(messages[0]!.place) });
    expect(await since(NOW)).to.equal(0);
    expect(await all()).to.deep.equal([{ ...waiting[0], asked: true }, waiting[1]]);
  });

  it('goes through more messages than one page holds, each once, even if they are of one instant', async () => {
    const messages = several(250).map((message) => ({ ...message, at: LATER }));
    await publish(stores.writer, messages);
    let most = 0;
    const add = deliveries.add.bind(deliveries);
    deliveries.add = (some) => {
      most = Math.max(most, some.length);
      return add(some);
    };
    expect(await since(NOW)).to.equal(250);
    expect(most, 'bodies in memory at once').to.be.at.most(100);
    expect(await since(NOW)).to.equal(0);
  });

  it('skips messages older than the retention time, because their deliveries may have been purged', async () => {
    const daysAgo = (days: number) => new Date(Date.parse(LATER) - days * 86_400_000).toISOString();
    const messages = [31, 30, 1].map((days, n) => messageOf(n + 1, { at: daysAgo(days) }));
    await publish(stores.writer, messages);
    expect(await since(daysAgo(365))).to.equal(2);
    expect((await all()).map(({ event_id }) => event_id)).to.deep.equal(
      messages.slice(1).map(({ event_id }) => event_id),
    );
  });

  it('releases all held deliveries, even after a failure', async () => {
    await publish(stores.writer, several(250));
    const held = async () => (await all()).filter(({ next_attempt_at: to }) => to !== LATER);
    let pages = 0;
    const load = async () => {
      if ((pages += 1) > 1) fail('log_unavailable', 'it went away');
      return hook;
    };
    // It cancels what it has queued where the webhook cannot be read.
    const keeping = { ...deliveries, updatePending: async () => 0 };
    const options = { deliveries: keeping, views: stores.reader, freshness, load, historyMs: HISTORY_MS };
    await refusal(recover(options, { team: TEAM, since: NOW, now: LATER }), 'log_unavailable');
    expect([(await all()).length, await held()]).to.deep.equal([100, []]);
    expect(await since(NOW), 'the rest').to.equal(150);
    expect(await held()).to.deep.equal([]);
  });

  it('counts only the deliveries that it queued itself', async () => {
    const messages = several(3);
    await publish(stores.writer, messages);
    const add = deliveries.add.bind(deliveries);
    deliveries.add = async (some) => {
      await add([newDelivery(messages[0]!, hook.webhook_id, LATER)]);
      return add(some);
    };
    expect(await since(NOW)).to.equal(2);
  });

  it('reads a delivery again that was changed meanwhile, and leaves it if it is delivered', async () => {
    const [message] = several(1);
    await publish(stores.writer, [message!]);
    const ended = {
      ...newDelivery(message!, hook.webhook_id, NOW),
      next_attempt_at: null,
    };
    await deliveries.add([{ ...ended, state: 'exhausted' }]);
    const put = deliveries.put.bind(deliveries);
    deliveries.put = async (delivery, version, now) => {
      await put({ ...ended, state: 'delivered' }, version, now);
      return put(delivery, version, now);
    };
    expect(await since(NOW)).to.equal(0);
    expect((await all())[0]?.state).to.equal('delivered');
  });

  it('waits for the messages of events from before the request', async () => {
    const { team } = await givenRun(stores.log);
    const options = { log: stores.log, views: stores.reader, projection: history.name };
    freshness = openFreshness({ ...options, clock: stores.clock, timeoutMs: 5_000 });
    const messages = several(2).map((message) => ({ ...message, team_id: team }));
    const asked = recover(
      { deliveries, views: stores.reader, freshness, load: async () => hook, historyMs: HISTORY_MS },
      { team, since: NOW, now: LATER },
    );
    await publish(stores.writer, messages);
    expect((await stores.log.head(team)) <= positionOf(3)).to.equal(true);
    expect(await asked).to.equal(2);
  });

  it('is 503 and queues nothing if the messages are not all there in time', async () => {
    await publish(stores.writer, several(3));
    freshness = async () => 1;
    await refusal(since(NOW), 'views_unavailable');
    expect(await all()).to.deep.equal([]);
  });

  it('is refused if the webhook is disabled or deleted', async () => {
    await publish(stores.writer, several(3));
    record = () => ({ ...hook, enabled: false, disabled_reason: 'gone' });
    await refusal(since(NOW), 'webhook_disabled');
    record = () => fail('not_found', 'gone');
    await refusal(since(NOW), 'not_found');
    expect(await all()).to.deep.equal([]);
  });

  it('leaves nothing pending if the webhook is disabled or deleted meanwhile', async () => {
    await publish(stores.writer, several(150));
    for (const ends of ['webhook_disabled', 'not_found'] as const) {
      let loads = 0;
      record = () => {
        if ((loads += 1) < 3) return hook;
        return ends === 'not_found' ? fail('not_found', 'gone') : { ...hook, enabled: false };
      };
      await refusal(since(NOW), ends);
      expect(new Set((await all()).map(({ state }) => state))).to.deep.equal(new Set(['cancelled']));
    }
  });
});
