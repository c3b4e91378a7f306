/**
 * Deliveries on MongoDB: a dispatcher with an endpoint that answers at once, beside a bare client that writes each
 * document alone.
 */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { openMongoDeliveries } from '../../src/adapters/mongodb/deliveries/deliveries.js';
import { openMongoState } from '../../src/adapters/mongodb/state.js';
import { instant, systemClock } from '../../src/clock.js';
import { newIds } from '../../src/commands/ids.js';
import { newDelivery } from '../../src/domain/messages/delivery.js';
import { parseStreamName } from '../../src/domain/event.js';
import { outboxPosition } from '../../src/domain/messages/message.js';
import type { Webhook } from '../../src/domain/messages/webhook.js';
import { runDispatcher, type DispatcherOptions } from '../../src/webhooks/delivery/dispatcher.js';
import { answerRequests } from '../processes/child.js';
import { within } from '../processes/server.js';

/** `url`: with the database. */
export type DeliveriesRequest = { url: string; webhooks: number; each: number };
/** Deliveries a second. */
export type DeliveryRates = { ours: number; bare: number };

const ANSWER = { status: 204, duration_ms: 0, error: null, response: null, retryAfterMs: null };
const BARE_AT_ONCE = 64;

answerRequests(async ({ url, webhooks, each }: DeliveriesRequest): Promise<DeliveryRates> => {
  const count = webhooks * each;
  const ours = await dispatched(url, webhooks, each);
  return { ours: count / ours, bare: count / (await written(url, count)) };
});

/** Seconds until all are delivered. */
async function dispatched(url: string, webhooks: number, each: number): Promise<number> {
  const deliveries = openMongoDeliveries({ url });
  const state = openMongoState({ url });
  const now = instant(systemClock);
  for (let hook = 0; hook < webhooks; hook += 1) {
    const [webhook, team_id] = [newIds.created('webhook'), newIds.created('team')];
    const added = Array.from({ length: each }, (_, n) => {
      const place = outboxPosition(`9${String(n).padStart(19, '0')}`, 0);
      const event_id = newIds.created('event');
      const message = { place, event_id, team_id, subject: `test_${n}`, at: now, targets: [webhook] };
      return newDelivery({ ...message, type: 'test.failed' }, webhook, now);
    });
    await deliveries.add(added);
  }
  const stop = new AbortController();
  const began = performance.now();
  const { done } = runDispatcher({
    deliveries,
    state,
    commands: anyWebhook,
    secrets: async () => [`whsec_${Buffer.alloc(32).toString('base64')}`],
    urlOf: async () => 'http://bench.test/',
    bodyOf: async () => '{}',
    messagesOf: async () => [],
    post: async ({ at }) => ({ ...ANSWER, at: at.toISOString() }),
    holder: { boot: 'bench', alone: false },
    clock: systemClock,
    signal: stop.signal,
    historyMs: 86_400_000,
    report: (error) => console.error(error),
    metrics: { attempt: () => undefined, disabled: () => undefined },
  });
  const ended = await within(600_000, 'all deliveries', async () =>
    (await deliveries.pending()) === 0 ? performance.now() : null,
  );
  stop.abort();
  await done;
  await Promise.all([deliveries.close(), state.close()]);
  return (ended - began) / 1_000;
}

/** Every webhook is there and enabled. */
const anyWebhook: DispatcherOptions['commands'] = {
  load: async (_decider, stream) => {
    const { id: webhook_id } = parseStreamName(stream);
    const rest = { events: ['*'], enabled: true, disabled_reason: null, created_at: '', since: '' };
    const webhook = { life: 'present', webhook_id, ...rest } as unknown as Webhook;
    return webhook as never;
  },
  execute: () => Promise.reject(new Error('nothing is disabled here')),
};

/** Seconds for one update of each document. */
async function written(url: string, count: number): Promise<number> {
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  const all = client
    .db(`bare${randomUUID().slice(0, 8)}`)
    .collection<{ _id: number; state: string }>('deliveries');
  await all.insertMany(Array.from({ length: count }, (_, _id) => ({ _id, state: 'pending' })));
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: BARE_AT_ONCE }, async () => {
      while (next < count) await all.updateOne({ _id: next++ }, { $set: { state: 'delivered' } });
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  await client.close();
  return seconds;
}
