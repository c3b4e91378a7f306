/** The variables of a job for pull request 12, `guests` into `main`, on each service that docs/ci.md has a recipe for. */
import { TOKEN, type FakeForge } from '../forge/fake-forge.js';

type Env = Record<string, string>;

export const COMMIT = '0123456789abcdef';

/** The file of `GITHUB_EVENT_PATH` has this. */
export const eventOfPullRequest = {
  number: 12,
  pull_request: {
    number: 12,
    head: { ref: 'guests', sha: COMMIT, repo: { full_name: 'acme/shop' } },
    base: { ref: 'main', repo: { full_name: 'acme/shop' } },
  },
};

/** As docs/ci.md says for a service whose repository is on GitHub: GitHub itself has all but the token. */
function onGitHub({ url }: FakeForge): Env {
  return { GITHUB_REPOSITORY: 'acme/shop', GITHUB_API_URL: url, GITHUB_TOKEN: TOKEN };
}

export const services: Record<string, (forge: FakeForge, event: string) => Env> = {
  'GitHub Actions': (forge, event) => ({
    ...onGitHub(forge),
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_RUN_ID: '77',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: 'test',
    RUNNER_NAME: 'a',
    RUNNER_OS: 'Linux',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: event,
    GITHUB_HEAD_REF: 'guests',
    GITHUB_SHA: 'aaaa',
  }),
  GitLab: ({ url }) => ({
    GITLAB_CI: 'true',
    CI_API_V4_URL: `${url}/api/v4`,
    CI_PROJECT_ID: '5',
    CI_PROJECT_PATH: 'acme/shop',
    CI_PROJECT_URL: 'https://gitlab.example/acme/shop',
    CI_PIPELINE_ID: '77',
    CI_JOB_ID: '501',
    CI_JOB_NAME: 'test',
    CI_COMMIT_SHA: 'aaaa',
    CI_COMMIT_REF_NAME: 'main',
    CI_MERGE_REQUEST_ID: '9',
    CI_MERGE_REQUEST_IID: '12',
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'guests',
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: COMMIT,
    TESTLEDGER_GITLAB_TOKEN: TOKEN,
  }),
  Jenkins: (forge) => ({
    ...onGitHub(forge),
    JENKINS_URL: 'https://ci',
    JOB_NAME: 'shop/PR-12',
    BUILD_NUMBER: '5',
    NODE_NAME: 'a',
    GIT_COMMIT: COMMIT,
    CHANGE_ID: '12',
    CHANGE_BRANCH: 'guests',
    CHANGE_TARGET: 'main',
  }),
  CircleCI: (forge) => ({
    ...onGitHub(forge),
    CIRCLECI: 'true',
    CIRCLE_PROJECT_USERNAME: 'acme',
    CIRCLE_PROJECT_REPONAME: 'shop',
    CIRCLE_WORKFLOW_ID: 'w-1',
    CIRCLE_BUILD_NUM: '5',
    CIRCLE_NODE_INDEX: '0',
    CIRCLE_SHA1: COMMIT,
    CIRCLE_BRANCH: 'guests',
    CIRCLE_PULL_REQUEST: 'https://github.com/acme/shop/pull/12',
  }),
  'Azure Pipelines': (forge) => ({
    ...onGitHub(forge),
    BUILD_BUILDURI: 'vstfs:///Build/9',
    BUILD_BUILDID: '9',
    BUILD_BUILDNUMBER: '20261129.1',
    BUILD_REPOSITORY_NAME: 'acme/shop',
    AGENT_OS: 'Linux',
    SYSTEM_JOBATTEMPT: '1',
    BUILD_SOURCEBRANCH: 'refs/pull/12/merge',
    BUILD_SOURCEVERSION: 'aaaa',
    SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: '12',
    SYSTEM_PULLREQUEST_PULLREQUESTID: '812',
    SYSTEM_PULLREQUEST_SOURCEBRANCH: 'guests',
    SYSTEM_PULLREQUEST_TARGETBRANCH: 'main',
    SYSTEM_PULLREQUEST_SOURCECOMMITID: COMMIT,
  }),
};
