import { expect } from 'chai';
import { deliveryIdOf } from '../../../src/domain/test-history/test.js';
import { eventually } from '../../stores.js';
import type { Api } from '../../kit/client.js';
import { allEvents } from '../events.js';
import {
  givenAnnounced,
  givenArtifact,
  givenKey,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenWebhook,
} from '../given.js';
import { instant } from '../records.js';
import { expectError } from '../refusals.js';
import { ownServer, testServer, type Team } from '../../kit/server.js';

describe('surface B: the history', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  /** A client with a key of the role member that is called `A member`. */
  let ci: Api;
  beforeEach(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
    ci = server.as(await givenKey(team.owner, 'member'));
  });
  async function historyOf(path: string, api: Api = ci): Promise<any> {
    const { status, body, text } = await api.getOnce(`/v1${path}`);
    expect(status, text).to.equal(200);
    return body;
  }
  const ofRun = async (id: string, api?: Api) => (await historyOf(`/test-runs/${id}/history`, api)).data;
  const ofResult = async (id: string, api?: Api) =>
    (await historyOf(`/test-results/${id}/history`, api)).data;
  const textsOf = (entries: any[]): string[] => entries.map(({ text }) => text);
  const typesOf = (entries: any[]): string[] => entries.map(({ type }) => type);

  describe('of a run', () => {
    it('has its events, oldest first, with exactly the fields, and not those of its results', async () => {
      const { test_run_id: id } = await givenRun(ci, project, {
        label: 'nightly',
        metadata: { branch: 'main' },
      });
      await ci.post(`/v1/test/run/${id}`, { status: 'Running' });
      await ci.post(`/v1/test/run/${id}`, { label: null, metadata: { branch: 'main', commit: 'abc' } });
      await givenResult(ci, project, { test_run_id: id });
      await team.owner.post(`/v1/test/run/${id}`, { status: 'Completed' });

      const entries = await ofRun(id);
      for (const entry of entries) {
        expect(entry).to.have.all.keys('id', 'type', 'at', 'actor', 'text', 'changes');
        expect(entry.at).to.match(instant);
      }
      const replayed = (await allEvents(ci)).filter(({ subject }) => subject === id);
      expect(entries.map((entry: any) => [entry.id, entry.type, entry.at])).to.deep.equal(
        replayed.map((event) => [event.id, event.type, event['time']]),
      );
      expect(entries.map(({ actor }: any) => actor)).to.deep.equal([
        'A member',
        'A member',
        'A member',
        'first key',
      ]);
      expect(textsOf(entries).slice(0, 3)).to.deep.equal([
        'The key "A member" created the run "nightly".',
        'The key "A member" started the run.',
        'The key "A member" changed the label and the metadata of the run.',
      ]);
      expect(textsOf(entries)[3]).to.match(/^The key "first key" completed the run after \d+(\.\d)? m?s\.$/);
      const [created, started, described, completed] = entries.map(({ changes }: any) => changes);
      const run = (await ci.get(`/v1/test-runs/${id}`)).body.data;
      expect(created).to.deep.equal([
        { field: 'label', from: null, to: 'nightly' },
        { field: 'status', from: null, to: 'pending' },
        { field: 'metadata.branch', from: null, to: 'main' },
      ]);
      expect(started).to.deep.equal([
        { field: 'status', from: 'pending', to: 'running' },
        { field: 'started_at', from: null, to: run.started_at },
      ]);
      expect(described).to.deep.equal([
        { field: 'label', from: 'nightly', to: null },
        { field: 'metadata.commit', from: null, to: 'abc' },
      ]);
      expect(completed).to.deep.equal([
        { field: 'status', from: 'running', to: 'completed' },
        { field: 'finished_at', from: null, to: run.finished_at },
      ]);
    });
  });

  describe('of a result', () => {
    it('has its events with those of its artifacts, and the claim of its retry', async () => {
      const run = (await givenRun(ci, project)).test_run_id;
      const fields = { test_name: 'login', status: 'Pending', test_run_id: run };
      const { test_result_id: id } = await givenResult(ci, project, fields);
      await ci.post(`/v1/test/result/${id}/start`);
      const finished = await ci.post(`/v1/test/result/${id}/finish`, {
        status: 'Failed',
        error_message: 'no',
      });
      const file = (await givenArtifact(ci, id)).artifact_id;
      await ci.delete(`/v1/test/artifact/${file}`);
      const retry = await givenResult(ci, project, { ...fields, retry_of: id });

      const entries = await ofResult(id);
      expect(typesOf(entries)).to.deep.equal([
        'ResultCreated',
        'ResultStarted',
        'ResultFinished',
        'ArtifactCreated',
        'ArtifactConfirmed',
        'ArtifactDeleted',
        'ResultRetryClaimed',
      ]);
      expect(textsOf(entries)[2]).to.match(
        /^The key "A member" finished the result as failed after \d+(\.\d)? m?s\.$/,
      );
      expect(textsOf(entries).slice(4)).to.deep.equal([
        'The key "A member" uploaded the artifact "The screen".',
        'The key "A member" deleted the artifact "The screen".',
        `The key "A member" retried the result: the retry is ${retry.test_result_id}.`,
      ]);
      expect(entries[2].changes).to.deep.equal([
        { field: 'status', from: 'running', to: 'failed' },
        { field: 'error_message', from: null, to: 'no' },
        { field: 'finished_at', from: null, to: finished.body.finished_at },
        { field: 'duration_ms', from: null, to: finished.body.execution_time_ms },
      ]);
      expect(entries.slice(3).flatMap(({ changes }: any) => changes)).to.deep.equal([
        { field: `artifacts.${file}`, from: null, to: 'announced' },
        { field: `artifacts.${file}`, from: 'announced', to: 'uploaded' },
        { field: `artifacts.${file}`, from: 'uploaded', to: null },
        { field: 'superseded_by', from: null, to: retry.test_result_id },
      ]);
      const replayed = (await allEvents(ci)).filter(({ subject }) => subject === id);
      expect(entries.map((entry: any) => entry.id)).to.deep.equal(replayed.map((event) => event.id));
    });

    it('of a submission begins with the event of its item', async () => {
      const items = [{ name: 'login', status: 'failed', duration_ms: 1_500 }, { name: 'other' }];
      const { results } = await givenSubmission(ci, project, items);
      const id = results[0]!;
      expect(textsOf(await ofResult(id))).to.deep.equal([
        'The key "A member" submitted the result of the test "login" with its run, as failed after 1.5 s.',
      ]);
      await givenAnnounced(ci, id);
      await ci.post(`/v1/test/result/${id}`, { status: 'Passed' });
      const entries = await ofResult(id);
      expect(typesOf(entries)).to.deep.equal(['ResultSubmitted', 'ArtifactCreated', 'ResultUpdated']);
      expect(entries[2].changes).to.deep.equal([{ field: 'status', from: 'failed', to: 'passed' }]);
      const replayed = (await allEvents(ci)).filter(({ subject }) => subject === id);
      expect(entries.map((entry: any) => entry.id)).to.deep.equal(replayed.map((event) => event.id));
      expect(textsOf(await ofResult(results[1]!))).to.have.length(1);
    });

    it('is 404 for a result that is deleted, and for ids of nothing', async () => {
      const { test_result_id } = await givenResult(ci, project);
      const { run, results } = await givenSubmission(ci, project, [{}]);
      for (const id of [test_result_id, results[0]!]) {
        await ci.delete(`/v1/test/result/${id}`);
        expectError(await ci.getOnce(`/v1/test-results/${id}/history`), 404, 'not_found');
      }
      for (const id of [
        'nonsense',
        run,
        `${results[0]!.slice(0, -1)}1`,
        'result_01h455vb4pex5vsknk084sn02q',
      ]) {
        expectError(await ci.getOnce(`/v1/test-results/${id}/history`), 404, 'not_found');
      }
      for (const id of ['nonsense', test_result_id, 'run_01h455vb4pex5vsknk084sn02q']) {
        expectError(await ci.getOnce(`/v1/test-runs/${id}/history`), 404, 'not_found');
      }
    });
  });

  it('names a key that is revoked', async () => {
    const { test_run_id } = await givenRun(ci, project);
    const { id } = (await ci.get('/v1/me')).body.data.key;
    await team.owner.delete(`/v1/keys/${id}`);
    expect((await ofRun(test_run_id, team.owner))[0].actor).to.equal('A member');
  });
});

describe('surface B: the deliveries in a history', () => {
  // Without a listener there, pending deliveries stay pending.
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  const url = 'http://127.0.0.1:9/hook';
  let team: Team;
  let project: string;
  beforeEach(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
  });
  const get = async (path: string, api = team.owner) => (await api.getOnce(`/v1${path}/history`)).body.data;
  const deliveriesOf = async (webhook: string) =>
    (await team.owner.get(`/v1/webhooks/${webhook}/deliveries?per_page=100`)).body.data as any[];

  it('are those that each event caused, also through the test and the group, to each webhook', async () => {
    const hooks = [await givenWebhook(team.owner, { url }), await givenWebhook(team.owner, { url })];
    const run = (await givenRun(team.owner, project)).test_run_id;
    const metadata = { commit: 'abc' };
    const failed = await givenResult(team.owner, project, { test_run_id: run, status: 'Failed', metadata });
    const passed = await givenResult(team.owner, project, { test_run_id: run, status: 'Passed', metadata });
    await team.owner.post(`/v1/test/run/${run}`, { status: 'Completed' });
    // Failed, a new group, recovered, flaky and completed, for both webhooks.
    await eventually('the deliveries', async () => (await deliveriesOf(hooks[1].id)).length === 5);
    await eventually('the deliveries', async () => (await deliveriesOf(hooks[0].id)).length === 5);

    const made = (await Promise.all(hooks.map(({ id }) => deliveriesOf(id)))).flat();
    const idsOf = (type: string) => made.filter((one) => one.type === type).map(({ id }) => id);
    const shown = async (path: string) => {
      const entries = await get(path);
      const deliveries = entries.flatMap((entry: any) => entry.deliveries);
      for (const one of deliveries) {
        expect(one).to.have.all.keys('id', 'webhook_id', 'state');
        expect(one.state).to.equal('pending');
        expect(hooks.map(({ id }) => id)).to.include(one.webhook_id);
      }
      return deliveries.map(({ id }: any) => id);
    };
    expect(await shown(`/test-results/${failed.test_result_id}`)).to.have.members([
      ...idsOf('test.failed'),
      ...idsOf('group.new'),
    ]);
    expect(await shown(`/test-results/${passed.test_result_id}`)).to.have.members([
      ...idsOf('test.recovered'),
      ...idsOf('test.flaky'),
    ]);
    const [created, completed] = await get(`/test-runs/${run}`);
    expect(created.deliveries).to.deep.equal([]);
    expect(completed.deliveries.map(({ id }: any) => id)).to.have.members(
      hooks.map(({ id }) => deliveryIdOf(id, completed.id)),
    );
  });

  it('are shown to admins and owners only', async () => {
    await givenWebhook(team.owner, { url, events: ['test.failed', 'run.completed'] });
    const { run, results } = await givenSubmission(team.owner, project, [{ status: 'failed' }]);
    const paths = [`/test-runs/${run}`, `/test-results/${results[0]}`];
    await eventually('the deliveries', async () => {
      const entries = (await Promise.all(paths.map((path) => get(path)))).map((all) => all.at(-1));
      return entries.every(({ deliveries }) => deliveries.length === 1);
    });
    for (const role of ['viewer', 'member', 'admin']) {
      const api = server.as(await givenKey(team.owner, role));
      for (const entry of (await Promise.all(paths.map((path) => get(path, api)))).flat()) {
        if (role === 'admin') expect(entry.deliveries).to.be.an('array');
        else expect(entry).not.to.have.property('deliveries');
      }
    }
  });

  it('are without those of deleted webhooks', async () => {
    const hook = (await givenWebhook(team.owner, { url, events: ['test.failed'] })).id;
    const { results } = await givenSubmission(team.owner, project, [{ status: 'failed' }]);
    const count = async () => (await get(`/test-results/${results[0]}`))[0].deliveries.length;
    await eventually('the delivery', async () => (await count()) === 1);
    await team.owner.delete(`/v1/webhooks/${hook}`);
    await eventually('the delivery to go', async () => (await count()) === 0);
  });
});
