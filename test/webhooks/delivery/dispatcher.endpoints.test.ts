import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { openSqliteDeliveries } from '../../../src/adapters/sqlite/deliveries/deliveries.js';
import { systemClock } from '../../../src/clock.js';
import { openLedger } from '../../../src/commands/ledger.js';
import type { Deliveries } from '../../../src/ports/deliveries.js';
import { streamName } from '../../../src/domain/event.js';
import { outboxPosition } from '../../../src/domain/messages/message.js';
import { webhook as decider } from '../../../src/domain/messages/webhook.js';
import { runDispatcher } from '../../../src/webhooks/delivery/dispatcher.js';
import { openPost } from '../../../src/webhooks/delivery/post.js';
import { delivery } from '../../contract/deliveries/subject.js';
import { contextOf, embeddedStores, eventually } from '../../stores.js';
import { openEndpoint, type Endpoint } from './endpoint.js';

const secrets = [randomBytes(32), randomBytes(32)].map((bytes) => `whsec_${bytes.toString('base64')}`);

describe('the dispatcher and real endpoints', function () {
  const stores = embeddedStores('each suite');
  let folder: string;
  let deliveries: Deliveries;
  let endpoints: Endpoint[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-dispatcher-'));
    deliveries = openSqliteDeliveries(folder);
    endpoints = [];
    const abort = new AbortController();
    const { post, close } = openPost({ allow: ['127.0.0.0/8'] });
    // Declared here, so that it ends even if a test fails.
    start = () => {
      const dispatcher = runDispatcher({
        deliveries,
        state: stores.state,
        ledger: openLedger(stores.log),
        secrets: async () => secrets,
        post,
        bodyOf: async ({ event_id }) => JSON.stringify({ n: Number(event_id.slice('event_'.length)) }),
        holder: { boot: 'one', alone: true },
        clock: systemClock,
        signal: abort.signal,
        historyMs: 30 * 86_400_000,
        report: (error) => expect.fail(String(error)),
        metrics: { attempt: () => undefined, disabled: () => undefined },
      });
      stores.beforeClose(async () => {
        abort.abort();
        await dispatcher.done;
        close();
        await deliveries.close();
      });
      return dispatcher;
    };
  });
  afterEach(async () => {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    await rm(folder, { recursive: true });
  });
  let start: () => ReturnType<typeof runDispatcher>;

  const open = async (...args: Parameters<typeof openEndpoint>): Promise<Endpoint> => {
    const endpoint = await openEndpoint(...args);
    endpoints.push(endpoint);
    return endpoint;
  };
  const register = async (name: string, url: string): Promise<void> => {
    const create = { type: 'CreateWebhook', webhook_id: name, url, events: ['*'] } as const;
    await openLedger(stores.log).execute(
      decider,
      streamName('webhook', 'team_1', name),
      contextOf('team_1'),
      create,
    );
  };
  const add = (webhook: string, subject: string, n: number) => {
    const now = new Date().toISOString();
    // After every position of the log.
    const place = outboxPosition(`9${String(n).padStart(19, '0')}`, 0);
    return deliveries.add([delivery(webhook, subject, n, { created_at: now, next_attempt_at: now, place })]);
  };

  it('delivers messages that a receiver verifies with the package of the standard and either secret', async () => {
    const endpoint = await open();
    await register('hook', endpoint.url);
    for (let n = 0; n < 20; n += 1) await add('hook', `subject ${n % 3}`, n);
    start();
    await eventually('all are delivered', async () => (await deliveries.pending()) === 0);
    expect(endpoint.taken).to.have.length(20);
    for (const { body, headers } of endpoint.taken) {
      for (const secret of secrets) {
        const payload = new Webhook(secret).verify(body, headers as Record<string, string>);
        expect(headers['webhook-id']).to.equal(`event_${(payload as { n: number }).n}`);
      }
    }
    expect(endpoint.connections()).to.be.at.most(3);
  });

  it('reaches nine endpoints within a second while a tenth hangs', async () => {
    const hanging = await open(() => undefined);
    await register('hook0', hanging.url);
    const others = await Promise.all(Array.from({ length: 9 }, () => open()));
    for (const [n, { url }] of others.entries()) await register(`hook${n + 1}`, url);
    const dispatcher = start();
    const addedAt = new Map<string, number>();
    const ROUNDS = 60;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let hook = 0; hook < 10; hook += 1) {
        addedAt.set(`${hook}/${round}`, performance.now());
        await add(`hook${hook}`, `subject ${round % 20}`, round);
      }
      // Half of them are found only by polling, as in another process.
      if (round % 2 === 0) dispatcher.wake(Array.from({ length: 10 }, (_, hook) => `hook${hook}`));
    }
    await eventually('the others have all', () => others.every(({ taken }) => taken.length === ROUNDS));
    const latencies = others
      .flatMap(({ taken }, n) =>
        taken.map(({ body, at }) => at - addedAt.get(`${n + 1}/${(JSON.parse(body) as { n: number }).n}`)!),
      )
      .toSorted((a, b) => a - b);
    expect(latencies).to.have.length(9 * ROUNDS);
    expect(latencies[Math.floor(latencies.length * 0.99)]).to.be.lessThan(1_000);
    expect(hanging.taken, 'at once to the one that hangs').to.have.length(8);
  });
});
