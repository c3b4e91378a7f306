import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCiEnvironment } from '../../src/client/ci/ci-environment.js';

type Row = [what: string, env: Record<string, string>, branch: string | null];

const drone = {
  DRONE: 'true',
  DRONE_BUILD_EVENT: 'pull_request',
  DRONE_COMMIT_SHA: 'bbbb',
  DRONE_BRANCH: 'main',
  DRONE_TARGET_BRANCH: 'main',
  DRONE_PULL_REQUEST: '12',
};
const woodpecker = {
  CI: 'woodpecker',
  CI_PIPELINE_EVENT: 'pull_request',
  CI_COMMIT_SHA: 'bbbb',
  CI_COMMIT_BRANCH: 'main',
  CI_COMMIT_TARGET_BRANCH: 'main',
  CI_COMMIT_PULL_REQUEST: '12',
};
const jenkins = { JENKINS_URL: 'https://ci', GIT_COMMIT: 'bbbb', GIT_BRANCH: 'origin/main' };
const multibranch = { ...jenkins, CHANGE_ID: '12', CHANGE_BRANCH: 'main', CHANGE_TARGET: 'main' };
const builder = {
  ...jenkins,
  ghprbPullId: '12',
  ghprbActualCommit: 'bbbb',
  ghprbSourceBranch: 'main',
  ghprbTargetBranch: 'main',
  ghprbGhRepository: 'acme/shop',
  ghprbPullAuthorLogin: 'stranger',
};
const onGitLab = {
  ...jenkins,
  gitlabMergeRequestId: '99123',
  gitlabMergeRequestIid: '12',
  gitlabMergeRequestLastCommit: 'bbbb',
  gitlabSourceBranch: 'main',
  gitlabTargetBranch: 'main',
  gitlabSourceNamespace: 'acme',
  gitlabTargetNamespace: 'acme',
};
const bitrise = {
  BITRISE_IO: 'true',
  BITRISE_GIT_COMMIT: 'bbbb',
  BITRISE_GIT_BRANCH: 'main',
  BITRISEIO_GIT_BRANCH_DEST: 'main',
  BITRISE_PULL_REQUEST: '12',
  GIT_REPOSITORY_URL: 'git@github.com:acme/shop.git',
};
const codefresh = {
  CF_BUILD_ID: '5',
  CF_REVISION: 'bbbb',
  CF_BRANCH: 'main',
  CF_PULL_REQUEST_TARGET: 'main',
  CF_PULL_REQUEST_NUMBER: '12',
};
const buddy = {
  BUDDY_WORKSPACE_ID: '1',
  BUDDY_EXECUTION_REVISION: 'bbbb',
  BUDDY_EXECUTION_PULL_REQUEST_ID: 'pull/12',
  BUDDY_EXECUTION_PULL_REQUEST_BASE_BRANCH: 'main',
};

describe('a pull request whose branch has the name of one of the project', () => {
  const rows: Row[] = [
    ['Drone', { ...drone, DRONE_SOURCE_BRANCH: 'main' }, 'fork:main'],
    ['Drone, promoted', { ...drone, DRONE_BUILD_EVENT: 'promote', DRONE_SOURCE_BRANCH: 'main' }, 'fork:main'],
    ['Drone, promoted', { ...drone, DRONE_BUILD_EVENT: 'promote', DRONE_SOURCE_BRANCH: 'guests' }, 'guests'],
    ['Drone, where the provider names no branch', { ...drone, DRONE_SOURCE_BRANCH: '' }, null],
    ['Woodpecker', { ...woodpecker, CI_COMMIT_SOURCE_BRANCH: 'main' }, 'fork:main'],
    ...['pull_request_closed', 'pull_request_metadata'].flatMap((CI_PIPELINE_EVENT): Row[] => {
      const env = { ...woodpecker, CI_PIPELINE_EVENT };
      return [
        [`Woodpecker, ${CI_PIPELINE_EVENT}`, { ...env, CI_COMMIT_SOURCE_BRANCH: 'main' }, 'fork:main'],
        [`Woodpecker, ${CI_PIPELINE_EVENT}`, { ...env, CI_COMMIT_SOURCE_BRANCH: 'guests' }, 'guests'],
        [`Woodpecker, ${CI_PIPELINE_EVENT}, without a branch`, env, null],
      ];
    }),
    ['Jenkins, multibranch', multibranch, 'fork:main'],
    ['Jenkins, multibranch', { ...multibranch, CHANGE_FORK: 'stranger' }, 'stranger:main'],
    ['Jenkins, multibranch', { ...multibranch, CHANGE_TARGET: 'next' }, 'main'],
    [
      'Jenkins, ghprb',
      { ...builder, ghprbAuthorRepoGitUrl: 'https://github.com/stranger/shop.git' },
      'stranger:main',
    ],
    [
      'Jenkins, ghprb',
      {
        ...builder,
        ghprbSourceBranch: 'guests',
        ghprbAuthorRepoGitUrl: 'https://github.com/Acme/shop.git',
      },
      'guests',
    ],
    ['Jenkins, ghprb, where the fork is gone', { ...builder, ghprbAuthorRepoGitUrl: '' }, 'stranger:main'],
    ['Jenkins, GitLab', { ...onGitLab, gitlabSourceNamespace: 'stranger' }, 'stranger:main'],
    ['Jenkins, GitLab, without namespaces', { ...onGitLab, gitlabSourceNamespace: '' }, 'fork:main'],
    [
      'Jenkins, GitLab, where two namespaces are displayed alike',
      {
        ...onGitLab,
        gitlabTargetBranch: 'next',
        gitlabSourceRepoHttpUrl: 'https://gitlab.example/acme2/shop.git',
        gitlabTargetRepoHttpUrl: 'https://gitlab.example/acme/shop.git',
      },
      'acme:main',
    ],
    ['Jenkins, GitLab', { ...onGitLab, gitlabTargetBranch: 'next' }, 'main'],
    ['Bitrise', bitrise, 'fork:main'],
    [
      'Bitrise',
      { ...bitrise, BITRISEIO_PULL_REQUEST_REPOSITORY_URL: 'https://github.com/stranger/shop.git' },
      'stranger:main',
    ],
    [
      'Bitrise',
      {
        ...bitrise,
        BITRISE_GIT_BRANCH: 'guests',
        BITRISEIO_PULL_REQUEST_REPOSITORY_URL: 'https://github.com/acme/shop.git',
      },
      'guests',
    ],
    ['Codefresh', codefresh, 'fork:main'],
    ['Codefresh', { ...codefresh, CF_BRANCH: 'guests', CF_PULL_REQUEST_IS_FORK: 'true' }, 'fork:guests'],
    ['Codefresh', { ...codefresh, CF_BRANCH: 'guests', CF_PULL_REQUEST_IS_FORK: 'false' }, 'guests'],
    ['Buddy', { ...buddy, BUDDY_EXECUTION_PULL_REQUEST_HEAD_BRANCH: 'main' }, 'fork:main'],
    ['Buddy', { ...buddy, BUDDY_EXECUTION_PULL_REQUEST_HEAD_BRANCH: 'guests' }, 'guests'],
  ];
  for (const [what, env, expected] of rows) {
    it(`${what}: ${expected ?? 'unknown'}`, () => {
      const ci = readCiEnvironment({ env });
      const { branch = null, commit = null, pull_request } = ci.metadata;
      expect({ branch, commit, pull_request }).to.deep.equal({
        branch: expected,
        commit: expected && 'bbbb',
        pull_request: '12',
      });
      expect(ci.isSourceUnknown).to.equal(expected === null);
    });
  }
});

describe('the branch on Jenkins, outside of a multibranch job,', () => {
  let folder: string;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  const branchOf = (GIT_BRANCH: string) =>
    readCiEnvironment({ env: { ...jenkins, GIT_BRANCH }, cwd: folder }).metadata.branch;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-remote-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('has no remote before it, where the checkout has that one remote', () => {
    git('init', '-q');
    git('remote', 'add', 'upstream', 'https://github.com/acme/shop.git');
    expect(['upstream/main', 'upstream/a/b', 'a/b', 'main'].map(branchOf)).to.deep.equal([
      'main',
      'a/b',
      'a/b',
      'main',
    ]);
  });

  it('stays as it is where another remote may be that of a fork', () => {
    git('init', '-q');
    git('remote', 'add', 'upstream', 'https://github.com/acme/shop.git');
    git('remote', 'add', 'stranger', 'https://github.com/stranger/shop.git');
    expect(['upstream/main', 'stranger/main', 'origin/main'].map(branchOf)).to.deep.equal([
      'upstream/main',
      'stranger/main',
      'main',
    ]);
  });

  it('stays as it is where there is no checkout', () => {
    expect(['upstream/main', 'origin/main'].map(branchOf)).to.deep.equal(['upstream/main', 'main']);
  });
});

it('reads a build of Netlify that has no address of its repository, or an odd one', () => {
  for (const env of [{}, { REPOSITORY_URL: 'shop' }]) {
    const ci = readCiEnvironment({
      env: { ...env, NETLIFY: 'true', COMMIT_REF: 'bbbb', HEAD: 'main', DEPLOY_ID: '5', SITE_NAME: 'shop' },
    });
    expect(ci).to.include({ service: 'netlify' });
    expect(ci.metadata).to.include({ branch: 'main', commit: 'bbbb' });
  }
});
