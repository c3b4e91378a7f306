import { expect } from 'chai';
import { givenResult, givenRun, givenTeamWithProject } from '../given.js';
import { countsOf, idOf, instant } from '../records.js';
import { testServer } from '../../kit/server.js';

describe('surface A: the API for runs', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  const get = async (id: string) => (await team.owner.get(`/v1/test/run/${id}`)).body;
  const update = (id: string, body: object) => team.owner.post(`/v1/test/run/${id}`, body);

  it('answers a new run as a Pending one, with exactly the fields of the record', async () => {
    const run = await givenRun(team.owner, team.project, { label: 'Nightly', metadata: { branch: 'main' } });
    expect(run.test_run_id).to.match(idOf('run'));
    expect(run.created_at).to.match(instant).and.to.equal(run.updated_at);
    const { test_run_id: _, created_at: __, updated_at: ___, ...rest } = run;
    expect(rest).to.deep.equal({
      project_id: team.project,
      run_key: null,
      label: 'Nightly',
      status: 'Pending',
      metadata: { branch: 'main' },
      started_at: null,
      finished_at: null,
      counts: countsOf({}),
      count_snapshot: null,
    });
  });

  it('returns the answer of the creation to a GET', async () => {
    const run = await givenRun(team.owner, team.project, { label: 'As answered', metadata: { a: [1] } });
    expect(await get(run.test_run_id)).to.deep.equal(run);
  });

  it('answers an update with 204 and no body', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project);
    const { status, text, headers } = await update(test_run_id, { status: 'Running' });
    expect([status, text, headers.get('content-length')]).to.deep.equal([204, '', null]);
  });

  it('records finished_at and the counts when a run turns Completed', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project);
    for (const status of ['Passed', 'Passed', 'Failed', 'Skipped', 'KnownFail', 'Running', 'Pending']) {
      await givenResult(team.owner, team.project, { test_run_id, status });
    }
    await update(test_run_id, { status: 'Completed' });
    const run = await get(test_run_id);
    const counts = countsOf({
      total: 7,
      passed: 2,
      failed: 1,
      skipped: 1,
      known_fail: 1,
      running: 1,
      pending: 1,
    });
    expect(run.status).to.equal('Completed');
    expect(run.finished_at).to.match(instant);
    expect(run.counts).to.deep.equal(counts);
    expect(run.count_snapshot).to.deep.equal({ ...counts, at: run.finished_at });
  });

  it('shows a new label on the results of the run', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project, { label: 'Old label' });
    const { test_result_id, test_run_label } = await givenResult(team.owner, team.project, { test_run_id });
    expect(test_run_label).to.equal('Old label');
    await update(test_run_id, { label: 'New label' });
    const { body } = await team.owner.get(`/v1/test/result/${test_result_id}`);
    expect(body.test_run_label).to.equal('New label');
    const list = await team.owner.get(`/v1/test/result/?test_run_id=${test_run_id}`);
    expect(list.body.items[0].test_run_label).to.equal('New label');
  });
});
