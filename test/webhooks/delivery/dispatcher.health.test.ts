import { expect } from 'chai';
import type { BodyOf } from '../../../src/webhooks/delivery/bodies.js';
import { forgetFailures, healthOf } from '../../../src/webhooks/endpoint/health.js';
import { LookUpNotMade } from '../../../src/webhooks/endpoint/resolver.js';
import { AppError } from '../../../src/errors.js';
import { eventually } from '../../stores.js';
import { dispatcherWithoutFaults } from './dispatcher-without-faults.js';
import { eventOf, SECRET } from './dispatcher-harness.js';

describe('the dispatcher and the health of an endpoint', function () {
  const { given, sent, settled, logged } = dispatcherWithoutFaults();

  it('brings all waiting deliveries forward when the endpoint works again', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 500);
    for (const n of [1, 2, 3, 4, 5]) await given.add(webhook, `subject ${n}`, n);
    const { wake } = given.start();
    for (const n of [1, 2, 3, 4, 5]) await logged(webhook, n, 1);
    given.answer(() => 204);
    expect(
      await given.deliveries.webhooksWithClaimable(given.stores.clock().toISOString(), { limit: 1 }),
    ).to.deep.equal([]);
    given.forward(1_000);
    await given.add(webhook, 'another', 6);
    wake([webhook]);
    await settled();
    for (const n of [1, 2, 3, 4, 5]) expect((await given.get(webhook, n)).attempts).to.have.length(2);
  });

  it('brings no delivery forward for which the endpoint has asked to wait', async () => {
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

  it('stores the last delivery, and since when the endpoint fails', async () => {
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

  it('fails with a reason, and sends nothing, without a secret', async () => {
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

  it('fails with a reason, and sends nothing, where the URL cannot be read any more', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'x', 1);
    given.start({ urlOf: async () => null });
    await logged(webhook, 1, 1);
    expect((await given.get(webhook, 1)).attempts[0]).to.include({
      status: null,
      error: 'the URL of this webhook cannot be read any more: set it again',
    });
    expect(given.calls).to.deep.equal([]);
  });

  it('fails with a reason, and reports it once, if SECRET_KEY was changed', async () => {
    const webhook = await given.newWebhook();
    for (let n = 1; n <= 20; n += 1) await given.add(webhook, `subject ${n}`, n);
    const cannot = new AppError('internal', 'SECRET_KEY is not the one');
    let readable = false;
    given.start({
      secrets: async () => {
        if (!readable) throw cannot;
        return [SECRET];
      },
    });
    for (let n = 1; n <= 20; n += 1) await logged(webhook, n, 1);
    expect((await given.get(webhook, 9)).attempts[0]).to.include({
      status: null,
      error: 'the secret of this webhook cannot be read here',
    });
    const health = () => healthOf(given.stores.state, webhook);
    await eventually('it is shown', async () => (await health()).last_delivery !== null);
    expect((await health()).failing_since).to.equal(null);
    expect(given.faults.splice(0)).to.deep.equal([cannot]);
    expect(given.calls).to.deep.equal([]);
    readable = true;
    given.forward(6_000);
    await settled();
    expect(given.calls).to.have.length(20);
  });

  it('tries again soon, without a failure of the endpoint, if this machine has no descriptors left', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'x', 1);
    const want = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    let wanting = true;
    given.start({
      post: async ({ at }) => {
        if (wanting) throw want;
        const answer = { status: 204, duration_ms: 1, error: null, response: '', retryAfterMs: null };
        return { at: at.toISOString(), ...answer };
      },
    });
    await eventually('it is reported', () => given.faults.length > 0);
    expect(await given.get(webhook, 1)).to.deep.include({ state: 'pending', tries: 0, attempts: [] });
    wanting = false;
    await settled();
    expect(new Set(given.faults.splice(0))).to.deep.equal(new Set([want]));
    expect(await given.get(webhook, 1)).to.include({ state: 'delivered', tries: 1 });
  });

  it('cancels a delivery whose message is lost, sends the next of its subject, and says nothing of the endpoint', async () => {
    const webhook = await given.newWebhook();
    for (const n of [1, 2]) await given.add(webhook, 'x', n);
    const bodyOf: BodyOf = async ({ event_id, webhook_id }) =>
      event_id === eventOf(1) ? null : JSON.stringify({ n: 2, webhook: webhook_id });
    given.start({ bodyOf });
    await settled();
    const lost = await given.get(webhook, 1);
    expect(lost).to.include({ state: 'cancelled', tries: 0 });
    expect(lost.attempts[0]).to.include({ status: null, error: 'the message no longer exists in the log' });
    expect((await given.get(webhook, 2)).state).to.equal('delivered');
    expect((await healthOf(given.stores.state, webhook)).failing_since).to.equal(null);
  });

  it('records no attempt while a message cannot be read, and one that failed here if it cannot be rendered', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'x', 1);
    let fault = new AppError('views_unavailable', 'not folded yet');
    const bodyOf: BodyOf = () => Promise.reject(fault);
    given.start({ bodyOf });
    await eventually('two tries', () => given.faults.splice(0).length >= 1);
    expect((await given.get(webhook, 1)).attempts).to.deep.equal([]);
    fault = new AppError('internal', 'broken');
    await logged(webhook, 1, 1);
    expect((await given.get(webhook, 1)).attempts[0]).to.include({
      status: null,
      error: 'the message cannot be rendered here',
    });
    expect((await healthOf(given.stores.state, webhook)).failing_since).to.equal(null);
    given.faults.splice(0);
  });

  it('records no attempt that could not be made here, and makes it once it can', async () => {
    const webhook = await given.newWebhook();
    await given.add(webhook, 'x', 1);
    let isMissing = true;
    given.answer(() => {
      if (isMissing) throw new LookUpNotMade('no place');
      return 204;
    });
    given.start();
    await eventually('two tries', () => given.faults.length >= 2);
    for (const fault of given.faults.splice(0)) expect(fault).to.be.instanceOf(LookUpNotMade);
    expect(await given.get(webhook, 1)).to.include({ state: 'pending', tries: 0 });
    expect((await given.get(webhook, 1)).attempts).to.deep.equal([]);
    expect(await healthOf(given.stores.state, webhook)).to.deep.equal({
      failing_since: null,
      last_delivery: null,
    });
    isMissing = false;
    await eventually('it is delivered', async () => (await given.get(webhook, 1)).state === 'delivered');
    given.faults.splice(0);
  });

  it('sends eight at a time again once a user has enabled the webhook again', async () => {
    const webhook = await given.newWebhook();
    given.answer(() => 500);
    await given.add(webhook, 'x', 1);
    const { wake } = given.start();
    await logged(webhook, 1, 1);
    await eventually('it fails', async () => {
      return (await healthOf(given.stores.state, webhook)).failing_since !== null;
    });
    await given.change(webhook, { enabled: false });
    await forgetFailures(given.stores.state, webhook);
    await given.change(webhook, { enabled: true });
    given.answer(() => null);
    for (let n = 2; n <= 12; n += 1) await given.add(webhook, `subject ${n}`, n);
    wake([webhook]);
    await sent(9);
    expect(given.calls).to.have.length(9);
  });
});
