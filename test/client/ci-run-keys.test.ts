import { expect } from 'chai';
import { readCiEnvironment, runKeyOfJob, runKeyOfShards } from '../../src/client/ci/ci-environment.js';
import { github, gitlab } from './ci-events.js';

const linux = { os: 'linux' };

describe('the key of a run', () => {
  it('is another one for each start of a job', () => {
    const key = (attempt: string) =>
      runKeyOfJob(readCiEnvironment({ env: { ...github, GITHUB_RUN_ATTEMPT: attempt } }), linux);
    expect([key('1'), key('2')]).to.deep.equal([
      'github 4711 attempt 1 os=linux',
      'github 4711 attempt 2 os=linux',
    ]);
    expect(runKeyOfJob(readCiEnvironment({ env: gitlab }), null)).to.equal('gitlab 77 job 501');
  });

  it('is the same for all starts of the shards of a tool', () => {
    const key = (attempt: string) =>
      runKeyOfShards(
        readCiEnvironment({
          env: { ...github, GITHUB_RUN_ATTEMPT: attempt, RUNNER_NAME: `runner ${attempt}` },
        }),
        'playwright',
        linux,
      );
    expect([key('1'), key('2')]).to.deep.equal([
      'github 4711 playwright shards os=linux',
      'github 4711 playwright shards os=linux',
    ]);
  });

  it('is another one for each leg of a matrix, by its environment or by its runner', () => {
    const ci = (RUNNER_NAME: string) =>
      readCiEnvironment({ env: { ...github, GITHUB_JOB: 'test', RUNNER_NAME } });
    const keys = [
      runKeyOfJob(ci('a'), { os: 'windows', node: '22' }),
      runKeyOfJob(ci('a'), { os: 'windows', node: '24' }),
      runKeyOfJob(ci('b'), { os: 'windows', node: '24' }),
      runKeyOfShards(ci('a'), 'tests', { node: '22' }),
      runKeyOfShards(ci('a'), 'tests', { node: '24' }),
    ];
    expect(keys[0]).to.equal('github 4711 job test a attempt 2 node=22,os=windows');
    expect(new Set(keys)).to.have.lengthOf(keys.length);
    const axes = (JOB_NAME: string) =>
      readCiEnvironment({ env: { JENKINS_URL: 'https://ci', GIT_COMMIT: 'd', BUILD_NUMBER: '7', JOB_NAME } });
    expect(runKeyOfJob(axes('shop/NODE=22'), null)).to.equal('jenkins shop 7 job NODE=22');
  });

  it('has at most 255 characters, and all of a longer one counts', () => {
    const key = (run: string, node: string) =>
      runKeyOfJob(readCiEnvironment({ env: { ...github, GITHUB_RUN_ID: run } }), {
        node,
        x: 'x'.repeat(200),
      });
    const run = '7'.repeat(80);
    const keys = [key(run, '22'), key(run, '24'), key(`${run}1`, '22')];
    expect(new Set(keys)).to.have.lengthOf(3);
    for (const each of keys)
      expect(each)
        .to.have.lengthOf(255)
        .and.match(/^github 777/);
    expect(key(run, '22')).to.equal(keys[0]);
  });

  describe('is another one for each step, and for each start of a step where the service numbers it, on', () => {
    const rows: [service: string, env: Record<string, string>, other: Record<string, string>][] = [
      ['GitHub', { ...github, GITHUB_JOB: 'unit' }, { GITHUB_RUN_ATTEMPT: '3' }],
      ['GitHub', { ...github, GITHUB_JOB: 'unit' }, { GITHUB_JOB: 'e2e' }],
      ['GitHub', { ...github, RUNNER_NAME: 'a' }, { RUNNER_NAME: 'b' }],
      ['GitLab', { ...gitlab, CI_JOB_ID: '1' }, { CI_JOB_ID: '2' }],
      [
        'Bitbucket',
        { BITBUCKET_BUILD_NUMBER: '5', BITBUCKET_STEP_UUID: '{a}', BITBUCKET_STEP_RUN_NUMBER: '1' },
        { BITBUCKET_STEP_RUN_NUMBER: '2' },
      ],
      [
        'Bitbucket',
        { BITBUCKET_BUILD_NUMBER: '5', BITBUCKET_STEP_UUID: '{a}' },
        { BITBUCKET_STEP_UUID: '{b}' },
      ],
      [
        'Jenkins',
        {
          JENKINS_URL: 'https://ci',
          GIT_COMMIT: 'd',
          JOB_NAME: 'shop',
          BUILD_NUMBER: '5',
          STAGE_NAME: 'unit',
        },
        { STAGE_NAME: 'e2e' },
      ],
      [
        'Jenkins',
        {
          JENKINS_URL: 'https://ci',
          GIT_COMMIT: 'd',
          JOB_NAME: 'shop',
          BUILD_NUMBER: '5',
          NODE_NAME: 'a',
          EXECUTOR_NUMBER: '0',
        },
        { EXECUTOR_NUMBER: '1' },
      ],
      [
        'CircleCI',
        { CIRCLECI: 'true', CIRCLE_WORKFLOW_ID: 'w', CIRCLE_BUILD_NUM: '5', CIRCLE_NODE_INDEX: '0' },
        { CIRCLE_BUILD_NUM: '6' },
      ],
      [
        'Azure',
        { BUILD_BUILDURI: 'x', BUILD_BUILDID: '9', SYSTEM_JOBATTEMPT: '1' },
        { SYSTEM_JOBATTEMPT: '2' },
      ],
      ['Azure', { BUILD_BUILDURI: 'x', BUILD_BUILDID: '9', AGENT_JOBNAME: 'a' }, { AGENT_JOBNAME: 'b' }],
      ['TeamCity', { TEAMCITY_VERSION: '1', TEAMCITY_BUILDCONF_NAME: 'a' }, { TEAMCITY_BUILDCONF_NAME: 'b' }],
      [
        'Buildkite',
        { BUILDKITE: 'true', BUILDKITE_BUILD_ID: 'b', BUILDKITE_JOB_ID: 'j' },
        { BUILDKITE_JOB_ID: 'k' },
      ],
      ['Travis', { TRAVIS: 'true', TRAVIS_BUILD_ID: '5', TRAVIS_JOB_ID: '6' }, { TRAVIS_JOB_ID: '7' }],
      [
        'AppVeyor',
        { APPVEYOR: 'true', APPVEYOR_BUILD_NUMBER: '5', APPVEYOR_JOB_ID: 'a' },
        { APPVEYOR_JOB_ID: 'b' },
      ],
      [
        'Semaphore',
        { SEMAPHORE: 'true', SEMAPHORE_WORKFLOW_ID: 'w', SEMAPHORE_JOB_ID: 'a' },
        { SEMAPHORE_JOB_ID: 'b' },
      ],
      [
        'Drone',
        { DRONE: 'true', DRONE_BUILD_NUMBER: '5', DRONE_STAGE_NAME: 'unit', DRONE_STEP_NAME: 'test' },
        { DRONE_STAGE_NAME: 'e2e' },
      ],
      [
        'Woodpecker',
        { CI: 'woodpecker', CI_PIPELINE_NUMBER: '5', CI_WORKFLOW_NAME: 'unit', CI_STEP_NAME: 'test' },
        { CI_WORKFLOW_NAME: 'e2e' },
      ],
    ];
    for (const [service, env, other] of rows) {
      it(`${service} (${Object.keys(other).join()})`, () => {
        const key = (each: Record<string, string>) => runKeyOfJob(readCiEnvironment({ env: each }), null);
        expect(key(env))
          .to.be.a('string')
          .and.equal(key({ ...env }));
        expect(key({ ...env, ...other }))
          .to.be.a('string')
          .and.not.equal(key(env));
      });
    }
  });
});
