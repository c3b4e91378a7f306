import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { receiveWebhook, webhookHandler, type WebhookMessage } from '../../src/client/index.js';
import { eventually } from '../stores.js';
import { givenProject, givenResult } from '../http/given.js';
import { openLoopback, type Loopback } from '../kit/loopback.js';
import { ownServer } from '../kit/server.js';

const secret = `whsec_${Buffer.from('the secret of the tests').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
const body = JSON.stringify({
  type: 'webhook.ping',
  timestamp: '2026-11-21T12:00:00.000Z',
  data: { webhook_id: 'webhook_1' },
});

function signed(id: string, { with: by = secret, at = new Date(), content = body } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign(id, at, content),
  };
}

describe('a received webhook', () => {
  it('is its message with its id, from headers of any form', async () => {
    const headers = signed('event_1');
    const capital = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'Webhook'), value]),
    );
    for (const given of [headers, capital, new Headers(headers)]) {
      const { message, isRepeat } = await receiveWebhook({ secret, headers: given, body: Buffer.from(body) });
      expect(message).to.deep.equal({ id: 'event_1', ...JSON.parse(body) });
      expect(isRepeat).to.equal(false);
    }
  });

  it('is accepted under the old and the new secret of a rotation', async () => {
    const { message } = await receiveWebhook({ secret: [other, secret], headers: signed('event_1'), body });
    expect(message.type).to.equal('webhook.ping');
  });

  it('is refused with another signature, another body, an old time or no headers', async () => {
    const old = new Date(Date.now() - 3_600_000);
    const requests = [
      { headers: signed('event_1', { with: other }), body },
      { headers: signed('event_1'), body: `${body} ` },
      { headers: signed('event_1', { at: old }), body },
      { headers: {}, body },
    ];
    for (const request of requests) {
      const error = await receiveWebhook({ secret, ...request }).catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'bad_signature' });
    }
  });
});

describe('an endpoint for webhooks', () => {
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  let endpoint: Loopback;
  let url: string;
  let taken: WebhookMessage[];
  let errors: unknown[];
  let secrets: string[];
  let working: (message: WebhookMessage) => Promise<void>;
  beforeEach(async () => {
    taken = [];
    errors = [];
    secrets = [secret];
    working = async () => {};
    const known = new Set<string>();
    const handler = webhookHandler({
      secret: secrets,
      seen: known,
      async onMessage(message) {
        taken.push(message);
        await working(message);
      },
      onError: (error) => void errors.push(error),
    });
    endpoint = await openLoopback(handler);
    url = `${endpoint.url}/`;
  });
  afterEach(() => endpoint.close());
  const post = async (headers: Record<string, string>, content = body) => {
    const response = await fetch(url, { method: 'POST', headers, body: content });
    await response.arrayBuffer();
    return response.status;
  };

  it('takes the messages of a real server', async () => {
    const team = await server.newTeam();
    const { body: made } = await team.owner.post('/v1/webhooks', { url, events: ['test.failed'] });
    secrets.push(made.data.secret);
    await givenResult(team.owner, await givenProject(team.owner), { status: 'Failed' });
    await eventually('the message', () => taken.length > 0);
    const [message] = taken;
    if (message?.type !== 'test.failed') expect.fail('another message');
    expect(message.data.result?.test_name).to.equal('A test');
    expect(message.data.known).to.equal(false);
    const { body: events } = await team.owner.get('/v1/events?types=ResultCreated');
    expect(message.id).to.equal(events.data[0].id);
  });

  it('processes a message once that comes twice, at the same time or later', async () => {
    const both = await Promise.all([post(signed('event_1')), post(signed('event_1'))]);
    expect([...both, await post(signed('event_1'))]).to.deep.equal([204, 204, 204]);
    expect(taken.map(({ id }) => id)).to.deep.equal(['event_1']);
  });

  it('gets a message again that it failed to process, and reports the fault', async () => {
    const fault = new Error('the database is away');
    working = () => Promise.reject(fault);
    expect(await post(signed('event_1'))).to.equal(500);
    expect(errors).to.deep.equal([fault]);
    working = async () => {};
    expect(await post(signed('event_1'))).to.equal(204);
    expect(taken).to.have.length(2);
  });

  it('refuses a wrong signature with 401 and a body without bound with 413', async () => {
    expect(await post(signed('event_1', { with: other }))).to.equal(401);
    const long = JSON.stringify('x'.repeat(1024 * 1024));
    expect(await post(signed('event_1', { content: long }), long)).to.equal(413);
    expect(taken).to.deep.equal([]);
  });
});
