import { expect } from 'chai';
import { givenResult, givenRun, givenTeamWithProject } from '../given.js';
import { expectFaults } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('surface A: the API for attempts', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  let run: string;
  before(async () => {
    run = (await givenRun(team.owner, team.project)).test_run_id;
  });
  const result = (fields: object) => givenResult(team.owner, team.project, { test_run_id: run, ...fields });
  const retry = (fields: object) =>
    team.owner.post('/v1/test/result/', {
      project_id: team.project,
      test_run_id: run,
      test_name: 'A test',
      status: 'Passed',
      ...fields,
    });
  const get = async (id: string) => (await team.owner.get(`/v1/test/result/${id}`)).body;

  it('gives a retry the next attempt, and shows what it superseded', async () => {
    const first = await result({ status: 'Failed', attempt: 7 });
    const second = await result({ retry_of: first.test_result_id });
    expect(second).to.include({ attempt: 8, superseded_by: null });
    const superseded = await get(first.test_result_id);
    expect(superseded).to.include({ attempt: 7, superseded_by: second.test_result_id, status: 'Failed' });
    expect(await get(second.test_result_id)).to.deep.equal(second);
  });

  it('accepts an explicit attempt', async () => {
    const first = await result({ attempt: 3 });
    expect(await result({ retry_of: first.test_result_id, attempt: 9 })).to.include({ attempt: 9 });
  });

  it('shows the retry in the answer to an update of the superseded result', async () => {
    const first = await result({ status: 'Failed' });
    const { test_result_id: superseded_by } = await result({ retry_of: first.test_result_id });
    const updated = await team.owner.post(`/v1/test/result/${first.test_result_id}`, { error_message: 'x' });
    expect(updated.body).to.include({ superseded_by, error_message: 'x' });
  });

  it('refuses a retry without a run, or of a result of another run or name', async () => {
    const other = (await givenRun(team.owner, team.project)).test_run_id;
    const { test_result_id: retry_of } = await result({});
    expectFaults(await retry({ retry_of, test_run_id: null }), '/retry_of needs_run');
    expectFaults(await retry({ retry_of, test_run_id: other }), '/retry_of other_test');
    expectFaults(await retry({ retry_of, test_name: 'Another test' }), '/retry_of other_test');
  });
});
