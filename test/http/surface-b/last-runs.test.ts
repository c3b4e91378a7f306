import { expect } from 'chai';
import { bodyOf, givenProject, givenSubmission, untilFollowed } from '../given.js';
import { expectError } from '../refusals.js';
import { testServer, type Team } from '../../kit/server.js';

describe('surface B: the list of tests with details', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  before(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
    await untilFollowed(team.owner, `/v1/projects/${project}/tests`);
  });
  const runsOf = async (query = '') =>
    (await bodyOf(team.owner, `/v1/projects/${project}/tests?details=true${query}`)).data.map(
      ({ name, last_runs }: any) => [name, last_runs],
    );
  const submitted = (branch: string, ...statuses: readonly string[]) =>
    givenSubmission(
      team.owner,
      project,
      statuses.map((status, n) => ({ name: 'pays', status, attempt: n + 1 })),
      { metadata: { branch } },
    );

  it('has the last runs of a test on one branch, one for all attempts in a run', async () => {
    await submitted('main', 'failed', 'passed');
    await submitted('feat', 'failed');
    await submitted('main', 'failed', 'failed');
    const none = { environment: null, environment_key: '' };
    const onMain = { branch: 'main', ...none, outcomes: ['failed', 'flaky'] };
    expect(await runsOf()).to.deep.equal([['pays', onMain]]);
    expect(await runsOf('&trouble=any')).to.deep.equal([['pays', onMain]]);
    expect(await runsOf('&branch=feat')).to.deep.equal([
      ['pays', { branch: 'feat', ...none, outcomes: ['failed'] }],
    ]);
    const [test] = (await bodyOf(team.owner, `/v1/projects/${project}/tests`)).data;
    expect(test).not.to.have.property('last_runs');
    expectError(await team.owner.get(`/v1/projects/${project}/tests?details=yes`), 400, 'invalid_request');
  });
});
