/** What each CI service says of a build, where `env-ci` does not read it or reads it otherwise: docs/ci.md has the table. */
import { ofFork, ofOther, ownerOf, ownerOfUrl } from './fork-branch.js';
import { sourceOnGitHub, type Source } from './github-event.js';
import { sourceOnJenkins } from './jenkins-source.js';

type Env = Readonly<Record<string, string | undefined>>;

export type OwnNames = Source & {
  /** Whether a pull request was built, where `env-ci` does not see it. */
  isPullRequest?: boolean;
  build?: string | undefined;
  /** Where `env-ci` does not read it. With the build it is one of all builds of the service. */
  repository?: string | undefined;
  /** How often the whole build was started, where the service counts that, and not the starts of each job. */
  buildAttempt?: string | undefined;
  /** How often the job was started, from 1. */
  attempt?: string | number | undefined;
  /** Names one job, stage or step of the build. */
  job?: string | undefined;
  /** Where a job is started again in the same build: what its starts have in common. */
  jobOfStarts?: string | undefined;
  /** Which start of it this is. Two jobs that share the name have the same one, so that neither stands for the other. */
  jobStart?: string | undefined;
  url?: string | undefined;
  actor?: string | undefined;
  /** The operating system of the runner. */
  os?: string | undefined;
};

/** By the name that `env-ci` gives the service. A missing field is left to `env-ci`. */
export const ciServices: Readonly<Record<string, (env: Env, cwd: string) => OwnNames>> = {
  github: (env) => ({
    build: env['GITHUB_RUN_ID'],
    attempt: env['GITHUB_RUN_ATTEMPT'],
    buildAttempt: env['GITHUB_RUN_ATTEMPT'],
    // The legs of a matrix have one name, and no variable says which leg this is.
    job: joined(env['GITHUB_JOB'], env['RUNNER_NAME']),
    // A job that is started again gets another runner.
    jobOfStarts: env['GITHUB_JOB'],
    jobStart: env['GITHUB_RUN_ATTEMPT'],
    ...sourceOnGitHub(env),
    os: env['RUNNER_OS'],
    actor: env['GITHUB_TRIGGERING_ACTOR'] ?? env['GITHUB_ACTOR'],
  }),
  gitlab: (env) => ({
    build: env['CI_PIPELINE_ID'],
    // One of its pipeline, also in a matrix: `test: [linux, 22]`.
    jobOfStarts: env['CI_JOB_NAME'],
    jobStart: env['CI_JOB_ID'],
    // `env-ci` reads the id of all of GitLab. Pages, people and the API name a merge request by that of its project.
    pull_request: env['CI_MERGE_REQUEST_IID'],
    branch: forkBranchOnGitLab(env),
    // Set in pipelines for merged results alone, whose own commit is a merge that nobody wrote.
    commit: env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'],
    actor: env['GITLAB_USER_LOGIN'],
  }),
  circleci: (env) => ({
    build: env['CIRCLE_WORKFLOW_ID'],
    branch: ofOther(env['CIRCLE_BRANCH'], env['CIRCLE_PR_USERNAME'], undefined),
    actor: env['CIRCLE_USERNAME'],
  }),
  azurePipelines: (env) => ({
    // The number that `env-ci` reads is a label: several pipelines may have the same.
    build: env['BUILD_BUILDID'],
    repository: env['BUILD_REPOSITORY_NAME'],
    attempt: env['SYSTEM_JOBATTEMPT'],
    // The last one tells the jobs of a matrix apart.
    job: jobOnAzure(env),
    jobOfStarts: jobOnAzure(env),
    jobStart: env['SYSTEM_JOBATTEMPT'],
    branch: branchOnAzure(env),
    // The source version is a merge that the service made, and no branch has it.
    commit: env['SYSTEM_PULLREQUEST_SOURCECOMMITID'],
    // For a repository on GitHub, the id is one of Azure's own.
    pull_request: env['SYSTEM_PULLREQUEST_PULLREQUESTNUMBER'] ?? env['SYSTEM_PULLREQUEST_PULLREQUESTID'],
    url: azureUrl(env),
    actor: env['BUILD_REQUESTEDFOR'],
    os: env['AGENT_OS'],
  }),
  // Each build configuration of TeamCity counts its builds from 1, as each job of Jenkins does.
  teamcity: (env) => ({
    build: joined(env['TEAMCITY_PROJECT_NAME'], env['TEAMCITY_BUILDCONF_NAME'], env['BUILD_NUMBER']),
    // `env-ci` gives the configuration once more.
    repository: '',
  }),
  jenkins: (env, cwd) => ({
    ...buildOnJenkins(env),
    ...sourceOnJenkins(env, cwd),
    actor: env['BUILD_USER_ID'] ?? env['CHANGE_AUTHOR'],
  }),
  bitbucket: (env) => ({
    job: env['BITBUCKET_STEP_UUID'],
    jobOfStarts: env['BITBUCKET_STEP_UUID'],
    jobStart: env['BITBUCKET_STEP_RUN_NUMBER'],
    attempt: env['BITBUCKET_STEP_RUN_NUMBER'],
    pull_request: env['BITBUCKET_PR_ID'],
  }),
  buildkite: (env) => ({
    build: env['BUILDKITE_BUILD_ID'],
    // `env-ci` reads fewer forms of addresses.
    repository: env['BUILDKITE_REPO']?.replaceAll(/^\w+:\/\/[^/]+\/|^[^@/]+@[^:]+:|(?:\.git)?\/?$/g, ''),
    job: env['BUILDKITE_JOB_ID'],
    // The legs of a matrix may share all three.
    jobOfStarts: joined(env['BUILDKITE_STEP_ID'], env['BUILDKITE_PARALLEL_JOB'], env['BUILDKITE_LABEL']),
    jobStart: env['BUILDKITE_RETRY_COUNT'],
    branch: ofOther(
      env['BUILDKITE_BRANCH'],
      ownerOfUrl(env['BUILDKITE_PULL_REQUEST_REPO']),
      ownerOfUrl(env['BUILDKITE_REPO']),
    ),
    attempt:
      env['BUILDKITE_RETRY_COUNT'] === undefined ? undefined : Number(env['BUILDKITE_RETRY_COUNT']) + 1,
    actor: env['BUILDKITE_BUILD_CREATOR'],
  }),
  // The commit of a pull request is a merge that the service made.
  travis: (env) => ({
    build: env['TRAVIS_BUILD_ID'],
    job: env['TRAVIS_JOB_ID'],
    commit: env['TRAVIS_PULL_REQUEST_SHA'],
    branch: ofOther(
      env['TRAVIS_PULL_REQUEST_BRANCH'],
      ownerOf(env['TRAVIS_PULL_REQUEST_SLUG']),
      ownerOf(env['TRAVIS_REPO_SLUG']),
    ),
    os: env['TRAVIS_OS_NAME'],
  }),
  appveyor: (env) => ({
    // Two projects of a repository count their builds each from 1.
    build: env['APPVEYOR_BUILD_ID'],
    job: env['APPVEYOR_JOB_ID'],
    jobOfStarts: joined(env['APPVEYOR_JOB_NUMBER'], env['APPVEYOR_JOB_NAME']),
    jobStart: env['APPVEYOR_JOB_ID'],
    commit: env['APPVEYOR_PULL_REQUEST_HEAD_COMMIT'],
    branch: ofOther(
      env['APPVEYOR_PULL_REQUEST_HEAD_REPO_BRANCH'],
      ownerOf(env['APPVEYOR_PULL_REQUEST_HEAD_REPO_NAME']),
      ownerOf(env['APPVEYOR_REPO_NAME']),
    ),
  }),
  semaphore: (env) => ({
    build: env['SEMAPHORE_WORKFLOW_ID'],
    job: env['SEMAPHORE_JOB_ID'],
    // A promotion is another pipeline of the workflow, whose blocks may have the same names.
    ...(env['SEMAPHORE_PIPELINE_PROMOTION'] !== 'true' && {
      jobOfStarts: joined(env['SEMAPHORE_BLOCK_NAME'], env['SEMAPHORE_JOB_NAME'], env['SEMAPHORE_JOB_INDEX']),
      jobStart: env['SEMAPHORE_PIPELINE_ID'],
    }),
    commit: env['SEMAPHORE_GIT_PR_SHA'],
    branch: ofOther(
      env['SEMAPHORE_GIT_PR_BRANCH'],
      ownerOf(env['SEMAPHORE_GIT_PR_SLUG']),
      ownerOf(env['SEMAPHORE_GIT_REPO_SLUG']),
    ),
  }),
  // A build that is started again has another number.
  drone: (env) => ({
    job: joined(env['DRONE_STAGE_NAME'], env['DRONE_STEP_NAME']),
    os: env['DRONE_STAGE_OS'],
    // A pull request that is promoted has another event, and the target as its branch.
    ...(env['DRONE_PULL_REQUEST'] && {
      isPullRequest: true,
      branch: env['DRONE_SOURCE_BRANCH'],
      target: env['DRONE_TARGET_BRANCH'],
      pull_request: env['DRONE_PULL_REQUEST'],
    }),
  }),
  woodpecker: (env) => ({
    job: joined(env['CI_WORKFLOW_NAME'], env['CI_WORKFLOW_NUMBER'], env['CI_STEP_NAME']),
    // Also that a pull request was closed, or got another label.
    ...(/^pull_request(?:_|$)/.test(env['CI_PIPELINE_EVENT'] ?? '') && {
      isPullRequest: true,
      branch: env['CI_COMMIT_SOURCE_BRANCH'],
      target: env['CI_COMMIT_TARGET_BRANCH'],
      pull_request: env['CI_COMMIT_PULL_REQUEST'],
    }),
  }),
  bitrise: (env) => ({
    branch:
      env['BITRISE_PULL_REQUEST'] &&
      ofOther(
        env['BITRISE_GIT_BRANCH'],
        ownerOfUrl(env['BITRISEIO_PULL_REQUEST_REPOSITORY_URL']),
        env['BITRISEIO_GIT_REPOSITORY_OWNER'] || ownerOfUrl(env['GIT_REPOSITORY_URL']),
      ),
  }),
  codefresh: (env) => ({
    branch:
      env['CF_BRANCH'] && env['CF_PULL_REQUEST_IS_FORK'] === 'true'
        ? ofFork(undefined, env['CF_BRANCH'])
        : undefined,
  }),
  // `env-ci` gives the head as the target.
  buddy: (env) => ({
    branch: env['BUDDY_EXECUTION_PULL_REQUEST_HEAD_BRANCH'],
    target: env['BUDDY_EXECUTION_PULL_REQUEST_BASE_BRANCH'] ?? '',
  }),
};

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.filter(Boolean).join(' ') || undefined;
}

/**
 * A leg of a matrix project has its axes in the name of its job. Those of a pipeline run one stage at the same time, each on an
 * executor of its own.
 */
function buildOnJenkins(env: Env): OwnNames {
  const [, name, axes] = /^(.*?)(?:\/([^/=]+=[^/]*))?$/.exec(env['JOB_NAME'] ?? '') ?? [];
  return {
    build: name && env['BUILD_NUMBER'] ? `${name} ${env['BUILD_NUMBER']}` : undefined,
    job: joined(axes, env['STAGE_NAME'], env['NODE_NAME'], env['EXECUTOR_NUMBER']),
  };
}

function jobOnAzure(env: Env): string | undefined {
  return joined(env['SYSTEM_STAGENAME'], env['SYSTEM_PHASENAME'], env['AGENT_JOBNAME']);
}

function azureUrl(env: Env): string | undefined {
  const [collection, project, build] = ['SYSTEM_COLLECTIONURI', 'SYSTEM_TEAMPROJECT', 'BUILD_BUILDID'].map(
    (name) => env[name],
  );
  return collection && project && build
    ? `${collection}${encodeURIComponent(project)}/_build/results?buildId=${build}`
    : undefined;
}

function forkBranchOnGitLab(env: Env): string | undefined {
  const branch = env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'];
  const [source, target] = [env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'], env['CI_MERGE_REQUEST_PROJECT_ID']];
  if (!branch || !source || !target || source === target) return undefined;
  return ofFork(ownerOf(env['CI_MERGE_REQUEST_SOURCE_PROJECT_PATH']), branch);
}

function branchOnAzure(env: Env): string | undefined {
  const branch = env['SYSTEM_PULLREQUEST_SOURCEBRANCH']?.replace(/^refs\/heads\//, '');
  return branch && env['SYSTEM_PULLREQUEST_ISFORK'] === 'True' ? ofFork(undefined, branch) : branch;
}
