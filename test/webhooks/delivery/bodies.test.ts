import { expect } from 'chai';
import { newDelivery, type Delivery } from '../../../src/domain/messages/delivery.js';
import { AppError, isAppError } from '../../../src/errors.js';
import { openBodies } from '../../../src/webhooks/delivery/bodies.js';
import type { Render } from '../../../src/webhooks/outbox/payload.js';
import { embeddedStores, NOW } from '../../stores.js';
import { bodyOf as expectedBody, HOOK, messageOf, publish, render } from '../stored-messages.js';

const OTHER = 'webhook_01h455vb4pex5vsknk084sn02r';

describe('the bodies of deliveries', () => {
  const stores = embeddedStores('each test', { log: false });
  /** The events of each call of the renderer. */
  let calls: string[][];
  let broken: Set<string>;
  beforeEach(() => {
    calls = [];
    broken = new Set();
    isDeleted = false;
  });
  const rendering: Render = async (messages) => {
    calls.push(messages.map(({ event_id }) => event_id));
    await new Promise(setImmediate);
    if (messages.some(({ event_id }) => broken.has(event_id))) throw new AppError('internal', 'broken');
    return render(messages);
  };
  let isDeleted = false;
  const marked = async (ids: readonly string[]) =>
    new Map(isDeleted ? ids.map((id) => [id, 'deleted'] as const) : []);
  const open = (cacheBytes?: number) =>
    openBodies({
      views: stores.reader,
      render: rendering,
      marked,
      origin: null,
      ...(cacheBytes !== undefined && { cacheBytes }),
    });
  const deliveryOf = (n: number, webhook = HOOK): Delivery => newDelivery(messageOf(n), webhook, NOW);
  const some = (count: number) => Array.from({ length: count }, (_, n) => deliveryOf(n + 1));
  const publishSome = (count: number) =>
    publish(
      stores.writer,
      Array.from({ length: count }, (_, n) => messageOf(n + 1)),
    );

  it('renders a message once for all webhooks and attempts, also while it is being rendered', async () => {
    await publishSome(1);
    const bodyOf = open();
    const all = await Promise.all([HOOK, OTHER].map((webhook) => bodyOf(deliveryOf(1, webhook))));
    all.push(await bodyOf(deliveryOf(1)));
    expect(new Set(all)).to.deep.equal(new Set([expectedBody(messageOf(1))]));
    expect(calls).to.have.length(1);
  });

  it('renders the messages that are sent next in the same call, each once, and more of them once it knows that they are small', async () => {
    await publishSome(120);
    const bodyOf = open();
    const deliveries = some(120);
    for (const [n, each] of deliveries.entries()) {
      expect(await bodyOf(each, () => deliveries.slice(n))).to.equal(expectedBody(each));
    }
    expect(calls.map(({ length }) => length)).to.deep.equal([16, 64, 40]);
    expect(calls.flat()).to.deep.equal(deliveries.map(({ event_id }) => event_id));
  });

  it('renders a message anew once the contents of its result were forgotten', async () => {
    const about = {
      kind: 'result',
      result_id: 'result_1',
      run_id: null,
      project_id: 'project_1',
      counts: null,
    };
    await publish(stores.writer, [{ ...messageOf(1), about } as ReturnType<typeof messageOf>]);
    const bodyOf = open();
    await bodyOf(deliveryOf(1));
    isDeleted = true;
    await bodyOf(deliveryOf(1));
    expect(calls).to.have.length(2);
  });

  it('renders 16 together where they are large', async () => {
    await publishSome(40);
    const large = 'x'.repeat(20_000);
    const bodyOf = openBodies({
      marked,
      origin: null,
      views: stores.reader,
      render: async (messages) => {
        calls.push(messages.map(({ event_id }) => event_id));
        return messages.map((message) => ({ ...message, body: large }));
      },
    });
    const deliveries = some(40);
    for (const [n, each] of deliveries.entries()) await bodyOf(each, () => deliveries.slice(n));
    expect(calls.map(({ length }) => length)).to.deep.equal([16, 16, 8]);
  });

  it('keeps only as many bodies as fit, and renders the same bytes again', async () => {
    await publishSome(50);
    const bodyOf = open(1_000);
    const first = await Promise.all(some(50).map((each) => bodyOf(each)));
    const again = await Promise.all(some(50).map((each) => bodyOf(each)));
    expect(again).to.deep.equal(first);
    expect(calls.length).to.be.greaterThan(90);
  });

  it('waits for a message that the outbox does not have yet, and knows one that is lost', async () => {
    await publishSome(2);
    const bodyOf = open();
    const behind = await bodyOf(deliveryOf(9)).catch((error: unknown) => error);
    expect(isAppError(behind, 'views_unavailable'), String(behind)).to.equal(true);
    const { event_id } = messageOf(9);
    const lost: Delivery = { ...deliveryOf(1), event_id };
    expect(await bodyOf(lost)).to.equal(null);
    expect(await bodyOf(deliveryOf(2), () => [lost, deliveryOf(9)])).to.equal(expectedBody(messageOf(2)));
  });

  it('fails only the message that cannot be rendered, not those that are rendered with it', async () => {
    await publishSome(3);
    broken.add(messageOf(2).event_id);
    const bodyOf = open();
    const deliveries = some(3);
    const [one, two, three] = await Promise.allSettled(
      deliveries.map((each) => bodyOf(each, () => deliveries)),
    );
    expect(one).to.deep.equal({ status: 'fulfilled', value: expectedBody(messageOf(1)) });
    expect(two!.status).to.equal('rejected');
    expect(three).to.deep.equal({ status: 'fulfilled', value: expectedBody(messageOf(3)) });
  });
});
