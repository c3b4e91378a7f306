import { expect } from 'chai';
import { readCiEnvironment } from '../../src/client/ci-environment.js';
import { gitlab } from './ci-events.js';

describe('the environment of a CI service names what was proposed, not a merge that the service made, on', () => {
  const rows: [service: string, env: Record<string, string>, source: Record<string, string>][] = [
    [
      'GitLab, for merged results',
      {
        ...gitlab,
        CI_MERGE_REQUEST_IID: '12',
        CI_MERGE_REQUEST_ID: '9',
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'guests',
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: 'bbbb',
      },
      { branch: 'guests', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Travis',
      {
        TRAVIS: 'true',
        TRAVIS_COMMIT: 'merge',
        TRAVIS_BRANCH: 'main',
        TRAVIS_PULL_REQUEST: '12',
        TRAVIS_PULL_REQUEST_BRANCH: 'guests',
        TRAVIS_PULL_REQUEST_SHA: 'bbbb',
        TRAVIS_PULL_REQUEST_SLUG: 'stranger/shop',
        TRAVIS_REPO_SLUG: 'acme/shop',
      },
      { branch: 'stranger:guests', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'AppVeyor',
      {
        APPVEYOR: 'true',
        APPVEYOR_REPO_COMMIT: 'merge',
        APPVEYOR_REPO_BRANCH: 'main',
        APPVEYOR_PULL_REQUEST_NUMBER: '12',
        APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH: 'guests',
        APPVEYOR_PULL_REQUEST_HEAD_COMMIT: 'bbbb',
        APPVEYOR_PULL_REQUEST_HEAD_REPO_NAME: 'acme/shop',
        APPVEYOR_REPO_NAME: 'acme/shop',
      },
      { branch: 'guests', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Semaphore',
      {
        SEMAPHORE: 'true',
        SEMAPHORE_GIT_SHA: 'merge',
        SEMAPHORE_GIT_BRANCH: 'main',
        SEMAPHORE_GIT_PR_NUMBER: '12',
        SEMAPHORE_GIT_PR_BRANCH: 'guests',
        SEMAPHORE_GIT_PR_SHA: 'bbbb',
        SEMAPHORE_GIT_PR_SLUG: 'stranger/shop',
        SEMAPHORE_GIT_REPO_SLUG: 'acme/shop',
      },
      { branch: 'stranger:guests', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'CircleCI',
      {
        CIRCLECI: 'true',
        CIRCLE_SHA1: 'bbbb',
        CIRCLE_BRANCH: 'pull/12',
        CIRCLE_PR_NUMBER: '12',
        CIRCLE_PR_USERNAME: 'stranger',
      },
      { branch: 'stranger:pull/12', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Buildkite',
      {
        BUILDKITE: 'true',
        BUILDKITE_COMMIT: 'bbbb',
        BUILDKITE_BRANCH: 'main',
        BUILDKITE_PULL_REQUEST: '12',
        BUILDKITE_PULL_REQUEST_REPO: 'https://github.com/stranger/shop.git',
        BUILDKITE_REPO: 'git@github.com:acme/shop.git',
      },
      { branch: 'stranger:main', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Drone',
      {
        DRONE: 'true',
        DRONE_BUILD_EVENT: 'pull_request',
        DRONE_COMMIT_SHA: 'bbbb',
        DRONE_TARGET_BRANCH: 'main',
        DRONE_SOURCE_BRANCH: 'guests',
        DRONE_PULL_REQUEST: '12',
      },
      { branch: 'guests', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Woodpecker',
      {
        CI: 'woodpecker',
        CI_PIPELINE_EVENT: 'pull_request',
        CI_COMMIT_SHA: 'bbbb',
        CI_COMMIT_TARGET_BRANCH: 'main',
        CI_COMMIT_SOURCE_BRANCH: 'guests',
        CI_COMMIT_PULL_REQUEST: '12',
      },
      { branch: 'guests', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Drone, whose fork is not named',
      {
        DRONE: 'true',
        DRONE_BUILD_EVENT: 'pull_request',
        DRONE_COMMIT_SHA: 'bbbb',
        DRONE_TARGET_BRANCH: 'main',
        DRONE_SOURCE_BRANCH: 'main',
        DRONE_PULL_REQUEST: '12',
      },
      { branch: 'fork:main', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Woodpecker, after the pull request of a fork',
      {
        CI: 'woodpecker',
        CI_PIPELINE_EVENT: 'pull_request_closed',
        CI_COMMIT_SHA: 'bbbb',
        CI_COMMIT_BRANCH: 'main',
        CI_COMMIT_TARGET_BRANCH: 'main',
        CI_COMMIT_SOURCE_BRANCH: 'main',
        CI_COMMIT_PULL_REQUEST: '12',
      },
      { branch: 'fork:main', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Jenkins with ghprb',
      {
        JENKINS_URL: 'https://ci.example',
        ghprbPullId: '12',
        ghprbActualCommit: 'bbbb',
        ghprbSourceBranch: 'main',
        ghprbTargetBranch: 'main',
        ghprbAuthorRepoGitUrl: 'https://github.com/stranger/shop.git',
        ghprbGhRepository: 'acme/shop',
      },
      { branch: 'stranger:main', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Jenkins with the plugin of GitLab',
      {
        JENKINS_URL: 'https://ci.example',
        GIT_COMMIT: 'bbbb',
        gitlabMergeRequestId: '12',
        gitlabSourceBranch: 'main',
        gitlabTargetBranch: 'main',
        gitlabSourceNamespace: 'stranger',
        gitlabTargetNamespace: 'acme',
      },
      { branch: 'stranger:main', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Bitrise',
      {
        BITRISE_IO: 'true',
        BITRISE_GIT_COMMIT: 'bbbb',
        BITRISE_PULL_REQUEST: '12',
        BITRISE_GIT_BRANCH: 'main',
        BITRISEIO_GIT_BRANCH_DEST: 'main',
        BITRISEIO_PULL_REQUEST_REPOSITORY_URL: 'https://github.com/stranger/shop.git',
        GIT_REPOSITORY_URL: 'https://github.com/acme/shop.git',
      },
      { branch: 'stranger:main', commit: 'bbbb', pull_request: '12' },
    ],
    [
      'Codefresh, whose fork is not named',
      {
        CF_BUILD_ID: '7',
        CF_REVISION: 'bbbb',
        CF_PULL_REQUEST_NUMBER: '12',
        CF_PULL_REQUEST_TARGET: 'main',
        CF_BRANCH: 'main',
      },
      { branch: 'fork:main', commit: 'bbbb', pull_request: '12' },
    ],
  ];
  for (const [service, env, source] of rows) {
    it(service, () => {
      const { branch, commit, pull_request } = readCiEnvironment({ env }).metadata;
      expect({ branch, commit, pull_request }).to.deep.equal(source);
    });
  }

  it('Netlify, which leaves out its repository: unknown, not an error', () => {
    const ci = readCiEnvironment({ env: { NETLIFY: 'true', BRANCH: 'main', COMMIT_REF: 'bbbb' } });
    expect([ci.isSourceUnknown, ci.metadata]).to.deep.equal([true, {}]);
  });
});
