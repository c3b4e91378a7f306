import { expect } from 'chai';
import { messageTypes } from '../../../src/domain/messages/message-types.js';
import { loadEventSchemas } from '../../../src/replay/event-schemas.js';
import { asyncApi, checkWebhookBody } from '../conformity.js';
import { testServer } from '../../kit/server.js';

describe('the AsyncAPI document', () => {
  const server = testServer();

  it('is answered without a key, as docs/asyncapi.json has it', async () => {
    const { status, body } = await server.as(null).get('/asyncapi.json');
    expect(status).to.equal(200);
    expect(body).to.deep.equal(asyncApi);
  });

  it('has every type of message to webhooks and every type of event, and no other', () => {
    const types = Object.values(asyncApi.components.messages).map(({ name }) => name);
    const events = new Set(loadEventSchemas().index.map(({ type }) => type));
    expect(types).to.have.members([...Object.keys(messageTypes), ...events]);
  });

  it('refuses a message with a field that it does not have', () => {
    const message = { type: 'webhook.ping', timestamp: '2026-11-21T01:02:03.456Z' };
    checkWebhookBody({ ...message, data: { webhook_id: 'webhook_1' } });
    expect(() => checkWebhookBody({ ...message, data: { webhook_id: 'webhook_1', more: 1 } })).to.throw(
      'additional properties',
    );
  });
});

describe('the page of the API', () => {
  const server = testServer();

  it('loads its viewer from this server alone, and may run nothing else', async () => {
    const page = await server.as(null).get('/docs');
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'; script-src 'self'");
    expect(page.text).not.to.match(/https?:/);
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(loaded).to.include.members([
      '/docs/viewer.js',
      '/docs/viewer.css',
      '/docs/start.js',
      '/openapi.json',
    ]);
    for (const path of loaded) {
      const { status, text } = await server.as(null).get(path);
      expect(status, path).to.equal(200);
      expect(text.length, path).to.be.above(100);
    }
  });

  it('is compressed for clients that take gzip, and whole for others', async () => {
    const encodingFor = async (accepted: string) => {
      const { status, headers, text } = await server
        .as(null)
        .get('/openapi.json', { 'Accept-Encoding': accepted });
      expect([status, (JSON.parse(text) as { openapi: string }).openapi]).to.deep.equal([200, '3.1.1']);
      return headers.get('content-encoding');
    };
    expect([await encodingFor('gzip'), await encodingFor('identity')]).to.deep.equal(['gzip', null]);
  });
});
