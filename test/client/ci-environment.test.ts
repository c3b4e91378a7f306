import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { readCiEnvironment, runKeyOfJob, runKeyOfShards } from '../../src/client/ci/ci-environment.js';
import { github, gitlab, withEvent } from './ci-events.js';

describe('the environment of a build', () => {
  it('describes a push on GitHub', () => {
    expect(readCiEnvironment({ env: { ...github, RUNNER_OS: 'Linux' } })).to.deep.equal({
      service: 'github',
      build: '4711',
      attempt: 2,
      job: null,
      earlierBuilds: ['github acme/shop 4711 attempt 1'],
      start: { jobs: 'github acme/shop 4711 ', start: '2' },
      root: '/checkout',
      isSourceUnknown: false,
      environment: { os: 'linux' },
      metadata: {
        branch: 'main',
        commit: 'aaaa',
        ci_url: 'https://github.com/acme/shop/actions/runs/4711',
        actor: 'ada',
        build: 'github acme/shop 4711 attempt 2',
      },
      jobMetadata: {},
    });
  });

  it('names a tag on GitHub as GitLab does, without its ref', () => {
    const tag = { GITHUB_REF: 'refs/tags/v1.2', GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.2' };
    expect(readCiEnvironment({ env: { ...github, ...tag } }).metadata.branch).to.equal('v1.2');
  });

  it('describes a build on GitLab', () => {
    const ci = readCiEnvironment({ env: gitlab });
    expect(ci).to.include({ service: 'gitlab', build: '77', attempt: null, job: '501' });
    expect(ci.metadata).to.deep.equal({
      branch: 'main',
      commit: 'bbbb',
      ci_url: 'https://gitlab.example/acme/shop/-/jobs/501',
      actor: 'ada',
      build: 'gitlab acme/shop 77',
    });
  });

  it('names a pull request by the number that people and the API of its service use', () => {
    const numberOf = (env: Record<string, string>) => readCiEnvironment({ env }).metadata.pull_request;
    const source = { CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'guests', CI_MERGE_REQUEST_ID: '99123' };
    expect(numberOf({ ...gitlab, ...source, CI_MERGE_REQUEST_IID: '12' })).to.equal('12');
    const azure = { BUILD_BUILDURI: 'vstfs:///Build/9', SYSTEM_PULLREQUEST_PULLREQUESTID: '99123' };
    expect(numberOf({ ...azure, SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: '12' })).to.equal('12');
    expect(numberOf(azure)).to.equal('99123');
    expect(numberOf({ BITBUCKET_BUILD_NUMBER: '5', BITBUCKET_PR_ID: '12' })).to.equal('12');
  });

  it('names the commit that was pushed, not that of the merge, on Azure', () => {
    const env = {
      BUILD_BUILDURI: 'vstfs:///Build/9',
      BUILD_SOURCEVERSION: 'merge',
      SYSTEM_PULLREQUEST_PULLREQUESTID: '12',
      SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/guests',
      SYSTEM_PULLREQUEST_SOURCECOMMITID: 'cccc',
    };
    expect(readCiEnvironment({ env }).metadata.commit).to.equal('cccc');
  });

  it('names the branch without the remote on Jenkins, also that of a pull request', () => {
    const branchOf = (env: Record<string, string>) =>
      readCiEnvironment({ env: { JENKINS_URL: 'https://ci', GIT_COMMIT: 'd', ...env } }).metadata.branch;
    expect(branchOf({ GIT_BRANCH: 'origin/main' })).to.equal('main');
    expect(branchOf({ GIT_BRANCH: 'origin/main', GIT_LOCAL_BRANCH: 'main' })).to.equal('main');
    expect(branchOf({ GIT_BRANCH: 'a/b', BRANCH_NAME: 'a/b' })).to.equal('a/b');
    const change = { GIT_BRANCH: 'PR-12', BRANCH_NAME: 'PR-12', CHANGE_ID: '12', CHANGE_BRANCH: 'guests' };
    expect(branchOf(change)).to.equal('guests');
    const built = { ghprbPullId: '12', ghprbSourceBranch: 'guests', GIT_BRANCH: 'origin/pr/12' };
    expect(branchOf(built)).to.equal('guests');
  });

  it('never takes the branch of a fork for one of the project', async () => {
    const branchOf = (env: Record<string, string>) => readCiEnvironment({ env }).metadata.branch;
    const onGitLab = {
      ...gitlab,
      CI_MERGE_REQUEST_ID: '99',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_PROJECT_ID: '4',
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'stranger/tools/shop',
    };
    expect(branchOf({ ...onGitLab, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '5' })).to.equal(
      'stranger/tools:main',
    );
    expect(branchOf({ ...onGitLab, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '4' })).to.equal('main');
    const onAzure = {
      BUILD_BUILDURI: 'vstfs:///Build/9',
      SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/main',
    };
    expect(branchOf({ ...onAzure, SYSTEM_PULLREQUEST_ISFORK: 'True' })).to.equal('fork:main');
    expect(branchOf({ ...onAzure, SYSTEM_PULLREQUEST_ISFORK: 'False' })).to.equal('main');
    const onJenkins = { JENKINS_URL: 'https://ci', CHANGE_ID: '12', CHANGE_BRANCH: 'main', GIT_COMMIT: 'd' };
    expect(branchOf({ ...onJenkins, CHANGE_FORK: 'stranger' })).to.equal('stranger:main');
    const repo = (full_name: string) => ({ repo: { full_name } });
    const onGitHub = (head: object) =>
      withEvent({ pull_request: { head, base: repo('acme/shop') } }, (path) =>
        branchOf({
          ...github,
          GITHUB_EVENT_NAME: 'pull_request_target',
          GITHUB_HEAD_REF: 'main',
          GITHUB_EVENT_PATH: path,
        }),
      );
    expect(await onGitHub({ ...repo('stranger/shop'), label: 'stranger:main' })).to.equal('stranger:main');
    expect(await onGitHub({ repo: null, label: 'stranger:main' })).to.equal('stranger:main');
    expect(await onGitHub({ ...repo('acme/shop'), label: 'acme:main' })).to.equal('main');
  });

  it('counts the starts of a job from 1 on Buildkite', () => {
    const env = { BUILDKITE: 'true', BUILDKITE_BUILD_ID: 'b-1', BUILDKITE_RETRY_COUNT: '0' };
    expect(readCiEnvironment({ env })).to.include({ build: 'b-1', attempt: 1 });
  });

  it('tells the builds of two jobs of Jenkins apart', () => {
    const env = (JOB_NAME: string) => ({
      JENKINS_URL: 'https://ci',
      JOB_NAME,
      BUILD_NUMBER: '7',
      GIT_COMMIT: 'd',
    });
    const keys = ['unit', 'e2e'].map((job) => runKeyOfJob(readCiEnvironment({ env: env(job) }), null));
    expect(keys).to.deep.equal(['jenkins unit 7', 'jenkins e2e 7']);
  });

  it('leaves out a text that is too long for its field, and an address that is none', () => {
    const { metadata } = readCiEnvironment({
      env: { ...gitlab, CI_COMMIT_REF_NAME: 'x'.repeat(256), CI_PROJECT_URL: undefined },
    });
    expect(metadata).to.deep.equal({ commit: 'bbbb', actor: 'ada', build: 'gitlab acme/shop 77' });
  });

  it('knows no build outside of a service', () => {
    const ci = readCiEnvironment({ env: { PATH: process.env['PATH'] }, cwd: tmpdir() });
    expect(ci).to.include({ service: null, build: null, attempt: null });
    expect([runKeyOfJob(ci, null), runKeyOfShards(ci, 'playwright', null)]).to.deep.equal([null, null]);
  });
});
