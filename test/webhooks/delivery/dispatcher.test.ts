import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../stores.js';
import { dispatcherWithoutFaults } from './dispatcher-without-faults.js';
import { eventOf, SECRET, type Call } from './dispatcher-harness.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the dispatcher', function () {
  const { given, numbers, settled, logged } = dispatcherWithoutFaults();

  it('sends each message once, signed, and logs the attempt, if nothing fails', async () => {
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
    expect(delivery).to.include({ state: 'delivered', tries: 1, next_attempt_at: null });
    const at = given.stores.clock().toISOString();
    expect(delivery.attempts).to.deep.equal([{ at, status: 204, duration_ms: 1, error: null, response: '' }]);
    expect(given.metrics).to.deep.equal(['delivered', 'delivered', 'delivered']);
  });

  it('makes up to ten attempts, with the same bytes and the same id', async () => {
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
    expect(await given.get(webhook, 1)).to.include({ state: 'exhausted', tries: 10 });
    expect(given.calls).to.have.length(10);
    expect(new Set(given.calls.map(({ body }) => body)).size).to.equal(1);
    expect(new Set(given.calls.map(({ headers }) => headers['webhook-id']))).to.deep.equal(
      new Set([eventOf(1)]),
    );
    const times = given.calls.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).to.deep.equal([...new Set(times)].toSorted((a, b) => a - b));
  });

  it('keeps the order of each subject while other subjects go on', async () => {
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

  it('claims many deliveries at once, however short each attempt is', async () => {
    const webhook = await given.newWebhook();
    for (let n = 0; n < 300; n += 1) await given.add(webhook, `subject ${n}`, n);
    let asked = 0;
    const claimable: typeof given.deliveries.claimable = (...args) => {
      asked += 1;
      return given.deliveries.claimable(...args);
    };
    given.start({ deliveries: { ...given.deliveries, claimable } });
    await settled();
    expect(given.calls).to.have.length(300);
    expect(asked).to.be.lessThan(60);
  });

  it('sends to the present URL of the webhook', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 500);
    await given.add(webhook, 'x', 1);
    const { wake } = given.start();
    await logged(webhook, 1, 1);
    await given.change(webhook, { sealed: 'http://moved.test/' });
    given.answer(() => 204);
    given.forward(DAY);
    wake([webhook]);
    await settled();
    expect(given.calls.at(-1)?.url).to.equal('http://moved.test/');
  });

  it('finds deliveries that another process has added', async () => {
    const webhook = await given.newWebhook();
    given.start();
    await given.add(webhook, 'x', 1);
    await settled();
    await given.add(webhook, 'x', 2);
    await settled();
    expect(numbers()).to.deep.equal([1, 2]);
  });

  it('purges finished deliveries after the retention time', async () => {
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
