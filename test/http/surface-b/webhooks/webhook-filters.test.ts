import { expect } from 'chai';
import { givenProject, givenSubmission, givenTeam, givenWebhook, untilFollowed } from '../../given.js';
import { expectError } from '../../refusals.js';
import { ownServer } from '../../../kit/server.js';
import { until } from '../../../kit/process.js';

const everything = { branches: null, environments: null, owners: null, known: false, only_new: false };

describe('surface B: the filter of a webhook', () => {
  const server = ownServer();
  const team = givenTeam(server, 'each test');

  /** A run that is submitted whole, and its failing tests by name. */
  async function submit(project_id: string, branch: string, failing: Record<string, string>): Promise<void> {
    const items = Object.entries(failing).map(([name, owner]) => ({
      name,
      status: 'failed',
      error_message: `${owner} is broken`,
      metadata: { owner },
    }));
    const metadata = { branch, environment: { os: 'linux' } };
    await givenSubmission(team.owner, project_id, [...items, { name: 'passes' }], { metadata });
  }

  /** The types of the deliveries, in order, once the webhook without a filter has its own. */
  async function typesOf(id: string): Promise<string[]> {
    const { body } = await team.owner.get(`/v1/webhooks/${id}/deliveries?per_page=100`);
    return body.data.map(({ type }: { type: string }) => type).toReversed();
  }

  it('is shown with all its fields, replaced as a whole, and taken away by null', async () => {
    const { id, filter } = await givenWebhook(team.owner, { filter: { branches: ['main'] } });
    expect(filter).to.deep.equal({ ...everything, branches: ['main'] });
    const path = `/v1/webhooks/${id}`;
    const changed = await team.owner.patch(path, { filter: { owners: ['a'], only_new: true } });
    expect(changed.body.data.filter).to.deep.equal({ ...everything, owners: ['a'], only_new: true });
    expect((await team.owner.get(path)).body.data.filter).to.deep.equal(changed.body.data.filter);
    await team.owner.patch(path, { enabled: true });
    expect((await team.owner.get(path)).body.data.filter.owners).to.deep.equal(['a']);
    expect((await team.owner.patch(path, { filter: null })).body.data.filter).to.equal(null);
    expect((await givenWebhook(team.owner)).filter).to.equal(null);
  });

  it('may name the projects of the webhook, which are shown beside it and stay where a filter names none', async () => {
    const [one, other] = [await givenProject(team.owner), await givenProject(team.owner)];
    const { id, ...made } = await givenWebhook(team.owner, { filter: { project_ids: [one] } });
    expect(made).to.deep.include({ project_ids: [one], filter: everything });
    const patch = async (body: object) => (await team.owner.patch(`/v1/webhooks/${id}`, body)).body.data;
    expect(await patch({ filter: { project_ids: [other] } })).to.deep.include({ project_ids: [other] });
    expect(await patch({ filter: { only_new: true } })).to.deep.include({ project_ids: [other] });
    expect(await patch({ filter: { project_ids: null } })).to.deep.include({ project_ids: null });
    const twice = { project_ids: [one], filter: { project_ids: [other] } };
    const refused = await team.owner.patch(`/v1/webhooks/${id}`, twice);
    expectError(refused, 400, 'invalid_request', 'validation_failed');
    const unknown = { filter: { project_ids: ['project_01h455vb4pex5vsknk084sn02q'] } };
    expect((await team.owner.patch(`/v1/webhooks/${id}`, unknown)).status).to.equal(404);
  });

  it('is refused with the field that is wrong', async () => {
    const wrong = [{ branches: [] }, { owners: [''] }, { known: 'yes' }, { other: true }];
    for (const filter of wrong) {
      const body = { url: 'https://example.org/hook', events: ['*'], filter };
      const answer = await team.owner.post('/v1/webhooks', body);
      expectError(answer, 400, 'invalid_request', 'validation_failed');
      expect(answer.body.error.details.errors[0].pointer).to.match(/^\/filter/);
    }
  });

  it('makes no delivery of a message that it leaves out', async () => {
    const project = await givenProject(team.owner);
    const events = ['test.failed', 'run.completed'];
    const hook = async (filter?: object) => (await givenWebhook(team.owner, { events, filter })).id as string;
    const all = await hook();
    const hooks = {
      main: await hook({ branches: ['ma*'] }),
      mac: await hook({ environments: ['**os=mac**'] }),
      linux: await hook({ environments: ['os=linux'] }),
      search: await hook({ owners: ['search'] }),
      nobody: await hook({ owners: ['nobody'] }),
      fresh: await hook({ only_new: true }),
    };
    await submit(project, 'main', { pays: 'checkout', finds: 'search' });
    await submit(project, 'main', { pays: 'checkout', finds: 'search' });
    await submit(project, 'topic', { pays: 'checkout' });
    await until('all deliveries', async () => (await typesOf(all)).length === 8);
    const [failed, completed] = ['test.failed', 'run.completed'];
    expect(
      Object.fromEntries(
        await Promise.all(Object.entries(hooks).map(async ([name, id]) => [name, await typesOf(id)])),
      ),
    ).to.deep.equal({
      main: [failed, failed, completed, failed, failed, completed],
      mac: [],
      linux: [failed, failed, completed, failed, failed, completed, failed, completed],
      search: [failed, completed, failed, completed],
      nobody: [],
      fresh: [failed, failed, completed, failed],
    });
  });

  it('holds for messages that a recovery sends too', async () => {
    const project = await givenProject(team.owner);
    await submit(project, 'main', { pays: 'checkout', finds: 'search' });
    const since = '2020-01-01T00:00:00Z';
    const filter = { owners: ['search'] };
    const { id } = await givenWebhook(team.owner, { events: ['test.failed', 'run.completed'], filter });
    const recovered = async () => {
      // A recovery is refused while the read models are behind.
      for (const path of [`/v1/webhooks/${id}`, `/v1/projects/${project}/tests`])
        await untilFollowed(team.owner, path);
      const { body, text } = await team.owner.post(`/v1/webhooks/${id}/recover`, { since });
      expect(body.data, text).to.include.keys('count');
      return body.data.count;
    };
    expect(await recovered()).to.equal(2);
    await team.owner.patch(`/v1/webhooks/${id}`, { filter: null });
    expect(await recovered()).to.equal(1);
  });

  it('leaves known failures out, unless it asks for them', async () => {
    const project = await givenProject(team.owner);
    const events = ['test.failed'];
    await submit(project, 'main', { pays: 'checkout' });
    const tests = await team.owner.get(`/v1/projects/${project}/tests?q=pays`);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const path = `/v1/projects/${project}/tests/${tests.body.data[0].id}/known-failure`;
    const content = JSON.stringify({ reason: 'we know', expires_at });
    expect((await team.owner.send({ method: 'PUT', path, content })).status).to.equal(200);
    const without = (await givenWebhook(team.owner, { events, filter: {} })).id;
    const withKnown = (await givenWebhook(team.owner, { events, filter: { known: true } })).id;
    await submit(project, 'main', { pays: 'checkout' });
    await until('the delivery', async () => (await typesOf(withKnown)).length === 1);
    expect(await typesOf(without)).to.deep.equal([]);
  });
});
