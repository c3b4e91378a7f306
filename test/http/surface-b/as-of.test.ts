import { expect } from 'chai';
import { testIdOf } from '../../../src/domain/test-history/test.js';
import { testServer } from '../../kit/server.js';
import {
  bodyOf,
  givenKey,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeam,
} from '../given.js';
import { expectError } from '../refusals.js';

describe('surface B: as of a moment:', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  const positionOf = async (path: string) => (await team.owner.get(path)).headers.get('X-As-Of')!;
  const asOf = (path: string, at: string) =>
    team.owner.get(`${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(at)}`);
  const failing = { name: 'pays', status: 'failed', error_message: 'no money' };

  it('a run, its results, failures and comparison are as they were, and the header names the position', async () => {
    const { run, results } = await givenSubmission(team.owner, project, [failing, { name: 'adds' }]);
    const paths = [
      `/v1/test-runs/${run}`,
      ...['results', 'failures', 'comparison', 'comparison/new_failures'].map(
        (part) => `/v1/test-runs/${run}/${part}`,
      ),
      `/v1/test-results/${results[0]}`,
      `/v1/projects/${project}/tests/${testIdOf(project, 'pays')}`,
    ];
    const before = await Promise.all(paths.map((path) => bodyOf(team.owner, path)));
    const at = await positionOf(paths[0]!);
    await team.owner.post(`/v1/test/result/${results[0]}`, { status: 'Passed' });
    for (const [n, path] of paths.entries()) {
      const { body, headers } = await asOf(path, at);
      expect(body, path).to.deep.equal(before[n]);
      expect(headers.get('X-As-Of'), path).to.equal(at);
    }
    expect((await bodyOf(team.owner, paths[0]!)).data.outcome).to.equal('passed');
  });

  it('an instant is the last event at or before it', async () => {
    const run = await givenRun(team.owner, project);
    const result = await givenResult(team.owner, project, { test_run_id: run.test_run_id });
    const path = `/v1/test-results/${result.test_result_id}`;
    const { created_at } = (await bodyOf(team.owner, path)).data;
    while (new Date().toISOString() <= created_at) await new Promise((next) => void setImmediate(next));
    await team.owner.post(`/v1/test/result/${result.test_result_id}`, { status: 'Failed' });
    expect((await asOf(path, created_at)).body.data.status).to.equal('passed');
    const inZone = created_at.replace('Z', '+00:00');
    expect((await asOf(path, inZone)).body.data.status).to.equal('passed');
  });

  it('a position within a submission is the whole of it', async () => {
    const { run, results } = await givenSubmission(team.owner, project, [failing, { name: 'adds' }, {}]);
    await team.owner.post(`/v1/test/result/${results[0]}`, { status: 'Passed' });
    const { data } = await bodyOf(team.owner, `/v1/events?types=ResultSubmitted,RunCompleted&limit=1000`);
    const item = data.find((each: any) => each.data.result_id === results[1]);
    const { status, body, headers } = await asOf(`/v1/test-runs/${run}`, item.position);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data.counts).to.include({ total: 3, failed: 1 });
    // Its last event says that it is whole.
    const end = data.find((each: any) => each.type === 'RunCompleted' && each.data.run_id === run);
    expect(headers.get('X-As-Of')).to.equal(end.position);
  });

  it('known failures, default branch and settings are those of then', async () => {
    await givenSubmission(team.owner, project, [{ name: 'pays' }], { metadata: { branch: 'main' } });
    const { run } = await givenSubmission(team.owner, project, [failing], { metadata: { branch: 'b' } });
    const path = `/v1/test-runs/${run}/comparison`;
    const before = await bodyOf(team.owner, path);
    expect(before.data.baseline).not.to.equal(null);
    const test = `/v1/projects/${project}/tests/${testIdOf(project, 'pays')}`;
    const said = await bodyOf(team.owner, test);
    const at = await positionOf(`/v1/test-runs/${run}`);
    await team.owner.patch(`/v1/projects/${project}`, { default_branch: 'develop' });
    await team.owner.send({
      method: 'PUT',
      path: `${test}/known-failure`,
      content: JSON.stringify({
        reason: 'a bug',
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    });
    expect((await bodyOf(team.owner, path)).data.baseline).to.equal(null);
    expect((await asOf(path, at)).body).to.deep.equal(before);
    expect((await asOf(test, at)).body).to.deep.equal(said);
  });

  it('a comparison of one moment takes nothing from another one, and none of now from a past', async () => {
    const names = [{ name: 'adds' }, { name: 'pays' }];
    const { run: baseline } = await givenSubmission(team.owner, project, names);
    const { run: first } = await givenSubmission(team.owner, project, names);
    const pathOf = (run: string) => `/v1/test-runs/${run}/comparison?baseline=${baseline}`;
    const before = await positionOf(`/v1/test-runs/${first}`);
    // From now on, their results are not those of submissions alone.
    const { test_run_id: second } = await givenRun(team.owner, project);
    for (const { name: test_name } of names)
      await givenResult(team.owner, project, { test_run_id: second, test_name });
    const after = await positionOf(`/v1/test-runs/${second}`);
    await givenRun(team.owner, project);
    const answers = [
      await asOf(pathOf(first), before),
      await asOf(pathOf(second), after),
      await team.owner.get(pathOf(second)),
    ];
    for (const { body } of answers)
      expect(body.data.counts).to.include({ added: 0, removed: 0, renamed_maybe: 0 });
  });

  it('a deleted result is shown as it was then, without its contents', async () => {
    const { run, results } = await givenSubmission(team.owner, project, [failing, { name: 'adds' }]);
    const at = await positionOf(`/v1/test-runs/${run}`);
    await team.owner.delete(`/v1/test/result/${results[0]}`);
    const { data } = (await asOf(`/v1/test-results/${results[0]}`, at)).body;
    expect(data).to.include({ status: 'failed', contents: 'deleted', error_message: null });
    expect((await asOf(`/v1/test-runs/${run}`, at)).body.data.counts).to.include({ total: 2 });
    expect((await team.owner.get(`/v1/test-results/${results[0]}`)).status).to.equal(404);
  });

  it('what is forgotten today is shown as forgotten, also of a moment that was shown before', async () => {
    const fails = (name: string) => ({ ...failing, name, error_message: `no money for ${name}` });
    const { run, results } = await givenSubmission(team.owner, project, [fails('pays'), fails('buys')]);
    const at = await positionOf(`/v1/test-runs/${run}`);
    await givenSubmission(team.owner, project, [{}]);
    const paths = [
      ...['results', 'failures?details=true'].map((part) => `/v1/test-runs/${run}/${part}`),
      ...results.map((id) => `/v1/test-results/${id}`),
    ];
    const shown = async () =>
      (await Promise.all(paths.map((path) => asOf(path, at)))).map(({ text }) => text);
    expect((await shown()).every((text) => text.includes('no money for'))).to.equal(true);
    const reason = 'a key was in the log';
    const redacted = await team.owner.post(`/v1/test-results/${results[0]}/redact`, { reason });
    expect(redacted.status).to.equal(200);
    expect((await team.owner.delete(`/v1/test/result/${results[1]}`)).status).to.equal(200);
    expect((await shown()).join()).not.to.include('no money for pays');
    for (const [n, contents] of (['redacted', 'deleted'] as const).entries()) {
      const { data } = (await asOf(`/v1/test-results/${results[n]}`, at)).body;
      expect(data).to.include({ status: 'failed', contents, error_message: null });
    }
    const { counts } = (await asOf(`/v1/test-runs/${run}`, at)).body.data;
    expect(counts).to.include({ total: 2, failed: 2 });
  });

  it('what was not there yet is a 404 with the reason', async () => {
    const first = await givenSubmission(team.owner, project, [{ name: 'pays' }]);
    const at = await positionOf(`/v1/test-runs/${first.run}`);
    const { run, results } = await givenSubmission(team.owner, project, [{ name: 'adds' }]);
    const paths = [
      `/v1/test-runs/${run}`,
      `/v1/test-results/${results[0]}`,
      `/v1/projects/${project}/tests/${testIdOf(project, 'adds')}`,
    ];
    for (const path of paths) {
      await bodyOf(team.owner, path);
      for (const moment of [at, '2001-01-01T00:00:00Z']) {
        const { status, body } = await asOf(path, moment);
        expect(status, path).to.equal(404);
        expect(body.error.details.reason, path).to.equal('not_yet');
      }
    }
  });

  it('a moment that is malformed, or ahead of now, is a 400', async () => {
    const { run } = await givenSubmission(team.owner, project, [{}]);
    const ahead = new Date(Date.now() + 60_000).toISOString();
    for (const at of ['yesterday', '12', '2026-13-01', ahead, '9'.repeat(20)])
      expectError(await asOf(`/v1/test-runs/${run}`, at), 400, 'invalid_request');
  });

  it('who may see is decided now, and nobody sees the past of another team', async () => {
    const { run } = await givenSubmission(team.owner, project, [{}]);
    const at = await positionOf(`/v1/test-runs/${run}`);
    await givenSubmission(team.owner, project, [{}]);
    const path = `/v1/test-runs/${run}?as_of=${at}`;
    const other = await server.newTeam();
    expect((await other.owner.get(path)).status).to.equal(404);
    const elsewhere = await givenProject(team.owner);
    const { body } = await team.owner.post('/v1/keys', {
      name: 'of one project',
      role: 'viewer',
      project_ids: [elsewhere],
    });
    expect((await server.as(body.data.key).get(path)).status).to.equal(404);
    expect((await server.as(await givenKey(team.owner, 'viewer')).get(path)).status).to.equal(200);
  });
});
