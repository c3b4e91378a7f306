import { expect } from 'chai';
import { givenProject, givenSubmission, givenTeam, givenWebhook } from '../given.js';
import { expectError } from '../refusals.js';
import { ownServer } from '../../kit/server.js';
import { until } from '../../kit/process.js';
import { faultsForSlack } from '../../domain/messages/chat/slack-schema.js';
import { givenEndpoint } from './chat-endpoint.js';

describe('surface B: the preview of a webhook', function () {
  this.timeout(120_000);
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8', PUBLIC_URL: 'https://tests.example.org' });
  const team = givenTeam(server, 'each test');
  const endpoint = givenEndpoint();

  const failing = (n: number, owner = 'checkout') => ({
    name: `test ${n}`,
    status: 'failed',
    error_message: `${'abcd'.charAt(n % 4).repeat(4)} is broken`,
    metadata: { owner },
  });
  const url = 'https://example.org/hook';
  /** One that a busy machine does not end in time is refused or says so, and is asked for again. */
  const preview = async (fields: object) => {
    let data: any = null;
    await until('a preview that ends in time', async () => {
      const answer = await team.owner.post('/v1/webhooks/preview', { url, events: ['*'], ...fields });
      expect(answer.status, answer.text).to.be.oneOf([200, 503]);
      data = answer.body.data ?? null;
      return data?.complete === true;
    });
    return data;
  };

  it('says how many messages there would have been, for each filter and each `per`, before there is a webhook', async () => {
    const project = await givenProject(team.owner);
    const items = Array.from({ length: 40 }, (_, n) => failing(n, n === 0 ? 'search' : 'checkout'));
    await givenSubmission(team.owner, project, items, { metadata: { branch: 'main' } });
    const events = ['test.failed'];
    await until('the run to be read', async () => (await preview({ events })).messages === 40);
    const counts = {
      test: (await preview({ events })).messages,
      group: (await preview({ events, per: 'group' })).messages,
      run: (await preview({ events, per: 'run' })).messages,
      search: (await preview({ events, filter: { owners: ['search'] } })).messages,
      other: (await preview({ events, filter: { branches: ['topic'] } })).messages,
      slack: (await preview({ events, format: 'slack' })).messages,
      project: (await preview({ events, project_ids: [await givenProject(team.owner)] })).messages,
    };
    expect(counts).to.deep.equal({ test: 40, group: 4, run: 1, search: 1, other: 0, slack: 4, project: 0 });
    expect(await preview({})).to.include({ complete: true });
    expect((await team.owner.get('/v1/webhooks')).body.data).to.deep.equal([]);
  });

  it('shows the newest three bodies as they would be sent', async () => {
    const project = await givenProject(team.owner);
    for (const format of ['standard', 'slack']) {
      const fields = { events: ['test.failed'], format, per: 'group' };
      const path = `preview-${format}`;
      await givenWebhook(team.owner, { ...fields, url: endpoint.url(path) });
      await givenSubmission(
        team.owner,
        project,
        [0, 1, 2, 3].map((n) => failing(n)),
      );
      await until('the messages', async () => endpoint.at(path).length === 4);
      const { examples } = await preview(fields);
      expect(examples).to.have.length(3);
      const sent = endpoint.at(path).map(({ body }) => JSON.parse(body));
      for (const each of examples) expect(sent).to.deep.include(each);
      if (format === 'slack') for (const each of examples) expect(faultsForSlack(each)).to.deep.equal([]);
    }
  });

  it('is of the projects of its key alone, and only for keys that may make webhooks', async () => {
    const [own, other] = [await givenProject(team.owner), await givenProject(team.owner)];
    for (const project of [own, other]) await givenSubmission(team.owner, project, [failing(1)]);
    const keyOf = async (role: string, fields: object = {}) => {
      const { body } = await team.owner.post('/v1/keys', { name: role, role, ...fields });
      return server.as(body.data.key);
    };
    const narrow = await keyOf('admin', { project_ids: [own] });
    const body = { url, events: ['test.failed'] };
    const events = ['test.failed'];
    await until('the runs to be read', async () => (await preview({ events })).messages === 2);
    expect((await narrow.post('/v1/webhooks/preview', body)).body.data.messages).to.equal(1);
    expectError(
      await narrow.post('/v1/webhooks/preview', { ...body, project_ids: [other] }),
      404,
      'not_found',
    );
    const member = await keyOf('member');
    expect((await member.post('/v1/webhooks/preview', body)).status).to.equal(403);
  });

  it('refuses what a new webhook may not have', async () => {
    const answer = await team.owner.post('/v1/webhooks/preview', { url: 'http://10.0.0.1/', events: ['*'] });
    expect(answer.status).to.equal(400);
    expect((await team.owner.post('/v1/webhooks/preview', { url, events: [] })).status).to.equal(400);
  });
});
