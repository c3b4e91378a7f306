import { expect } from 'chai';
import { idsFrom, newIds, newSeed } from '../../../src/commands/ids.js';
import { openCommandHandler } from '../../../src/commands/command-handler.js';
import type { Deliveries } from '../../../src/ports/deliveries.js';
import type { EventLog } from '../../../src/ports/event-log.js';
import { changeHealth, healthOf } from '../../../src/webhooks/endpoint/health.js';
import { openSecrets } from '../../../src/webhooks/endpoint/secrets.js';
import { openWebhooks, type Webhooks } from '../../../src/webhooks/endpoint/webhooks.js';
import { newDelivery } from '../../../src/domain/messages/delivery.js';
import { streamName } from '../../../src/domain/event.js';
import { eventIdOf } from '../../../src/domain/test-history/test.js';
import { webhook } from '../../../src/domain/messages/webhook.js';
import { webhookPlacesStream } from '../../../src/domain/messages/webhook-places.js';
import { fail } from '../../../src/errors.js';
import { limits } from '../../../src/limits.js';
import { refusal } from '../../contract/event-log/events.js';
import { idOf } from '../../domain/ids.js';
import { memoryDeliveries } from '../deliveries.memory.js';
import { wholeTeam } from '../../../src/domain/teams/access.js';
import { contextOf, embeddedStores, eventsOf, NOW } from '../../stores.js';
import { messageOf, TEAM } from '../stored-messages.js';

const wanted = { url: 'https://example.org/hook', events: ['*'], project_ids: null } as const;

describe('the commands of webhooks', () => {
  const stores = embeddedStores('each test');
  let deliveries: Deliveries;
  beforeEach(() => {
    deliveries = memoryDeliveries();
  });
  const secrets = () =>
    openSecrets(stores.state, { current: 'of the tests alone: 32 characters or more', previous: null });
  const open = (log: EventLog = stores.log) =>
    openWebhooks({
      commands: openCommandHandler(log),
      state: stores.state,
      deliveries,
      secrets: secrets(),
      origin: null,
    });
  const context = contextOf(TEAM);
  const of = (id: string) => ({ id, reader: wholeTeam(TEAM) });
  const created = async () => (await open().create(contextOf(TEAM), wanted)).record.webhook_id;
  const streamOf = (id: string) => streamName('webhook', TEAM, id);
  const typesOf = async (id: string) => (await eventsOf(stores.log, streamOf(id))).map(({ type }) => type);
  const failing = (id: string) =>
    changeHealth(stores.state, id, (health) => ({ ...health, failing_since: '2026-11-17T00:00:00.000Z' }));
  const pending = async (id: string) => {
    await deliveries.add([1, 2].map((n) => newDelivery(messageOf(n), id, NOW)));
  };
  const states = async (id: string) => {
    const { items } = await deliveries.find(id, { direction: 'ascending', offset: 0, limit: 10 });
    return items.map(({ state }) => state);
  };
  /** A log whose appends to the stream of a webhook fail, before or after they were done. */
  const failingLog = (after: 'nothing' | 'everything'): EventLog => ({
    ...stores.log,
    append: async (...append) => {
      if (append[0] === webhookPlacesStream(TEAM)) return stores.log.append(...append);
      if (after === 'everything') await stores.log.append(...append);
      return fail('log_unavailable', 'it went away');
    },
  });

  it('creates the secret before the webhook, and writes neither secret nor URL to the log', async () => {
    const log = failingLog('nothing');
    const ids = idsFrom(newSeed());
    await refusal(open(log).create({ ...context, ids }, wanted), 'log_unavailable');
    expect(await secrets().secretsOf(ids.created('webhook'), NOW)).to.have.lengthOf(1);
    const { record, secret } = await open().create(contextOf(TEAM), wanted);
    expect(await secrets().secretsOf(record.webhook_id, NOW)).to.deep.equal([secret]);
    const events = JSON.stringify(await eventsOf(stores.log, streamOf(record.webhook_id)));
    expect(events).to.include('"https://example.org"').and.not.to.include('/hook').and.not.to.include(secret);
    expect(await secrets().urlOf(record)).to.equal(wanted.url);
  });

  it('creates one webhook for all tries of a request, also in a team that is full by now, and answers each with the one secret', async () => {
    const ids = idsFrom(newSeed());
    const first = { ...context, ids };
    const again = { ...first, resumed: true };
    for (const after of ['nothing', 'everything'] as const) {
      const log = failingLog(after);
      await refusal(open(log).create(first, wanted), 'log_unavailable');
    }
    for (let n = 1; n < limits.webhooksPerTeam; n += 1) await created();
    const one = await open().create(again, wanted);
    const two = await open().create(again, wanted);
    expect(two).to.deep.equal(one);
    expect(await typesOf(one.record.webhook_id)).to.deep.equal(['WebhookCreated']);
    expect(await secrets().secretsOf(one.record.webhook_id, NOW)).to.deep.equal([one.secret]);
  });

  it('creates neither the webhook nor a secret if the team has too many', async () => {
    const ids = idsFrom(newSeed());
    for (let n = 0; n < limits.webhooksPerTeam; n += 1) await created();
    await refusal(open().create({ ...context, ids }, wanted), 'webhook_limit');
    const id = ids.created('webhook');
    expect([await typesOf(id), await secrets().secretsOf(id, NOW)]).to.deep.equal([[], []]);
  });

  it('cancels pending deliveries when it disables a webhook, and enabling brings none back', async () => {
    const id = await created();
    await pending(id);
    expect(await open().change(context, of(id), { enabled: false })).to.include({
      enabled: false,
      disabled_reason: 'requested',
    });
    expect(await states(id)).to.deep.equal(['cancelled', 'cancelled']);
    expect((await open().change(context, of(id), { enabled: true })).enabled).to.equal(true);
    expect(await states(id)).to.deep.equal(['cancelled', 'cancelled']);
  });

  it('cancels pending deliveries again at a repeat, which finishes what was cut off', async () => {
    const id = await created();
    await open().change(context, of(id), { enabled: false });
    await pending(id);
    await open().change(context, of(id), { url: 'https://example.org/other' });
    expect(await states(id)).to.deep.equal(['pending', 'pending']);
    await open().change(context, of(id), { enabled: false });
    expect(await states(id)).to.deep.equal(['cancelled', 'cancelled']);
    expect(await typesOf(id)).to.deep.equal(['WebhookCreated', 'WebhookDisabled', 'WebhookChanged']);
  });

  it('forgets the failures when it enables a webhook, and only then', async () => {
    const id = await created();
    const since = async () => (await healthOf(stores.state, id)).failing_since;
    await failing(id);
    await open().change(context, of(id), { enabled: true });
    expect(await since(), 'it was enabled already').not.to.equal(null);
    await open().change(context, of(id), { enabled: false });
    expect(await since()).not.to.equal(null);
    await open().change(context, of(id), { enabled: true });
    expect(await since()).to.equal(null);
  });

  it('forgets the failures when it moves a webhook to another URL, and only then', async () => {
    const id = await created();
    const since = async () => (await healthOf(stores.state, id)).failing_since;
    await failing(id);
    await open().change(context, of(id), { url: wanted.url });
    expect(await since()).not.to.equal(null);
    await open().change(context, of(id), { url: 'https://example.org/other' });
    expect(await since()).to.equal(null);
  });

  it('cancels late, and no delivery that was queued after the disabling', async () => {
    const id = await created();
    await pending(id);
    const later = new Date(Date.parse(NOW) + 1).toISOString();
    await deliveries.add([newDelivery(messageOf(3), id, later)]);
    await open().change(context, of(id), { enabled: false });
    expect(await states(id)).to.deep.equal(['cancelled', 'cancelled', 'pending']);
  });

  it('leaves no secret, no pending delivery and no health after a deletion', async () => {
    const id = await created();
    const other = await created();
    for (const each of [id, other]) await Promise.all([pending(each), failing(each)]);
    await open().remove(context, of(id));
    expect(await secrets().secretsOf(id, NOW)).to.deep.equal([]);
    expect(await states(id)).to.deep.equal(['cancelled', 'cancelled']);
    expect(await healthOf(stores.state, id)).to.deep.equal({ failing_since: null, last_delivery: null });
    expect(await secrets().secretsOf(other, NOW)).to.have.lengthOf(1);
    expect(await states(other)).to.deep.equal(['pending', 'pending']);
    expect((await healthOf(stores.state, other)).failing_since).not.to.equal(null);
  });

  it('finishes a deletion that was cut off', async () => {
    const id = await created();
    await pending(id);
    await refusal(open(failingLog('everything')).remove(context, of(id)), 'log_unavailable');
    expect(await states(id)).to.deep.equal(['pending', 'pending']);
    await refusal(open().remove(context, of(id)), 'not_found');
    expect(await states(id)).to.deep.equal(['cancelled', 'cancelled']);
    expect(await secrets().secretsOf(id, NOW)).to.deep.equal([]);
  });

  it('answers a ping with the id of its event, at every try', async () => {
    const id = await created();
    const answered = await open().ping({ ...context, ids: newIds }, of(id));
    const [, pinged] = await eventsOf(stores.log, streamOf(id));
    expect([pinged!.type, eventIdOf(pinged!.id)]).to.deep.equal(['WebhookPinged', answered]);
    const ids = idsFrom(newSeed());
    const log = failingLog('everything');
    await refusal(open(log).ping({ ...context, ids }, of(id)), 'log_unavailable');
    await open().ping({ ...context, ids: newIds }, of(id));
    const again = await open().ping({ ...context, ids, resumed: true }, of(id));
    const pings = (await eventsOf(stores.log, streamOf(id))).slice(1).map(({ id }) => eventIdOf(id));
    expect(pings).to.have.lengthOf(3);
    expect(again).to.equal(pings[1]);
  });

  it('rotates once while others change the webhook at the same instant', async () => {
    const { record } = await open().create(contextOf(TEAM), wanted);
    const id = record.webhook_id;
    let raced = false;
    const log: EventLog = {
      ...stores.log,
      append: async (...append) => {
        if (!raced) {
          raced = true;
          await open().ping(contextOf(TEAM), of(id));
        }
        return stores.log.append(...append);
      },
    };
    const { secret } = await open(log).rotate(context, of(id));
    expect(await typesOf(id)).to.deep.equal(['WebhookCreated', 'WebhookPinged', 'WebhookSecretRotated']);
    const all = await secrets().secretsOf(id, NOW);
    expect([all.length, all[0]]).to.deep.equal([2, secret]);
  });

  it('shows no secret of an earlier rotation', async () => {
    const id = await created();
    const ids = idsFrom(newSeed());
    await refusal(open(failingLog('everything')).rotate({ ...context, ids }, of(id)), 'log_unavailable');
    const before = await secrets().secretsOf(id, NOW);
    await refusal(open().rotate({ ...context, ids, resumed: true }, of(id)), 'already_answered');
    expect(await secrets().secretsOf(id, NOW)).to.deep.equal(before);
  });

  it('shows the last attempt, as the dispatcher has stored it', async () => {
    const id = await created();
    expect(await open().lastDelivery(id)).to.equal(null);
    const last_delivery = {
      id: idOf('delivery'),
      event_id: idOf('event'),
      type: 'run.completed',
      state: 'delivered',
      at: NOW,
      status: 204,
    } as const;
    await changeHealth(stores.state, id, (health) => ({ ...health, last_delivery }));
    expect(await open().lastDelivery(id)).to.deep.equal(last_delivery);
  });

  it('keeps all concurrent changes of the health', async () => {
    const id = await created();
    await Promise.all(
      Array.from({ length: 8 }, () =>
        changeHealth(stores.state, id, ({ failing_since: at, ...rest }) => ({
          ...rest,
          failing_since: new Date(Date.parse(at ?? NOW) + 1_000).toISOString(),
        })),
      ),
    );
    const { failing_since } = await healthOf(stores.state, id);
    expect(failing_since).to.equal('2026-11-21T12:00:08.000Z');
  });

  it('reads the webhook as the log has it, whatever the views show', async () => {
    const id = await created();
    const before = await open().load(wholeTeam(TEAM), id);
    await openCommandHandler(stores.log).execute(webhook, streamOf(id), contextOf(TEAM), {
      type: 'DisableWebhook',
      reason: 'gone',
    });
    expect(await open().load(wholeTeam(TEAM), id)).to.deep.equal({
      ...before,
      enabled: false,
      disabled_reason: 'gone',
    });
    await refusal(open().ping(context, of(id)), 'webhook_disabled');
    await refusal(open().load(wholeTeam(TEAM), 'nonsense'), 'not_found');
  });

  it('does nothing to a webhook that has reached beyond the sender since it was looked at', async () => {
    const id = await created();
    await open().change(context, of(id), { project_ids: ['project_1'] });
    const narrowed = { id, reader: { team_id: TEAM, project_ids: ['project_1'] } };
    // The webhook is widened when the decision has been made, and before it is appended.
    const act = async (work: (webhooks: Webhooks) => Promise<unknown>) => {
      let widened = false;
      const log: EventLog = {
        ...stores.log,
        append: async (...append) => {
          if (!widened) {
            widened = true;
            await open().change(contextOf(TEAM), of(id), { project_ids: null });
          }
          return stores.log.append(...append);
        },
      };
      await refusal(work(open(log)), 'not_found');
      expect(widened).to.equal(true);
      expect(await typesOf(id)).to.have.length(before + 2);
      await open().change(contextOf(TEAM), of(id), { project_ids: ['project_1'] });
      before += 2;
    };
    let before = (await typesOf(id)).length - 1;
    await act((webhooks) => webhooks.change(contextOf(TEAM), narrowed, { events: ['test.failed'] }));
    await act((webhooks) => webhooks.ping(contextOf(TEAM), narrowed));
    await act((webhooks) => webhooks.rotate(contextOf(TEAM), narrowed));
    await act((webhooks) => webhooks.remove(contextOf(TEAM), narrowed));
  });
});
