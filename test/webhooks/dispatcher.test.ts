import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { forgetFailures, healthOf } from '../../src/core/webhooks/health.js';
import { streamName } from '../../src/domain/event.js';
import { webhook as decider } from '../../src/domain/webhook.js';
import { eventually } from '../core/stores.js';
import { dispatching, eventOf, SECRET, type Call } from './dispatching.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the dispatcher', function () {
  this.timeout(20_000);
  const given = dispatching();
  const numbers = (calls: readonly Call[] = given.calls) =>
    calls.map(({ eventId }) => Number(eventId.slice(6)));
  const sent = (count: number) =>
    eventually(`${count} attempts`, () => given.calls.length >= count || given.faults.length > 0);
  const settled = (count = 0) =>
    eventually(`${count} pending`, async () => (await given.deliveries.pending()) === count);
  /** Waits until so many attempts are logged. */
  const logged = (webhook: string, n: number, count: number) =>
    eventually(`${count} logged`, async () => (await given.get(webhook, n)).attempts.length >= count);
  afterEach(() => expect(given.faults).to.deep.equal([]));

  it('sends each message once where all goes well, signed, and logs the attempt', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'x', 1, 2, 3);
    given.start();
    await settled();
    expect(numbers()).to.deep.equal([1, 2, 3]);
    const [{ url, body, headers }] = given.calls as [Call];
    expect(url).to.equal(`http://${webhook}.test/`);
    expect(headers['webhook-id']).to.equal(eventOf(1));
    const signed = new Webhook(SECRET).sign(eventOf(1), given.stores.clock(), body);
    expect(headers['webhook-signature']).to.equal(signed);
    const delivery = await given.get(webhook, 1);
    expect(delivery).to.include({ state: 'delivered', tries: 1, body: null, next_attempt_at: null });
    const at = given.stores.clock().toISOString();
    expect(delivery.attempts).to.deep.equal([{ at, status: 204, duration_ms: 1, error: null, response: '' }]);
    expect(given.metrics).to.deep.equal(['delivered', 'delivered', 'delivered']);
  });

  it('tries again until the tenth attempt, the same bytes under the same id, and then no more', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 500);
    await given.add(webhook, 'x', 1);
    const { wake } = given.start();
    const delays = [5_000, 300_000, 30 * 60_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
    for (const [n, delay] of delays.entries()) {
      await logged(webhook, 1, n + 1);
      const { next_attempt_at, tries, state } = await given.get(webhook, 1);
      expect({ tries, state }).to.deep.equal({ tries: n + 1, state: 'pending' });
      const wait = Date.parse(next_attempt_at ?? '') - given.stores.clock().getTime();
      expect(wait).to.be.within(0.9 * delay, 1.1 * delay);
      given.forward(wait - 1);
      wake([webhook]);
      given.forward(1);
      wake([webhook]);
    }
    await settled();
    expect(await given.get(webhook, 1)).to.include({ state: 'exhausted', tries: 10, body: null });
    expect(given.calls).to.have.length(10);
    expect(new Set(given.calls.map(({ body }) => body)).size).to.equal(1);
    expect(new Set(given.calls.map(({ headers }) => headers['webhook-id']))).to.deep.equal(
      new Set([eventOf(1)]),
    );
    const times = given.calls.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).to.deep.equal([...new Set(times)].toSorted((a, b) => a - b));
  });

  it('keeps the order of each subject while others pass', async () => {
    const webhook = await given.newWebhook();
    let broken = true;
    given.answer(({ body }) => (broken && body.includes('"subject":"x"') ? 500 : 204));
    await given.add(webhook, 'x', 1, 3);
    await given.add(webhook, 'y', 2, 4);
    const { wake } = given.start();
    await eventually('the other subject is done', async () => (await given.deliveries.pending()) === 2);
    expect(numbers().filter((n) => n % 2 === 0)).to.deep.equal([2, 4]);
    await given.add(webhook, 'x', 5);
    await given.add(webhook, 'y', 6);
    wake([webhook]);
    await eventually('the other subject goes on', async () => (await given.deliveries.pending()) === 3);
    broken = false;
    given.forward(DAY);
    wake([webhook]);
    await settled();
    const odd = numbers().filter((n) => n % 2 === 1);
    expect(odd.filter((n) => n !== 1)).to.deep.equal([3, 5]);
    expect(odd.lastIndexOf(1)).to.be.lessThan(odd.indexOf(3));
  });

  it('waits as long as the endpoint asks for, where that is longer', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => ({ status: 503, retryAfterMs: 90_000 }));
    await given.add(webhook, 'x', 1);
    given.start();
    await logged(webhook, 1, 1);
    const { next_attempt_at } = await given.get(webhook, 1);
    expect(Date.parse(next_attempt_at ?? '') - given.stores.clock().getTime()).to.equal(90_000);
  });

  it('disables a webhook whose endpoint says that it is gone, and cancels what it was to get', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 410);
    await given.add(webhook, 'x', 1, 2, 3);
    given.start();
    await settled();
    expect(numbers()).to.deep.equal([1]);
    for (const n of [1, 2, 3]) expect((await given.get(webhook, n)).state).to.equal('cancelled');
    expect((await given.get(webhook, 1)).attempts[0]).to.include({ status: 410, error: 'HTTP 410' });
    const team = (await given.get(webhook, 1)).team_id;
    expect(await given.ledger.load(decider, streamName('webhook', team, webhook))).to.include({
      enabled: false,
      disabled_reason: 'gone',
    });
    expect(given.metrics).to.deep.equal(['failed', 'gone']);
  });

  it('disables a webhook after five days of nothing but failure, counted from the last success', async () => {
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
    given.forward(5 * DAY - 1);
    await attempt(4);
    await eventually('it is judged', async () => {
      const { last_delivery } = await healthOf(given.stores.state, webhook);
      return last_delivery?.event_id === eventOf(3) || last_delivery?.event_id === eventOf(4);
    });
    expect(given.metrics).to.not.include('failing');
    given.forward(1);
    await attempt(5);
    await eventually('it is disabled', () => given.metrics.includes('failing'));
    await settled();
    const { team_id } = await given.get(webhook, 5);
    expect(await given.ledger.load(decider, streamName('webhook', team_id, webhook))).to.include({
      enabled: false,
      disabled_reason: 'failing',
    });
  });

  it('counts the five days anew where somebody has enabled the webhook again', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 500);
    const { wake } = given.start();
    await given.add(webhook, 'x', 1);
    await logged(webhook, 1, 1);
    await eventually('the failure is shown', async () => {
      return (await healthOf(given.stores.state, webhook)).failing_since !== null;
    });
    given.forward(5 * DAY);
    await forgetFailures(given.stores.state, webhook);
    await given.add(webhook, 'y', 2);
    wake([webhook]);
    await logged(webhook, 2, 1);
    const now = given.stores.clock().toISOString();
    await eventually('they are counted from now', async () => {
      return (await healthOf(given.stores.state, webhook)).failing_since === now;
    });
    expect(given.metrics).to.not.include('failing');
  });

  it('leaves cancelled what was cancelled on its way, and logs the attempt', async () => {
    const webhook = await given.newWebhook();
    let finish = () => {};
    given.answer(() => new Promise((resolve) => (finish = () => resolve(204))));
    await given.add(webhook, 'x', 1, 2);
    given.start();
    await sent(1);
    await given.change(webhook, { enabled: false });
    await given.deliveries.all(webhook, 'cancel', given.stores.clock().toISOString());
    finish();
    await logged(webhook, 1, 1);
    expect(await given.get(webhook, 1)).to.include({ state: 'cancelled', body: null });
    expect(await given.get(webhook, 2)).to.include({ state: 'cancelled' });
    expect(numbers()).to.deep.equal([1]);
  });

  it('sends nothing to a webhook that is disabled or gone, and cancels what is there', async () => {
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

  it('sends to where the webhook leads now', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 500);
    await given.add(webhook, 'x', 1);
    const { wake } = given.start();
    await logged(webhook, 1, 1);
    await given.change(webhook, { url: 'http://moved.test/' });
    given.answer(() => 204);
    given.forward(DAY);
    wake([webhook]);
    await settled();
    expect(given.calls.at(-1)?.url).to.equal('http://moved.test/');
  });

  it('brings forward all that waits when the endpoint works again', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 500);
    for (const n of [1, 2, 3, 4, 5]) await given.add(webhook, `subject ${n}`, n);
    const { wake } = given.start();
    for (const n of [1, 2, 3, 4, 5]) await logged(webhook, n, 1);
    given.answer(() => 204);
    expect(await given.deliveries.waiting(given.stores.clock().toISOString(), { limit: 1 })).to.deep.equal(
      [],
    );
    given.forward(1_000);
    await given.add(webhook, 'another', 6);
    wake([webhook]);
    await settled();
    for (const n of [1, 2, 3, 4, 5]) expect((await given.get(webhook, n)).attempts).to.have.length(2);
  });

  it('gives none up sooner where only that one fails, and brings it forward ever more seldom', async () => {
    const webhook = await given.newWebhook();
    given.answer(({ body }) => (body.includes('"subject":"x"') ? 500 : 204));
    await given.add(webhook, 'x', 0);
    const { wake } = given.start();
    await logged(webhook, 0, 1);
    // Some others each second: each success follows a failure, or none.
    for (let n = 1; n <= 100; n += 1) {
      given.forward(1_000);
      await given.add(webhook, 'y', n);
      wake([webhook]);
      await settled(1);
    }
    const { tries, attempts, state } = await given.get(webhook, 0);
    // After 5 s that of the delays; the others after 1, 2, 4, 8 s and so on.
    expect({ tries, state }).to.deep.equal({ tries: 2, state: 'pending' });
    expect(attempts.length).to.be.within(4, 9);
  });

  it('brings nothing forward that the endpoint has asked to wait with', async () => {
    const webhook = await given.newWebhook();
    given.answer(({ body }) =>
      body.includes('"subject":"x"') ? { status: 429, retryAfterMs: 90_000 } : 204,
    );
    await given.add(webhook, 'x', 0);
    const { wake } = given.start();
    await logged(webhook, 0, 1);
    given.forward(80_000);
    await given.add(webhook, 'y', 1);
    wake([webhook]);
    await settled(1);
    const { next_attempt_at } = await given.get(webhook, 0);
    expect(Date.parse(next_attempt_at ?? '') - given.stores.clock().getTime()).to.equal(10_000);
  });

  it('shows how the webhook fares: the last delivery, and since when it fails', async () => {
    const webhook = await given.newWebhook();
    const health = () => healthOf(given.stores.state, webhook);
    given.answer(() => 503);
    await given.add(webhook, 'x', 1);
    const { wake } = given.start();
    await eventually('the failure is shown', async () => (await health()).failing_since !== null);
    const at = given.stores.clock().toISOString();
    const last = { id: (await given.get(webhook, 1)).id, event_id: eventOf(1), type: 'test.failed', at };
    expect(await health()).to.deep.equal({
      failing_since: at,
      last_delivery: { ...last, state: 'pending', status: 503 },
    });
    given.answer(() => 200);
    given.forward(6_000);
    wake([webhook]);
    await eventually('the success is shown', async () => (await health()).failing_since === null);
    expect((await health()).last_delivery).to.include({ state: 'delivered', status: 200 });
  });

  it('sends eight subjects at a time, two after a failure, and eight again after a success', async () => {
    const webhook = await given.newWebhook();
    let under = 0;
    let most = 0;
    let status = 200;
    const waiting: (() => void)[] = [];
    given.answer(async () => {
      most = Math.max(most, (under += 1));
      await new Promise<void>((resolve) => waiting.push(resolve));
      under -= 1;
      return status;
    });
    const let_ = (count: number) => waiting.splice(0, count).forEach((go) => go());
    for (let n = 1; n <= 60; n += 1) await given.add(webhook, `subject ${n}`, n);
    given.start();
    await eventually('eight', () => waiting.length === 8);
    status = 500;
    let_(8);
    most = 0;
    await eventually('two', () => waiting.length === 2 && under === 2);
    await eventually(
      'all are logged',
      async () => (await healthOf(given.stores.state, webhook)).failing_since !== null,
    );
    expect(under).to.equal(2);
    status = 200;
    let_(1);
    await eventually('eight again', () => waiting.length === 8);
    expect(most).to.equal(8);
  });

  it('fails in words, and sends nothing, where there is no secret', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'x', 1);
    given.start({ secrets: async () => [] });
    await logged(webhook, 1, 1);
    expect((await given.get(webhook, 1)).attempts[0]).to.include({
      status: null,
      error: 'there is no secret to sign with: rotate it',
    });
    expect(given.calls).to.deep.equal([]);
  });

  it('notices by itself what another process has added', async () => {
    const webhook = await given.newWebhook();
    given.start();
    await given.add(webhook, 'x', 1);
    await settled();
    await given.add(webhook, 'x', 2);
    await settled();
    expect(numbers()).to.deep.equal([1, 2]);
  });

  it('forgets what is finished after its time', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'x', 1);
    const first = given.start();
    await settled();
    given.forward(30 * DAY + 1);
    await first.stop();
    given.start();
    const all = { direction: 'ascending', offset: 0, limit: 9 } as const;
    await eventually('it is forgotten', async () => (await given.deliveries.find(webhook, all)).total === 0);
  });
});
