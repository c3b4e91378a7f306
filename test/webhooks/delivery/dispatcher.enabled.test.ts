import { expect } from 'chai';
import { addMilliseconds } from '../../../src/clock.js';
import { RELEASED } from '../../../src/leases/lease.js';
import { changeHealth, forgetFailures, healthOf } from '../../../src/webhooks/endpoint/health.js';
import { streamName } from '../../../src/domain/event.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import type { Delivery } from '../../../src/domain/messages/delivery.js';
import { outboxPosition } from '../../../src/domain/messages/message.js';
import { webhook as decider } from '../../../src/domain/messages/webhook.js';
import { eventually } from '../../stores.js';
import { dispatcherWithoutFaults } from './dispatcher-without-faults.js';
import { eventOf, held } from './dispatcher-harness.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the dispatcher and disabled webhooks', function () {
  const { given, numbers, sent, settled, logged } = dispatcherWithoutFaults();

  it('disables a webhook whose endpoint is gone, and cancels its pending deliveries', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 410);
    await given.add(webhook, 'x', 1, 2, 3);
    given.start();
    await settled();
    expect(numbers()).to.deep.equal([1]);
    for (const n of [1, 2, 3]) expect((await given.get(webhook, n)).state).to.equal('cancelled');
    expect((await given.get(webhook, 1)).attempts[0]).to.include({ status: 410, error: 'HTTP 410' });
    const team = (await given.get(webhook, 1)).team_id;
    expect(await given.commands.load(decider, streamName('webhook', team, webhook))).to.include({
      enabled: false,
      disabled_reason: 'gone',
    });
    expect(given.metrics).to.deep.equal(['failed', 'gone']);
  });

  it('disables a webhook after five days without a success', async () => {
    const webhook = await given.newWebhook();
    let status = 500;
    given.answer(() => status);
    const { wake } = given.start();
    const attempt = async (n: number) => {
      await given.add(webhook, `subject ${n}`, n);
      wake([webhook]);
      await logged(webhook, n, 1);
    };
    await attempt(1);
    given.forward(4 * DAY);
    status = 200;
    await attempt(2);
    await settled();
    status = 500;
    await attempt(3);
    // The failure is recorded after the attempt: with the clock moved before that, the five days would begin later.
    await eventually('the first failure is recorded', async () => {
      const { last_delivery } = await healthOf(given.stores.state, webhook);
      return last_delivery?.event_id === eventOf(3);
    });
    given.forward(5 * DAY - 1);
    await attempt(4);
    await eventually('it is judged', async () => {
      const { last_delivery } = await healthOf(given.stores.state, webhook);
      return last_delivery?.event_id === eventOf(4);
    });
    expect(given.metrics).to.not.include('failing');
    given.forward(1);
    await attempt(5);
    await eventually('it is disabled', () => given.metrics.includes('failing'));
    await settled();
    const { team_id } = await given.get(webhook, 5);
    expect(await given.commands.load(decider, streamName('webhook', team_id, webhook))).to.include({
      enabled: false,
      disabled_reason: 'failing',
    });
  });

  it('counts the five days again once a user has enabled the webhook', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 500);
    const { wake } = given.start();
    await given.add(webhook, 'x', 1);
    await logged(webhook, 1, 1);
    await eventually('the failure is shown', async () => {
      return (await healthOf(given.stores.state, webhook)).failing_since !== null;
    });
    // The first message is tried again meanwhile: not after five days, or that would be the attempt that disables.
    given.forward(5 * DAY - 1);
    const enabledAt = given.stores.clock().toISOString();
    await forgetFailures(given.stores.state, webhook);
    given.forward(1);
    await given.add(webhook, 'y', 2);
    wake([webhook]);
    await logged(webhook, 2, 1);
    await eventually('they are counted from the enabling', async () => {
      const { failing_since } = await healthOf(given.stores.state, webhook);
      return failing_since !== null && failing_since >= enabledAt;
    });
    expect(given.metrics).to.not.include('failing');
  });

  for (const [status, state] of [
    [500, 'cancelled'],
    [204, 'delivered'],
  ] as const) {
    it(`logs an attempt that ends after the cancellation: with ${status} the delivery is ${state}`, async () => {
      const webhook = await given.newWebhook();
      let finish = () => {};
      given.answer(() => new Promise((resolve) => (finish = () => resolve(status))));
      await given.add(webhook, 'x', 1, 2);
      given.start();
      await sent(1);
      await given.change(webhook, { enabled: false });
      await given.deliveries.updatePending(webhook, 'cancel', given.stores.clock().toISOString());
      finish();
      await logged(webhook, 1, 1);
      expect(await given.get(webhook, 1)).to.include({ state });
      expect(await given.get(webhook, 2)).to.include({ state: 'cancelled' });
      expect(numbers()).to.deep.equal([1]);
    });
  }

  it('is not disabled by the answers of the former URL: neither by a 410 nor by its days of failure', async () => {
    const webhook = await given.newWebhook();
    let status = 500;
    // The first delivery may be tried again beside each later one.
    const endings = new Map<string, () => void>();
    given.answer(({ eventId }) => new Promise((resolve) => endings.set(eventId, () => resolve(status))));
    const { wake } = given.start();
    const begun = (n: number) => eventually(`${n} is under way`, () => endings.has(eventOf(n)));
    await given.add(webhook, 'w', 1);
    await begun(1);
    endings.get(eventOf(1))!();
    await logged(webhook, 1, 1);
    await eventually(
      'it is shown',
      async () => (await healthOf(given.stores.state, webhook)).failing_since !== null,
    );
    given.forward(5 * DAY);
    for (const [n, next] of [500, 410].entries()) {
      status = next;
      await given.add(webhook, `subject ${n}`, 10 + n);
      wake([webhook]);
      await begun(10 + n);
      await given.change(webhook, { sealed: `http://moved-${n}.test/` });
      await forgetFailures(given.stores.state, webhook);
      endings.get(eventOf(10 + n))!();
      await logged(webhook, 10 + n, 1);
    }
    const { team_id } = await given.get(webhook, 1);
    await given.stores.state.get('webhook-health', webhook);
    expect(await given.commands.load(decider, streamName('webhook', team_id, webhook))).to.include({
      enabled: true,
    });
    expect(given.metrics).to.not.include('gone').and.not.include('failing');
    // The stop waits for what is under way.
    for (const end of endings.values()) end();
  });

  it('sends nothing to a disabled or deleted webhook, and cancels its deliveries', async () => {
    for (const change of [{ enabled: false }, 'delete'] as const) {
      const webhook = await given.newWebhook();
      await given.change(webhook, change);
      await given.add(webhook, 'x', ...Array.from({ length: 30 }, (_, n) => n));
      await given.add(webhook, 'y', 31, 32);
    }
    given.start();
    await settled();
    expect(given.calls).to.deep.equal([]);
  });

  it('sends no message from before the last enabling, unless a user asked for it', async () => {
    const webhook = await given.newWebhook();
    await given.change(webhook, { enabled: false });
    await given.change(webhook, { enabled: true });
    const since = await given.stores.log.head();
    const at = async (n: number, position: string, asked: boolean) => {
      await given.add(webhook, `subject ${n}`, n);
      const { delivery } = (await given.deliveries.get((await given.get(webhook, n)).id))!;
      await given.deliveries.updatePending(webhook, 'cancel', given.stores.clock().toISOString());
      const id = `${delivery.id}_again`;
      await given.deliveries.add([{ ...delivery, id, place: outboxPosition(position, n), asked }]);
      return id;
    };
    const stale = await at(1, since, false);
    const asked = await at(2, since, true);
    await given.add(webhook, 'x', 3);
    given.start();
    await settled();
    const stateOf = async (id: string) => (await given.deliveries.get(id))?.delivery.state;
    expect([await stateOf(stale), await stateOf(asked)]).to.deep.equal(['cancelled', 'delivered']);
    expect(numbers().toSorted((a, b) => a - b)).to.deep.equal([2, 3]);
  });

  for (const [what, status] of [
    ['says that the endpoint is gone', 410],
    ['fails after five days of nothing else', 500],
  ] as const) {
    it(`stays enabled if a user enables it during an attempt that ${what}`, async () => {
      const webhook = await given.newWebhook();
      const state = given.stores.state;
      const failing_since = given.stores.clock().toISOString();
      await changeHealth(state, webhook, (health) => ({ ...health, failing_since }));
      given.forward(5 * DAY);
      const answered = held();
      given.answer(() => answered.until.then(() => status));
      await given.add(webhook, 'x', 1, 2);
      given.start();
      await sent(1);
      await given.change(webhook, { enabled: false });
      await given.change(webhook, { enabled: true });
      answered.end();
      given.answer(() => 204);
      await logged(webhook, 1, 1);
      given.forward(DAY);
      await settled();
      expect((await given.get(webhook, 2)).state).to.equal('delivered');
      const { team_id } = await given.get(webhook, 1);
      const stream = streamName('webhook', team_id, webhook);
      expect(await given.commands.load(decider, stream)).to.include({ enabled: true });
    });
  }

  it('sends a narrowed webhook nothing of other projects, neither what waits nor what somebody sends again', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'own', 1);
    await given.add(webhook, 'other', 2);
    await given.add(webhook, 'again', 3);
    await given.add(webhook, 'ping', 4);
    const again = await given.deliveries.get((await given.get(webhook, 3)).id);
    await given.deliveries.put(
      { ...again!.delivery, asked: true },
      again!.version,
      again!.delivery.created_at,
    );
    await given.change(webhook, { project_ids: ['project_own'] });
    const messageOf = ({ subject }: Delivery) =>
      subject === 'ping'
        ? { type: 'webhook.ping', about: { kind: 'webhook', webhook_id: webhook } }
        : { type: 'test.failed', about: { kind: 'result', project_id: `project_${subject}` } };
    given.start({ messagesOf: async (all) => all.map((each) => messageOf(each) as MessageDocument) });
    await settled();
    expect(numbers()).to.have.members([1, 4]);
    for (const n of [2, 3]) expect((await given.get(webhook, n)).state).to.equal('cancelled');
  });

  it('leaves no state of a webhook that was deleted during an attempt', async () => {
    const webhook = await given.newWebhook();
    const answered = held();
    given.answer(() => answered.until.then(() => 500));
    await given.add(webhook, 'x', 1);
    const running = given.start();
    await sent(1);
    await given.change(webhook, 'delete');
    await given.deliveries.updatePending(webhook, 'cancel', given.stores.clock().toISOString());
    answered.end();
    await logged(webhook, 1, 1);
    await eventually('it has let go', async () => {
      const lease = await given.stores.state.get<{ until: string }>('lease', `webhook/${webhook}`);
      return lease?.value.until === RELEASED;
    });
    await running.stop();
    for (const kind of ['webhook-health', 'lease']) {
      await given.stores.state.purge(addMilliseconds(given.stores.clock().toISOString(), 2 * DAY), 9);
      expect(await given.stores.state.list(kind, { limit: 9 }), kind).to.deep.equal([]);
    }
  });
});
