import { expect } from 'chai';
import type { Answer } from '../../../kit/client.js';
import { allEvents } from '../../events.js';
import {
  givenInactive,
  givenKey,
  givenProject,
  givenResult,
  givenSubmission,
  givenTeam,
} from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();

describe('surface B: the known failure of a test', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  let test: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
    await result('pays', 'Passed');
    test = (await team.owner.get(`/v1/projects/${project}/tests`)).body.data[0].id;
  });

  const result = async (test_name: string, status: string, metadata: object = {}): Promise<string> =>
    (await givenResult(team.owner, project, { test_name, status, metadata })).test_result_id;
  const path = (of = test) => `/v1/projects/${project}/tests/${of}/known-failure`;
  const put = (body: unknown, { of = test, api = team.owner } = {}): Promise<Answer> =>
    api.send({ method: 'PUT', path: path(of), content: JSON.stringify(body) });
  const shown = async (): Promise<any> =>
    (await team.owner.get(`/v1/projects/${project}/tests/${test}`)).body.data;

  it('is set by a PUT, which answers the test, and is shown by every GET after it', async () => {
    const member = server.as(await givenKey(team.owner, 'member'));
    const expires_at = inDays(1);
    const answer = await put({ reason: 'The bank is down.', expires_at, branch: 'main' }, { api: member });
    expect(answer.status, answer.text).to.equal(200);
    const { known_failure } = answer.body.data;
    const at = known_failure.at as string;
    expect(known_failure).to.deep.equal({
      reason: 'The bank is down.',
      by: 'A member',
      at,
      expires_at,
      branch: 'main',
      environment: null,
      environment_key: null,
      hidden_results: 0,
    });
    expect(await shown()).to.deep.equal(answer.body.data);
    const { data } = (await team.owner.get(`/v1/projects/${project}/tests`)).body;
    expect(data).to.deep.equal([answer.body.data]);
  });

  it('stands in the list of those in force, the first to end first, until it ends', async () => {
    const known = async (query = '') => {
      const { body } = await team.owner.get(`/v1/projects/${project}/tests?known_failure=true${query}`);
      return [body.data.map(({ name }: { name: string }) => name), body.pagination.total];
    };
    expect(await known()).to.deep.equal([[], 0]);
    await result('refunds', 'Passed', { branch: 'main' });
    const { data } = (await team.owner.get(`/v1/projects/${project}/tests?q=refunds`)).body;
    await put({ reason: 'reported', expires_at: inDays(2) });
    await put({ reason: 'reported', expires_at: inDays(1) }, { of: data[0].id });
    expect(await known()).to.deep.equal([['refunds', 'pays'], 2]);
    expect(await known('&per_page=1&page=2')).to.deep.equal([['pays'], 2]);
    const { body } = await team.owner.get(`/v1/projects/${project}/tests?known_failure=true&branch=main`);
    expect(body.data.map((each: any) => each.last_outcomes)).to.deep.equal([['passed'], []]);
    const other = await givenProject(team.owner);
    expect((await team.owner.get(`/v1/projects/${other}/tests?known_failure=true`)).body.data).to.deep.equal(
      [],
    );
    await team.owner.delete(path());
    expect(await known()).to.deep.equal([['refunds'], 1]);
  });

  it('decides a result anew that a correction moves to another environment, and leaves it with any other correction', async () => {
    const environment = { os: 'windows' };
    await put({ reason: 'on Windows alone', expires_at: inDays(1), environment });
    const id = await result('pays', 'Failed', { environment });
    const correct = (metadata: object) => team.owner.post(`/v1/test/result/${id}`, { metadata });
    const isKnown = async () => (await team.owner.get(`/v1/test-results/${id}`)).body.data.known;
    expect(await isKnown()).to.equal(true);
    await correct({ environment: { os: 'linux' } });
    expect(await isKnown(), 'on Linux nobody knows of it').to.equal(false);
    await correct({ environment });
    expect(await isKnown()).to.equal(true);
    await team.owner.delete(path());
    await correct({ environment, note: 'seen' });
    expect(await isKnown(), 'what was decided stays').to.equal(true);
  });

  it('is no list of tests without one', async () => {
    expectError(
      await team.owner.get(`/v1/projects/${project}/tests?known_failure=false`),
      400,
      'invalid_request',
    );
  });

  it('shows how many results were known through it, which keep their status', async () => {
    await put({ reason: 'reported', expires_at: inDays(1) });
    const id = await result('pays', 'Failed');
    await givenSubmission(team.owner, project, [{ name: 'pays', status: 'failed' }, { name: 'pays' }]);
    expect((await shown()).known_failure).to.include({ hidden_results: 2, branch: null });
    expect((await team.owner.get(`/v1/test-results/${id}`)).body.data.status).to.equal('failed');
    expect((await shown()).last_outcomes).to.deep.equal(['passed', 'failed', 'failed', 'passed']);
  });

  it('is ended by a DELETE, once', async () => {
    await put({ reason: 'reported', expires_at: inDays(1) });
    expect((await team.owner.delete(path())).status).to.equal(204);
    expect((await shown()).known_failure).to.equal(null);
    expectError(await team.owner.delete(path()), 404, 'not_found');
  });

  it('is refused where the request is wrong', async () => {
    const expires_at = inDays(1);
    for (const body of [
      {},
      { reason: 'reported' },
      { expires_at },
      { reason: '', expires_at },
      { reason: 'x'.repeat(1_025), expires_at },
      { reason: null, expires_at },
      { reason: 'reported', expires_at: null },
      { reason: 'reported', expires_at: 'tomorrow' },
      { reason: 'reported', expires_at: inDays(-0.001) },
      { reason: 'reported', expires_at: inDays(90.01) },
      { reason: 'reported', expires_at, branch: '' },
      { reason: 'reported', expires_at, branch: 'x'.repeat(256) },
      { reason: 'reported', expires_at, other: 1 },
    ]) {
      expectError(await put(body), 400, 'invalid_request');
      // A wrong request is refused before a test that does not exist.
      expectError(await put(body, { of: 'test_01h455vb4pex5vsknk084sn02q' }), 400, 'invalid_request');
    }
    expect((await shown()).known_failure).to.equal(null);
    for (const body of [
      { reason: '😀'.repeat(1_024), expires_at },
      { reason: 'x', expires_at: inDays(89.99), branch: 'x'.repeat(255) },
    ]) {
      expect((await put(body)).status).to.equal(200);
    }
  });

  it('is 404 for a test that does not exist, has no final result, or is in another project', async () => {
    const body = { reason: 'reported', expires_at: inDays(1) };
    await put(body);
    const own = project;
    for (const of of ['unknown', 'test_01h455vb4pex5vsknk084sn02q', project]) {
      expectError(await put(body, { of }), 404, 'not_found');
      expectError(await team.owner.delete(path(of)), 404, 'not_found');
    }
    project = await givenProject(team.owner);
    expectError(await put(body), 404, 'not_found');
    expectError(await team.owner.delete(path()), 404, 'not_found');
    project = own;
    expect((await shown()).known_failure).to.include({ reason: 'reported' });
  });

  it('cannot be changed while its project is inactive', async () => {
    const body = { reason: 'reported', expires_at: inDays(1) };
    await put(body);
    await givenInactive(team.owner, project);
    for (const answer of [
      await put(body),
      await put({ ...body, reason: 'x' }),
      await team.owner.delete(path()),
    ]) {
      expectError(answer, 403, 'forbidden', 'project_inactive');
    }
  });

  it('names its maker by the key, also after the key is revoked', async () => {
    const admin = server.as(await givenKey(team.owner, 'admin'));
    await put({ reason: 'reported', expires_at: inDays(1) }, { api: admin });
    const { id } = (await admin.get('/v1/me')).body.data.key;
    expect((await team.owner.delete(`/v1/keys/${id}`)).status).to.equal(204);
    expect((await shown()).known_failure.by).to.equal('A admin');
  });
});

describe('surface B: a broken test', () => {
  const server = testServer();

  it('is shown as broken after failures in 20 runs, and as stable after its first pass', async () => {
    const { owner } = await server.newTeam();
    const project = await givenProject(owner);
    const run = (...statuses: string[]) =>
      givenSubmission(
        owner,
        project,
        statuses.map((status, n) => ({ name: 'pays', status, attempt: n + 1 })),
      );
    const state = async () => (await owner.get(`/v1/projects/${project}/tests`)).body.data[0].state;
    for (let n = 0; n < 19; n += 1) await run('failed', 'failed', 'failed');
    expect(await state()).to.equal('stable');
    await run('skipped');
    await run('failed');
    expect(await state()).to.equal('broken');
    const [event] = await allEvents(owner, { types: 'TestBecameBroken' });
    expect(event!.data).to.include({ project_id: project, test_name: 'pays' });
    await run('passed');
    expect(await state()).to.equal('stable');
    expect(await allEvents(owner, { types: 'TestStabilised' })).to.have.length(1);
  });
});
