import { expect } from 'chai';
import type { Deliveries } from '../../../src/ports/deliveries.js';
import { resend } from '../../../src/webhooks/delivery/resend.js';
import { newDelivery, type DeliveryAttempt, type Delivery } from '../../../src/domain/messages/delivery.js';
import { refusal } from '../../contract/event-log/events.js';
import { idOf } from '../../domain/ids.js';
import { memoryDeliveries } from '../deliveries.memory.js';
import { embeddedStores, NOW } from '../../stores.js';
import { HOOK, messageOf, publish } from '../stored-messages.js';

const webhook = HOOK;
const LATER = '2026-11-22T12:00:00.000Z';
const message = messageOf(1);
const failure: DeliveryAttempt = {
  at: NOW,
  status: 500,
  duration_ms: 3,
  error: 'it said 500',
  response: 'no',
};

describe('the resend of a delivery', () => {
  const stores = embeddedStores('each test', { log: false });
  let deliveries: Deliveries;
  beforeEach(async () => {
    deliveries = memoryDeliveries();
    await publish(stores.writer, [message, messageOf(2)]);
  });
  const given = async (more: Partial<Delivery>, of = message) => {
    const delivery = { ...newDelivery(of, webhook, NOW), ...more };
    await deliveries.add([delivery]);
    return delivery;
  };
  const again = (id: string, of = webhook, after: string | null = null) =>
    resend({ deliveries, views: stores.reader }, { webhook: of, delivery: id, after, now: LATER });
  const kept = async ({ id }: Delivery) => (await deliveries.get(id))?.delivery;

  for (const state of ['delivered', 'exhausted', 'cancelled'] as const) {
    it(`makes ${state === 'exhausted' ? 'an' : 'a'} ${state} one due at once, and keeps its attempts`, async () => {
      const ended = await given({ state, attempts: [failure], tries: 9, next_attempt_at: null });
      const sent = await again(ended.id);
      const wanted = {
        ...ended,
        asked: true,
        created_at: LATER,
        state: 'pending',
        tries: 0,
        next_attempt_at: LATER,
      };
      expect(sent).to.deep.equal(wanted);
      expect(await kept(ended)).to.deep.equal(wanted);
      const due = await deliveries.claimable(webhook, LATER, 10);
      expect(due.map(({ delivery }) => delivery)).to.deep.equal([wanted]);
    });
  }

  it('ends the wait for the next attempt, and changes nothing else', async () => {
    const waiting = await given({
      attempts: [failure],
      tries: 3,
      next_attempt_at: '2026-11-23T00:00:00.000Z',
    });
    expect(await again(waiting.id)).to.deep.equal({ ...waiting, asked: true, next_attempt_at: LATER });
    expect(await kept(waiting)).to.deep.equal({ ...waiting, asked: true, next_attempt_at: LATER });
  });

  it('only marks a delivery as manual that is due or blocked', async () => {
    const due = await given({});
    const behind = await given({ subject: due.subject, next_attempt_at: null }, messageOf(2));
    for (const delivery of [due, behind]) {
      const asked = { ...delivery, asked: true };
      expect(await again(delivery.id)).to.deep.equal(asked);
      const held = await deliveries.get(delivery.id);
      expect(held?.delivery).to.deep.equal(asked);
      expect(await again(delivery.id)).to.deep.equal(asked);
      expect(await deliveries.get(delivery.id)).to.deep.equal(held);
    }
  });

  it('reads the delivery again if the dispatcher has just changed it', async () => {
    const ended = await given({ state: 'exhausted', next_attempt_at: null });
    const put = deliveries.put.bind(deliveries);
    let raced = 0;
    deliveries.put = async (delivery, version, now) => {
      if ((raced += 1) === 1) await put({ ...ended, attempts: [failure] }, version, now);
      return put(delivery, version, now);
    };
    expect((await again(ended.id)).attempts).to.deep.equal([failure]);
    expect(raced).to.equal(2);
  });

  it('is refused if the webhook has no such delivery', async () => {
    const ended = await given({ state: 'exhausted', next_attempt_at: null });
    await refusal(again(ended.id, idOf('webhook', 2)), 'not_found');
    await refusal(again(idOf('delivery', 7)), 'not_found');
    await refusal(again('nonsense'), 'not_found');
    expect(await kept(ended)).to.deep.equal(ended);
  });

  it('is 503 and changes nothing while the message cannot be read', async () => {
    const ended = await given({ state: 'exhausted', next_attempt_at: null }, messageOf(9));
    await refusal(again(ended.id), 'views_unavailable');
    expect(await kept(ended)).to.deep.equal(ended);
  });

  it('is 404 and changes nothing if the outbox no longer has the message', async () => {
    const message = messageOf(2, { event_id: messageOf(9).event_id });
    const ended = await given({ state: 'exhausted', next_attempt_at: null }, message);
    await refusal(again(ended.id), 'not_found');
    expect(await kept(ended)).to.deep.equal(ended);
  });
});
