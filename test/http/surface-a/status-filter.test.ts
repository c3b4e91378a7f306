import { expect } from 'chai';
import { givenProject, givenResult, givenRun, givenTeamWithProject } from '../given.js';
import { expectFaults } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('surface A: the status filter', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  const items = async (path: string) => (await team.owner.get(path)).body.items as any[];

  it('shows the same records as a single GET', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project, { label: 'A label' });
    const { test_result_id } = await givenResult(team.owner, team.project, { test_run_id });
    const [run] = await items(`/v1/test/run/?project_id=${team.project}`);
    const [result] = await items(`/v1/test/result/?test_run_id=${test_run_id}`);
    expect(run).to.deep.equal((await team.owner.get(`/v1/test/run/${test_run_id}`)).body);
    expect(result).to.deep.equal((await team.owner.get(`/v1/test/result/${test_result_id}`)).body);
  });

  it('filters runs by each status, and follows their updates', async () => {
    const own = await givenProject(team.owner);
    const ids: Record<string, string> = {};
    for (const status of ['Pending', 'Running', 'Completed']) {
      const { test_run_id } = await givenRun(team.owner, own);
      await team.owner.post(`/v1/test/run/${test_run_id}`, { status });
      ids[status] = test_run_id;
    }
    const listed = async (status: string) =>
      (await items(`/v1/test/run/?project_id=${own}&status=${status}`)).map((run) => run.test_run_id);
    for (const [status, id] of Object.entries(ids)) expect(await listed(status)).to.deep.equal([id]);
    await team.owner.post(`/v1/test/run/${ids['Pending']}`, { status: 'Completed' });
    expect(await listed('Pending')).to.deep.equal([]);
    expect(await listed('Completed')).to.deep.equal([ids['Completed'], ids['Pending']]);
  });

  it('filters results by each status, and follows their updates and deletions', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project);
    const statuses = ['Pending', 'Running', 'Passed', 'Failed', 'Skipped', 'KnownFail'];
    const ids: Record<string, string> = {};
    for (const status of statuses) {
      ids[status] = (await givenResult(team.owner, team.project, { test_run_id, status })).test_result_id;
    }
    const listed = async (status: string) =>
      (await items(`/v1/test/result/?test_run_id=${test_run_id}&status=${status}`)).map(
        (result) => result.test_result_id,
      );
    for (const status of statuses) expect(await listed(status)).to.deep.equal([ids[status]]);
    await team.owner.post(`/v1/test/result/${ids['Failed']}`, { status: 'Passed' });
    await team.owner.delete(`/v1/test/result/${ids['Skipped']}`);
    expect(await listed('Failed')).to.deep.equal([]);
    expect(await listed('Skipped')).to.deep.equal([]);
    expect(await listed('Passed')).to.deep.equal([ids['Passed'], ids['Failed']]);
  });

  it('refuses an unknown status', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project);
    for (const status of ['passed', '%20Completed', '', 'Passed,Failed']) {
      const run = await team.owner.get(`/v1/test/run/?project_id=${team.project}&status=${status}`);
      expectFaults(run, '?status not_allowed');
      const result = await team.owner.get(`/v1/test/result/?test_run_id=${test_run_id}&status=${status}`);
      expectFaults(result, '?status not_allowed');
    }
  });

  it('lists no result without a run under any run', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project);
    await givenResult(team.owner, team.project);
    expect(await items(`/v1/test/result/?test_run_id=${test_run_id}`)).to.deep.equal([]);
  });
});
