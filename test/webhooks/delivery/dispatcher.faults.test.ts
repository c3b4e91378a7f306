import { expect } from 'chai';
import { acquireLease } from '../../../src/leases/lease.js';
import { AppError } from '../../../src/errors.js';
import { eventually } from '../../stores.js';
import { dispatcherHarness, type Running } from './dispatcher-harness.js';

describe('the dispatcher under faults', function () {
  const given = dispatcherHarness();
  const settled = () =>
    eventually('all are delivered', async () => (await given.deliveries.pending()) === 0, 30_000);
  const subjects = ['x', 'y', 'z'];

  /** For each webhook and subject: a message is sent for the first time after the one before it was delivered. */
  const expectOrder = (webhooks: readonly string[]) => {
    for (const webhook of webhooks) {
      for (const subject of subjects) {
        const sent = given.calls
          .filter(({ body, webhookId }) => webhookId === webhook && body.includes(`"subject":"${subject}"`))
          .map(({ eventId }) => Number(eventId.slice(6)));
        expect(sent, `${webhook} ${subject}`).to.deep.equal(sent.toSorted((a, b) => a - b));
      }
    }
  };
  const addAll = async (webhooks: readonly string[], count: number) => {
    for (const webhook of webhooks) {
      for (let n = 0; n < count; n += 1) await given.add(webhook, subjects[n % 3]!, n);
    }
  };
  const expectAll = (webhooks: readonly string[], count: number) => {
    for (const webhook of webhooks) {
      const sent = new Set(
        given.calls.filter(({ webhookId }) => webhookId === webhook).map(({ eventId }) => eventId),
      );
      expect(sent.size).to.equal(count);
    }
  };

  it('loses nothing and keeps the order when it is killed repeatedly at any point', async () => {
    const webhooks = [await given.newWebhook(), await given.newWebhook()];
    await addAll(webhooks, 40);
    // The clock moves with every answer, so that retries come soon. Each fifth attempt fails: by chance they may be too few.
    let answers = 0;
    given.answer(async () => {
      await new Promise(setImmediate);
      given.forward(200);
      return (answers += 1) % 5 === 0 ? 500 : 204;
    });
    for (let round = 0; round < 40; round += 1) {
      const before = given.calls.length;
      const running = given.start({ schedule: () => 1_000 });
      const until = before + Math.floor(Math.random() * 6);
      await eventually('some attempts', async () => {
        given.forward(50);
        return given.calls.length > until || (await given.deliveries.pending()) === 0;
      });
      for (let turns = Math.random() * 20; turns > 0; turns -= 1) await new Promise(setImmediate);
      running.kill();
      await running.done;
    }
    given.start({ schedule: () => 1_000 });
    const delivered = async () => {
      given.forward(1_000);
      return (await given.deliveries.pending()) === 0;
    };
    await eventually('all are delivered', delivered, 30_000);
    expectOrder(webhooks);
    expectAll(webhooks, 40);
    expect(given.calls.length, 'attempts that were repeated').to.be.greaterThan(90);
    const changed = given.calls.filter(({ eventId, body }) =>
      given.calls.some(
        (other) =>
          other.eventId === eventId && other.webhookId === JSON.parse(body).webhook && other.body !== body,
      ),
    );
    expect(changed, 'bodies that changed').to.deep.equal([]);
  });

  it('sends what failed under a clock that ran a year ahead once the clock is right again, and what waits behind it', async () => {
    const yearMs = 365 * 86_400_000;
    const webhook = await given.newWebhook();
    given.forward(yearMs);
    await given.add(webhook, 'x', 1, 2);
    given.answer(() => 500);
    const ahead = given.start();
    const waits = async () => (await given.get(webhook, 1)).scheduled_at !== null;
    await eventually('the failure is recorded', waits);
    await ahead.stop();
    given.forward(-yearMs);
    given.answer(() => 204);
    given.start();
    await settled();
    expect(given.calls.map(({ eventId }) => eventId)).to.deep.equal(['event_1', 'event_1', 'event_2']);
  });

  it('sends a delivery that a crash left blocked with nothing before it, though its webhook has nothing due', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'x', 1);
    const held = await given.deliveries.get((await given.get(webhook, 1)).id);
    const now = given.stores.clock().toISOString();
    await given.deliveries.put({ ...held!.delivery, next_attempt_at: null }, held!.version, now);
    given.start();
    await settled();
    expect(given.calls).to.have.length(1);
  });

  it('shares the webhooks among processes, and keeps the order of each', async () => {
    const webhooks = await Promise.all(Array.from({ length: 6 }, () => given.newWebhook()));
    await addAll(webhooks, 15);
    const by = new Map<string, Set<string>>();
    const start = (name: string): Running =>
      given.start({
        holder: { boot: name, alone: false },
        secrets: async (webhook) => {
          by.set(webhook, (by.get(webhook) ?? new Set()).add(name));
          return [`whsec_${Buffer.alloc(32).toString('base64')}`];
        },
      });
    const running = ['one', 'two', 'three'].map(start);
    running.forEach((one, n) => one.wake(webhooks.slice(2 * n)));
    running.forEach((one) => one.wake(webhooks));
    await settled();
    for (const senders of by.values()) expect(senders.size).to.equal(1);
    expect(given.calls).to.have.length(6 * 15);
    expectOrder(webhooks);
    expect(given.faults).to.deep.equal([]);
  });

  it('takes over when the lease of a killed process has lapsed', async () => {
    const webhook = await given.newWebhook();
    await addAll([webhook], 3);
    given.answer(() => null);
    const first = given.start({ holder: { boot: 'one', alone: false } });
    await eventually('it sends', () => given.calls.length === 3);
    first.kill();
    await first.done;
    given.answer(() => 204);
    const second = given.start({ holder: { boot: 'two', alone: false } });
    second.wake([webhook]);
    await eventually(
      'it has looked',
      async () => (await given.stores.state.get('lease', `webhook/${webhook}`)) !== null,
    );
    expect(given.calls).to.have.length(3);
    given.forward(10_000);
    await settled();
    expectOrder([webhook]);
  });

  it('records at a stop the attempts that end in time, and leaves the others to the next process', async () => {
    const webhook = await given.newWebhook();
    await addAll([webhook], 2);
    let finish = () => {};
    given.answer(({ eventId }) =>
      eventId === 'event_0' ? null : new Promise((resolve) => (finish = () => resolve(204))),
    );
    const first = given.start();
    await eventually('both are under way', () => given.calls.length === 2);
    const began = performance.now();
    const stopped = first.stop();
    finish();
    await stopped;
    expect(performance.now() - began).to.be.within(2_900, 4_500);
    expect(await given.get(webhook, 1)).to.include({ state: 'delivered' });
    expect(await given.get(webhook, 0)).to.include({ state: 'pending', tries: 0 });
    given.answer(() => 204);
    given.start();
    await settled();
    expect(given.calls.map(({ eventId }) => eventId)).to.deep.equal(['event_0', 'event_1', 'event_0']);
    expect(given.faults).to.deep.equal([]);
  });

  it('ends its attempts unrecorded when another process has taken the lease', async () => {
    const webhook = await given.newWebhook();
    await addAll([webhook], 1);
    given.answer(() => null);
    const { clock, state } = given.stores;
    given.start({ holder: { boot: 'one', alone: false } });
    await eventually('it is under way', () => given.calls.length === 1);
    given.forward(10_000);
    const taken = await acquireLease(state, `webhook/${webhook}`, { boot: 'two', alone: false }, clock);
    expect(taken).to.not.equal(null);
    given.answer(() => 204);
    // It notices at its next renewal, within seconds. Then it waits for the other process.
    await eventually('it is ended', () => given.aborted.length === 1);
    expect(given.calls).to.have.length(1);
    expect(await given.get(webhook, 0)).to.include({ state: 'pending', tries: 0 });
    await taken?.release();
    await settled();
    expect(given.calls).to.have.length(2);
  });

  it('reports an unavailable store, and goes on afterwards', async () => {
    const webhook = await given.newWebhook();
    await addAll([webhook], 9);
    let away = 3;
    const { deliveries } = given;
    const failing: typeof deliveries = {
      ...deliveries,
      put: async (...args) => {
        if (away > 0) {
          away -= 1;
          throw new AppError('state_unavailable', 'away');
        }
        return deliveries.put(...args);
      },
    };
    given.start({ deliveries: failing });
    await settled();
    expectOrder([webhook]);
    expectAll([webhook], 9);
    expect(given.faults.map(String)).to.include('AppError: away');
  });
});
