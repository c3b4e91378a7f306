import { expect } from 'chai';
import { givenProject, givenResult, givenRun } from '../given.js';
import { countsOf } from '../records.js';
import { expectFaults, expectProblem } from '../refusals.js';
import { testServer, type Team } from '../../kit/server.js';

describe('surface A: the API for attempts', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  let run: string;
  before(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
    run = (await givenRun(team.owner, project)).test_run_id;
  });
  const result = (fields: object) => givenResult(team.owner, project, { test_run_id: run, ...fields });
  const retry = (fields: object) =>
    team.owner.post('/v1/test/result/', {
      project_id: project,
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

  it('still counts a superseded result', async () => {
    const { test_run_id } = await givenRun(team.owner, project);
    const first = await result({ test_run_id, status: 'Failed' });
    await result({ test_run_id, retry_of: first.test_result_id });
    const { body } = await team.owner.get(`/v1/test/run/${test_run_id}`);
    expect(body.counts).to.deep.equal(countsOf({ total: 2, passed: 1, failed: 1 }));
  });

  it('refuses a second retry of a result, until the first is deleted', async () => {
    const first = await result({});
    const second = await result({ retry_of: first.test_result_id });
    expectProblem(await retry({ retry_of: first.test_result_id }), 409, 'already_superseded');
    await team.owner.delete(`/v1/test/result/${second.test_result_id}`);
    expect(await get(first.test_result_id)).to.include({ superseded_by: null });
    const third = await retry({ retry_of: first.test_result_id });
    expect(third.status).to.equal(200);
    expect(await get(first.test_result_id)).to.include({ superseded_by: third.body.test_result_id });
  });

  it('accepts exactly one of many concurrent retries', async () => {
    const first = await result({});
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => retry({ retry_of: first.test_result_id })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).to.have.length(1);
    for (const lost of answers.filter((each) => each !== won[0])) {
      expectProblem(lost, 409, 'already_superseded');
    }
    expect((await get(first.test_result_id)).superseded_by).to.equal(won[0]!.body.test_result_id);
  });

  it('refuses a retry without a run, or of a result of another run or name', async () => {
    const other = (await givenRun(team.owner, project)).test_run_id;
    const { test_result_id: retry_of } = await result({});
    expectFaults(await retry({ retry_of, test_run_id: null }), '/retry_of needs_run');
    expectFaults(await retry({ retry_of, test_run_id: other }), '/retry_of other_test');
    expectFaults(await retry({ retry_of, test_name: 'Another test' }), '/retry_of other_test');
  });

  it('refuses a retry of a result that does not exist', async () => {
    const gone = (await result({})).test_result_id;
    await team.owner.delete(`/v1/test/result/${gone}`);
    for (const retry_of of [gone, 'result_00000000000000000000000000', 'nothing']) {
      expectProblem(await retry({ retry_of }), 404, 'not_found');
    }
  });

  it('accepts a retry after another one was refused', async () => {
    const { test_result_id: retry_of } = await result({});
    expectFaults(await retry({ retry_of, started_at: '9999-01-01T00:00:00Z' }), '/started_at too_late');
    expect((await retry({ retry_of })).status).to.equal(200);
  });
});
