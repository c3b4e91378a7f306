import { expect } from 'chai';
import { givenProject, givenSubmission, givenTeam, givenWebhook } from '../../given.js';
import { ownServer } from '../../../kit/server.js';
import { until } from '../../../kit/process.js';
import { failing, givenEndpoint } from '../chat-endpoint.js';

type Sent = { id: string; type: string; data: any };

describe('surface B: what a webhook gets one message of', function () {
  this.timeout(120_000);
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  const team = givenTeam(server, 'each test');
  const endpoint = givenEndpoint();
  const sentTo = (path: string): Sent[] =>
    endpoint
      .at(path)
      .map(({ body, headers }) => ({ id: headers['webhook-id'] as string, ...JSON.parse(body) }));

  /** Its messages come to a path of its own. */
  async function hook(path: string, fields: object): Promise<() => Sent[]> {
    await givenWebhook(team.owner, { url: endpoint.url(path), events: ['test.failed'], ...fields });
    return () => sentTo(path);
  }

  // The first one: once a webhook asks for groups, their messages are stored.
  it('is the group also for runs from before the webhook, by preview and recover', async () => {
    const project = await givenProject(team.owner);
    const items = [failing(1, 0), failing(2, 0), failing(3, 1)];
    const { run } = await givenSubmission(team.owner, project, items);
    const url = endpoint.url('recovered');
    const { id } = await givenWebhook(team.owner, { url, events: ['test.failed'], per: 'group' });
    const recover = () =>
      team.owner.post(`/v1/webhooks/${id}/recover`, {
        since: new Date(Date.now() - 3_600_000).toISOString(),
      });
    let answer = await recover();
    await until('the messages in the outbox', async () => {
      if (answer.status !== 202) answer = await recover();
      return answer.status === 202;
    });
    expect(answer.body.data.count).to.equal(2);
    const previewed = await team.owner.post('/v1/webhooks/preview', {
      url,
      events: ['test.failed'],
      per: 'group',
    });
    expect(previewed.status).to.equal(200);
    expect(previewed.body.data.messages).to.equal(2);
    const messages = () => sentTo('recovered');
    await until('both messages', async () => messages().length === 2);
    expect(messages().map(({ type, data }) => [type, data.tests, data.run.test_run_id])).to.have.deep.members(
      [
        ['group.failed', 2, run],
        ['group.failed', 1, run],
      ],
    );
    expect((await recover()).body.data.count).to.equal(0);
    // A resend of one that is not recorded yet would send nothing.
    const delivered = async () =>
      (await team.owner.get(`/v1/webhooks/${id}/deliveries?state=delivered`)).body;
    await until('both deliveries', async () => (await delivered()).data.length === 2);
    const body = await delivered();
    const resend = `/v1/webhooks/${id}/deliveries/${body.data[0].id}/resend`;
    expect((await team.owner.post(resend)).status).to.equal(202);
    await until('the message again', async () => messages().length === 3);
    const ids = messages().map((message) => message.id);
    expect(new Set(ids).size).to.equal(2);
    for (const each of ids) expect(each).to.match(/^message_/);
  });

  it('is the group or the run: 5,000 failures in 12 causes are 12 messages, or one', async () => {
    const project = await givenProject(team.owner);
    const groups = await hook('groups', { per: 'group' });
    const runs = await hook('runs', { per: 'run' });
    const items = Array.from({ length: 5_000 }, (_, n) => failing(n, n % 12));
    const { run } = await givenSubmission(team.owner, project, items, { metadata: { branch: 'main' } });
    await until('all messages', async () => groups().length >= 12 && runs().length >= 1);
    // Their deliveries are all that there will be: the messages of one run are made in one commit.
    expect(groups().map(({ type }) => type)).to.deep.equal(Array.from({ length: 12 }, () => 'group.failed'));
    expect(new Set(groups().map(({ id }) => id)).size).to.equal(12);
    for (const { id, data } of groups()) {
      expect(id).to.match(/^message_/);
      expect(data).to.include({ kind: 'message', new: true });
      expect(data.results).to.equal(data.tests).and.be.within(416, 417);
      expect(data.owners).to.deep.equal(['checkout']);
      expect(data.examples).to.have.length(5);
      expect(data.examples[0].error_message).to.include('is broken');
      expect(data.run.test_run_id).to.equal(run);
      expect(data.project.project_id).to.equal(project);
    }
    const [only, ...more] = runs();
    expect(more).to.deep.equal([]);
    expect(only!.type).to.equal('run.completed');
    expect(only!.data.failures).to.have.length(12);
    const results = only!.data.failures.map((group: { results: number }) => group.results);
    expect(results.reduce((all: number, one: number) => all + one, 0)).to.equal(5_000);
  });

  it('counts what the filter chooses, and tells of no green run to whoever asked for failures', async () => {
    const project = await givenProject(team.owner);
    const own = await hook('own', { per: 'group', filter: { owners: ['search'] } });
    const runs = await hook('own-runs', { per: 'run', filter: { owners: ['search'] } });
    const all = await hook('all', { per: 'group' });
    await givenSubmission(team.owner, project, [{ name: 'green' }]);
    await givenSubmission(team.owner, project, [failing(1, 0), failing(2, 0, 'search'), failing(3, 1)]);
    await until('all messages', async () => all().length === 2 && own().length === 1 && runs().length === 1);
    expect(own()[0]!.data).to.deep.include({ tests: 1, results: 1, owners: ['search'] });
    expect(runs()[0]!.data.failures).to.have.length(1);
    expect(runs()[0]!.data.failures[0]).to.deep.include({ tests: 1, results: 1, owners: ['search'] });
    const shared = all().find(({ data }) => data.group === own()[0]!.data.group)!;
    expect(shared.data).to.deep.include({ tests: 2, results: 2, owners: ['checkout', 'search'] });
    expect(own()[0]!.id).to.equal(shared.id);
  });

  it('is told of a later completion only by groups that are new since the last', async () => {
    const project = await givenProject(team.owner);
    const groups = await hook('later', { per: 'group' });
    const runs = await hook('later-runs', { per: 'run' });
    const call = (...items: object[]) =>
      team.owner.post('/v1/test-runs', { project_id: project, run_key: 'a', complete: true, results: items });
    expect((await call(failing(1, 0))).status).to.equal(201);
    await until('the first', async () => groups().length === 1 && runs().length === 1);
    expect((await call(failing(2, 0), failing(3, 1))).status).to.be.within(200, 201);
    await until('the second', async () => groups().length === 2 && runs().length === 2);
    expect(new Set(groups().map(({ data }) => data.group)).size).to.equal(2);
    expect(runs()[1]!.data.failures.map(({ group }: any) => group)).to.deep.equal([groups()[1]!.data.group]);
  });

  it('is still the test for results without a run, and by default', async () => {
    const project = await givenProject(team.owner);
    const groups = await hook('runless', { per: 'group' });
    const body = { project_id: project, test_name: 'alone', status: 'Failed' };
    await team.owner.post('/v1/test/result/', body);
    await until('the message', async () => groups().length === 1);
    expect(groups()[0]!.type).to.equal('test.failed');
    const { id, per } = await givenWebhook(team.owner);
    expect(per).to.equal('test');
    const path = `/v1/webhooks/${id}`;
    expect((await team.owner.patch(path, { per: 'run' })).body.data.per).to.equal('run');
    expect((await team.owner.get(path)).body.data.per).to.equal('run');
    expect((await team.owner.patch(path, { per: 'test' })).body.data.per).to.equal('test');
  });
});
