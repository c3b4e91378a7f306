import { expect } from 'chai';
import { givenProject, givenSubmission, givenTeam, givenWebhook } from '../given.js';
import { ownServer } from '../../kit/server.js';
import { until } from '../../kit/process.js';
import { chats, failing, faultsFor, givenEndpoint } from './chat-endpoint.js';

const PUBLIC_URL = 'https://tests.example.org';

describe('surface B: the format of a webhook with many failures', function () {
  this.timeout(120_000);
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8', PUBLIC_URL });
  const team = givenTeam(server, 'each test');
  const endpoint = givenEndpoint();

  it('is that of the chat: 5,000 failures in 12 causes are 12 messages or one, each valid, with links, of at most 3,000 characters', async () => {
    const project = await givenProject(team.owner);
    for (const format of chats) {
      await givenWebhook(team.owner, {
        url: endpoint.url(`${format}-group`),
        events: ['test.failed'],
        format,
      });
      await givenWebhook(team.owner, {
        url: endpoint.url(`${format}-run`),
        events: ['run.completed'],
        format,
        per: 'run',
      });
    }
    const items = Array.from({ length: 5_000 }, (_, n) => failing(n, n % 12));
    const { run } = await givenSubmission(team.owner, project, items, { metadata: { branch: 'main' } });
    await until('all messages', async () =>
      chats.every(
        (format) => endpoint.at(`${format}-group`).length >= 12 && endpoint.at(`${format}-run`).length >= 1,
      ),
    );
    for (const format of chats) {
      const [groups, runs] = [endpoint.at(`${format}-group`), endpoint.at(`${format}-run`)];
      expect([groups.length, runs.length], format).to.deep.equal([12, 1]);
      for (const { body, headers } of [...groups, ...runs]) {
        expect(faultsFor[format](JSON.parse(body))).to.deep.equal([]);
        expect(body.length).to.be.at.most(3_000);
        expect(body).to.include(`${PUBLIC_URL}/runs/${run}`);
        expect(body).to.include(`${PUBLIC_URL}/groups/${project}/group_`);
        expect(headers['content-type']).to.equal('application/json');
        expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).to.deep.equal([]);
      }
      expect(groups.every(({ body }) => /41[67] tests failed of a new cause: /.test(body))).to.equal(true);
      expect(runs[0]!.body).to.include('Run completed: 5,000 failed');
    }
  });
});
