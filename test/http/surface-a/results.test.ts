import { expect } from 'chai';
import { givenProject, givenResult, givenRun, givenTeamWithProject } from '../given.js';
import { countsOf, idOf, instant } from '../records.js';
import { expectFaults, expectProblem } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('surface A: the API for results', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  const get = (id: string) => team.owner.get(`/v1/test/result/${id}`);
  const post = (path: string, body?: object) => team.owner.post(`/v1/test/result/${path}`, body);

  it('answers a new result with exactly the fields of the record', async () => {
    const run = await givenRun(team.owner, team.project, { label: 'The run' });
    const result = await givenResult(team.owner, team.project, {
      test_run_id: run.test_run_id,
      test_name: 'adds up',
      status: 'Failed',
      started_at: '2026-01-02T03:04:05Z',
      metadata: { commit: 'abc' },
    });
    expect(result.test_result_id).to.match(idOf('result'));
    expect(result.created_at).to.match(instant).and.to.equal(result.updated_at);
    const { test_result_id: _, created_at: __, updated_at: ___, ...rest } = result;
    expect(rest).to.deep.equal({
      project_id: team.project,
      test_run_id: run.test_run_id,
      test_name: 'adds up',
      status: 'Failed',
      error_message: null,
      metadata: { commit: 'abc' },
      started_at: '2026-01-02T03:04:05.000Z',
      finished_at: null,
      execution_time_ms: null,
      test_run_label: 'The run',
      attempt: 1,
      superseded_by: null,
    });
  });

  it('returns the answer of the creation to a GET', async () => {
    const result = await givenResult(team.owner, team.project, { metadata: { a: null } });
    expect((await get(result.test_result_id)).body).to.deep.equal(result);
  });

  it('starts a result: started_at is now, Pending turns Running, the finish is cleared', async () => {
    const made = await givenResult(team.owner, team.project, { status: 'Pending' });
    const { status, body } = await post(`${made.test_result_id}/start`);
    expect(status).to.equal(200);
    expect(body).to.include({ status: 'Running', finished_at: null, execution_time_ms: null });
    expect(body.started_at).to.match(instant);
    await post(`${made.test_result_id}/finish`, { status: 'Failed' });
    const again = (await post(`${made.test_result_id}/start`)).body;
    expect(again).to.include({ status: 'Failed', finished_at: null, execution_time_ms: null });
  });

  it('finishes a result: finished_at is now, the time is computed, the sent fields are applied', async () => {
    const made = await givenResult(team.owner, team.project, { status: 'Pending' });
    await post(`${made.test_result_id}/start`);
    const sent = { status: 'Failed', error_message: 'boom', metadata: { b: 2 } };
    const { status, body } = await post(`${made.test_result_id}/finish`, sent);
    expect(status).to.equal(200);
    expect(body).to.deep.include(sent);
    expect(body.finished_at).to.match(instant);
    expect(body.execution_time_ms).to.equal(Date.parse(body.finished_at) - Date.parse(body.started_at));
    expect((await get(made.test_result_id)).body).to.deep.equal(body);
  });

  it('finishes a result without a body, and without a time if it was never started', async () => {
    const made = await givenResult(team.owner, team.project, { status: 'Running' });
    const { body } = await post(`${made.test_result_id}/finish`);
    expect(body).to.include({ status: 'Running', execution_time_ms: null });
    expect(body.finished_at).to.match(instant);
  });

  it('deletes a result: the answer names it, and from then on it is 404', async () => {
    const run = await givenRun(team.owner, team.project);
    const { test_result_id } = await givenResult(team.owner, team.project, { test_run_id: run.test_run_id });
    const { status, body } = await team.owner.delete(`/v1/test/result/${test_result_id}`);
    expect([status, body]).to.deep.equal([200, { test_result_id, deleted: true }]);
    expectProblem(await get(test_result_id), 404, 'not_found');
    expectProblem(await post(test_result_id, { status: 'Failed' }), 404, 'not_found');
    expectProblem(await post(`${test_result_id}/start`), 404, 'not_found');
    expectProblem(await post(`${test_result_id}/finish`), 404, 'not_found');
    expectProblem(await team.owner.delete(`/v1/test/result/${test_result_id}`), 404, 'not_found');
    const artifacts = await team.owner.get(`/v1/test/artifact/?test_result_id=${test_result_id}`);
    expectProblem(artifacts, 404, 'not_found');
    expect((await team.owner.get(`/v1/test/run/${run.test_run_id}`)).body.counts).to.deep.equal(countsOf({}));
  });

  it('refuses a run of another project, and parents that do not exist', async () => {
    const other = await givenRun(team.owner, await givenProject(team.owner));
    const body = { project_id: team.project, test_name: 'A test', status: 'Passed' };
    const elsewhere = await post('', { ...body, test_run_id: other.test_run_id });
    expectFaults(elsewhere, '/test_run_id other_project');
    for (const wrong of [{ project_id: 'nothing' }, { test_run_id: 'nothing' }, { test_run_id: '' }]) {
      expectProblem(await post('', { ...body, ...wrong }), 404, 'not_found');
    }
  });
});
