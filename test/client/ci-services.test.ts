import { expect } from 'chai';
import { readCiEnvironment } from '../../src/client/ci/ci-environment.js';
import { github, gitlab, withEvent } from './ci-events.js';

/** A branch, as the event `status` lists it. */
const pushed = (name: string, sha: string) => ({ name, commit: { sha } });

describe('the environment of a build', () => {
  describe('names what was tested, on GitHub, for the event', () => {
    const [own, fork] = [{ full_name: 'acme/shop' }, { full_name: 'stranger/shop' }];
    const head = { ref: 'guests', sha: 'bbbb', label: 'stranger:guests' };
    const pull = { number: 12, head: { ...head, repo: own }, base: { repo: own } };
    const run = {
      head_branch: 'guests',
      head_sha: 'bbbb',
      head_repository: own,
      pull_requests: [{ number: 12 }],
    };
    const source = { branch: 'guests', commit: 'bbbb', pull_request: '12' };
    const queue = 'gh-readonly-queue/main/pr-12-0123abc';
    const rows: [event: string, content: object, Record<string, string>, env?: Record<string, string>][] = [
      ['pull_request', { number: 12, pull_request: pull }, source, { GITHUB_HEAD_REF: 'guests' }],
      ['pull_request_target', { pull_request: pull }, source, { GITHUB_HEAD_REF: 'guests' }],
      ['pull_request_review', { pull_request: pull }, source],
      [
        'pull_request_review_comment',
        { pull_request: { ...pull, head: { ...head, repo: fork } } },
        { ...source, branch: 'stranger:guests' },
      ],
      ['workflow_run', { workflow_run: run, repository: own }, source],
      [
        'workflow_run',
        { workflow_run: { ...run, head_repository: fork, pull_requests: [] }, repository: own },
        { branch: 'stranger:guests', commit: 'bbbb' },
      ],
      [
        'check_suite',
        { check_suite: { head_branch: 'guests', head_sha: 'bbbb' } },
        { branch: 'guests', commit: 'bbbb' },
      ],
      [
        'check_run',
        { check_run: { head_sha: 'bbbb', check_suite: { head_branch: 'guests' } } },
        { branch: 'guests', commit: 'bbbb' },
      ],
      [
        'merge_group',
        { merge_group: { head_ref: `refs/heads/${queue}`, head_sha: 'cccc' } },
        { branch: queue, commit: 'cccc', pull_request: '12' },
      ],
      [
        'merge_group',
        {},
        { branch: queue, commit: 'aaaa', pull_request: '12' },
        { GITHUB_REF: `refs/heads/${queue}` },
      ],
      [
        'status',
        { sha: 'bbbb', branches: [pushed('guests', 'bbbb'), pushed('main', 'cccc')] },
        { branch: 'guests', commit: 'bbbb' },
      ],
      ['issue_comment', { issue: { number: 3 } }, { branch: 'main', commit: 'aaaa' }],
      ['schedule', {}, { branch: 'main', commit: 'aaaa' }],
      ['workflow_dispatch', {}, { branch: 'main', commit: 'aaaa' }],
    ];
    for (const [event, content, expected, env = {}] of rows) {
      it(`${event} (${JSON.stringify(expected)})`, () =>
        withEvent(content, (path) => {
          const ci = readCiEnvironment({
            env: { ...github, GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: path, ...env },
          });
          const { branch, commit, pull_request } = ci.metadata;
          expect({ branch, commit, ...(pull_request && { pull_request }) }).to.deep.equal(expected);
          expect(ci.isSourceUnknown).to.equal(false);
        }));
    }

    for (const [event, content] of [
      ['issue_comment', { issue: { number: 12, pull_request: {} } }],
      ['issue_comment', {}],
      ['status', { sha: 'bbbb', branches: [] }],
      ['status', { sha: 'bbbb', branches: [pushed('main', 'cccc')] }],
      ['status', { sha: 'bbbb', branches: [pushed('main', 'bbbb'), pushed('guests', 'bbbb')] }],
      ['status', {}],
      ['workflow_run', {}],
      ['pull_request', {}],
      ['pull_request_target', {}],
      ['check_suite', { check_suite: { head_branch: null, head_sha: 'bbbb' } }],
    ] as const) {
      it(`${event}, and nothing rather than the default branch where ${JSON.stringify(content)} does not say it`, () =>
        withEvent(content, (path) => {
          const ci = readCiEnvironment({
            env: { ...github, GITHUB_EVENT_NAME: event, GITHUB_EVENT_PATH: path },
          });
          expect(ci.isSourceUnknown).to.equal(true);
          expect(ci.metadata).to.not.have.any.keys('branch', 'commit');
        }));
    }
  });

  it('reads no event that is missing or broken, and then names no branch: it may be that of a fork', async () => {
    const head = { ...github, GITHUB_EVENT_NAME: 'pull_request_target', GITHUB_HEAD_REF: 'main' };
    for (const GITHUB_EVENT_PATH of ['/nowhere/event.json', '/', ''])
      expect(readCiEnvironment({ env: { ...head, GITHUB_EVENT_PATH } }).isSourceUnknown).to.equal(true);
    await withEvent(JSON.parse('null'), (path) =>
      expect(readCiEnvironment({ env: { ...head, GITHUB_EVENT_PATH: path } }).isSourceUnknown).to.equal(true),
    );
  });

  describe('names what was proposed, not a merge that the service made, on', () => {
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
    ];
    for (const [service, env, source] of rows) {
      it(service, () => {
        const { branch, commit, pull_request } = readCiEnvironment({ env }).metadata;
        expect({ branch, commit, pull_request }).to.deep.equal(source);
      });
    }
  });
});
