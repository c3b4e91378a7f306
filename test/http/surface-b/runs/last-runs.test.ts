import { expect } from 'chai';
import { bodyOf, givenProject, givenSubmission, untilFollowed } from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer, type Team } from '../../../kit/server.js';

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
  const submitted = (branch: string, ...statuses: readonly string[]) => submittedBy({ branch }, ...statuses);
  const submittedBy = (metadata: object, ...statuses: readonly string[]) =>
    givenSubmission(
      team.owner,
      project,
      statuses.map((status, n) => ({ name: 'pays', status, attempt: n + 1 })),
      { metadata },
    );

  it('has the last runs of a test on one branch, one for all attempts in a run', async () => {
    await submitted('main', 'failed', 'passed');
    await submitted('feat', 'failed');
    await submitted('main', 'failed', 'failed');
    const none = { tool: null, environment: null, environment_key: '' };
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

  it('has the last runs of one tool, and an empty cell for a run without the test', async () => {
    const by = (tool: string, ...statuses: readonly string[]) =>
      submittedBy({ branch: 'tools', tool }, ...statuses);
    await by('mocha', 'failed');
    await by('jest', 'passed');
    await givenSubmission(team.owner, project, [{ name: 'other', status: 'passed' }], {
      metadata: { branch: 'tools', tool: 'mocha' },
    });
    await by('mocha', 'failed');
    const [, { tool, outcomes }] = (await runsOf('&branch=tools')).find(
      ([name]: [string]) => name === 'pays',
    );
    expect({ tool, outcomes }).to.deep.equal({ tool: 'mocha', outcomes: ['failed', null, 'failed'] });
  });

  it('has the last runs in the environment in which it does worst, or in that of its newest result', async () => {
    const given = (os: string, status: string, branch = 'main') =>
      givenSubmission(team.owner, project, [{ name: 'differs', status }], {
        metadata: { branch, environment: { os } },
      });
    const line = async (query = '') => {
      const [, runs] = (await runsOf(query)).find(([name]: [string]) => name === 'differs');
      return [runs.branch, runs.environment_key, runs.outcomes];
    };
    await given('windows', 'passed');
    await given('linux', 'passed');
    expect(await line()).to.deep.equal(['main', 'os=linux', ['passed']]);
    await given('windows', 'failed');
    await given('linux', 'passed');
    await given('linux', 'passed', 'feat');
    expect(await line()).to.deep.equal(['main', 'os=windows', ['failed', 'passed']]);
    expect(await line('&branch=feat')).to.deep.equal(['feat', 'os=linux', ['passed']]);
    expect(await line('&environment=os%3Dlinux')).to.deep.equal(['feat', 'os=linux', ['passed']]);
  });
});
