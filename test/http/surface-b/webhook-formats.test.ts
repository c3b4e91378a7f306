import { expect } from 'chai';
import { givenProject, givenSubmission, givenTeam, givenWebhook } from '../given.js';
import { expectError } from '../refusals.js';
import { ownServer } from '../../kit/server.js';
import { until } from '../../kit/process.js';
import { chats, failing, faultsFor, givenEndpoint } from './chat-endpoint.js';

const PUBLIC_URL = 'https://tests.example.org';

describe('surface B: the format of a webhook', function () {
  this.timeout(120_000);
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8', PUBLIC_URL });
  const team = givenTeam(server, 'each test');
  const endpoint = givenEndpoint();

  it('is that of the chat, unsigned and with links, the same bytes in a resend, and is spoken by a ping', async () => {
    const project = await givenProject(team.owner);
    for (const format of chats) {
      const path = `${format}-again`;
      const { id } = await givenWebhook(team.owner, {
        url: endpoint.url(path),
        events: ['test.failed', 'run.completed'],
        format,
      });
      const { run } = await givenSubmission(team.owner, project, [failing(1, 0)]);
      // A resend of one that is not recorded yet would send nothing.
      const recorded = async () =>
        (await team.owner.get(`/v1/webhooks/${id}/deliveries?state=delivered`)).body.data;
      await until('the messages', async () => (await recorded()).length === 2);
      for (const each of await recorded())
        await team.owner.post(`/v1/webhooks/${id}/deliveries/${each.id}/resend`, {});
      await until('them again', async () => endpoint.at(path).length === 4);
      for (const { body, headers } of endpoint.at(path)) {
        expect(faultsFor[format](JSON.parse(body))).to.deep.equal([]);
        expect(body).to.include(`${PUBLIC_URL}/runs/${run}`);
        expect(headers['content-type']).to.equal('application/json');
        expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).to.deep.equal([]);
      }
      const bodies = endpoint.at(path).map((each) => each.body);
      expect(bodies.join('')).to.include(`${PUBLIC_URL}/groups/${project}/group_`);
      expect(bodies.slice(2).toSorted()).to.deep.equal(bodies.slice(0, 2).toSorted());
      await team.owner.post(`/v1/webhooks/${id}/ping`, {});
      await until('the ping', async () => endpoint.at(path).length === 5);
      const ping = endpoint.at(path)[4]!.body;
      expect(faultsFor[format](JSON.parse(ping))).to.deep.equal([]);
      expect(ping).to.include('this webhook works').and.include(`/team/webhooks/${id}`);
    }
  });

  it('is shown, changed by a PATCH, and chooses one message a group where a new webhook does not say', async () => {
    const slack = await givenWebhook(team.owner, { format: 'slack' });
    expect(slack).to.include({ format: 'slack', per: 'group' });
    expect(await givenWebhook(team.owner, { format: 'teams', per: 'test' })).to.include({
      format: 'teams',
      per: 'test',
    });
    const { id, format, per } = await givenWebhook(team.owner);
    expect({ format, per }).to.deep.equal({ format: 'standard', per: 'test' });
    const path = `/v1/webhooks/${id}`;
    expect((await team.owner.patch(path, { format: 'teams' })).body.data).to.include({
      format: 'teams',
      per: 'test',
    });
    expect((await team.owner.get(path)).body.data.format).to.equal('teams');
    expect((await team.owner.patch(path, { format: 'standard' })).body.data.format).to.equal('standard');
  });

  it('must be that of the chat at the hosts of chats, also after a change of the URL', async () => {
    const hosts = [
      ['https://hooks.slack.com/services/T0/B0/x', 'slack', 'teams'],
      ['https://hooks.slack-gov.com/services/T0/B0/x', 'slack', undefined],
      ['https://HOOKS.SLACK.COM./services/T0/B0/x', 'slack', 'standard'],
      ['https://shop.webhook.office.com/webhookb2/x', 'teams', 'slack'],
    ] as const;
    for (const [url, right, wrong] of hosts) {
      const body = { url, events: ['*'], ...(wrong && { format: wrong }) };
      for (const path of ['/v1/webhooks', '/v1/webhooks/preview']) {
        const answer = await team.owner.post(path, body);
        expectError(answer, 400, 'invalid_request', 'validation_failed');
        const [error] = answer.body.error.details.errors;
        expect(error).to.deep.include({ pointer: '/format', code: 'chat_host' });
        expect(error.detail).to.include(`must be ${right}`);
      }
      expect((await team.owner.post('/v1/webhooks', { ...body, format: right })).status).to.equal(201);
    }
    const { id } = await givenWebhook(team.owner);
    const moved = await team.owner.patch(`/v1/webhooks/${id}`, { url: hosts[0][0] });
    expectError(moved, 400, 'invalid_request', 'validation_failed');
    const both = await team.owner.patch(`/v1/webhooks/${id}`, { url: hosts[0][0], format: 'slack' });
    expect(both.body.data.format).to.equal('slack');
    const back = await team.owner.patch(`/v1/webhooks/${id}`, { format: 'standard' });
    expectError(back, 400, 'invalid_request', 'validation_failed');
    for (const host of ['prod-1.westeurope.logic.azure.com', 'x.environment.api.powerplatform.com'])
      expect((await givenWebhook(team.owner, { url: `https://${host}/workflows/1` })).format).to.equal(
        'standard',
      );
  });
});

describe('surface B: the format of a webhook, on a server that does not know its address', () => {
  const server = ownServer();
  const team = givenTeam(server, 'each test');

  it('is none of a chat, and a 400 says that it needs PUBLIC_URL', async () => {
    const { id } = await givenWebhook(team.owner);
    const body = { url: 'https://hooks.slack.com/services/T0/B0/x', events: ['*'], format: 'slack' };
    for (const answer of [
      await team.owner.post('/v1/webhooks', body),
      await team.owner.post('/v1/webhooks/preview', body),
      await team.owner.patch(`/v1/webhooks/${id}`, { format: 'teams' }),
    ]) {
      expectError(answer, 400, 'invalid_request', 'validation_failed');
      const [error] = answer.body.error.details.errors;
      expect(error).to.deep.include({ pointer: '/format', code: 'needs_public_url' });
      expect(error.detail).to.include('PUBLIC_URL');
    }
  });
});
