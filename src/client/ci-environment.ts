/** Facts about the build around this process: what a run is described by, and the key that joins its calls. */
import { readFileSync } from 'node:fs';
import envCi from 'env-ci';

export type CiEnvironment = {
  /** The name that `env-ci` gives the service; null outside of a known one. */
  service: string | null;
  /** Names one build of the service, and all jobs of it share it. */
  build: string | null;
  /** How often the job was started, from 1; null where the service does not say. */
  attempt: number | null;
  /** Names one job of the build, or one start of it; null where the service does not say. */
  job: string | null;
  /** The folder of the checkout. */
  root: string | null;
  /** The understood keys of a run's metadata that are known. */
  metadata: RunMetadata;
};

export type RunMetadata = {
  branch?: string;
  commit?: string;
  pull_request?: string;
  ci_url?: string;
  actor?: string;
};

type Env = Readonly<Record<string, string | undefined>>;

/** The longest text that the understood keys and a run key take. */
const TEXT_LENGTH = 255;

/** Reads the variables of the environment; outside of a known service it asks git for branch and commit. */
export function readCiEnvironment({
  env = process.env,
  cwd = process.cwd(),
}: { env?: Env; cwd?: string } = {}): CiEnvironment {
  const found = envCi({ env: { ...env }, cwd });
  const service = text(found.service);
  const own = ownNames[service ?? '']?.(env) ?? {};
  return {
    service,
    build: text(own.build) ?? text(found.buildUrl) ?? text(found.build),
    attempt: attemptOf(own.attempt),
    job: text(own.job) ?? text(found.job),
    root: text(found.root),
    metadata: known({
      branch: text(own.branch) ?? (found.isPr ? text(found.prBranch) : null) ?? text(found.branch),
      commit: text(own.commit) ?? text(found.commit),
      pull_request: text(own.pull_request) ?? (found.isPr ? text(found.pr) : null),
      ci_url: webAddress(text(own.url) ?? text(found.jobUrl) ?? text(found.buildUrl)),
      actor: text(own.actor),
    }),
  };
}

/**
 * The key of the run that one job makes: another job of the build, and a job that is started again, make runs of their
 * own. Null where no build is known.
 */
export function runKeyOfJob(ci: CiEnvironment): string | null {
  if (ci.service === null || ci.build === null) return null;
  const job = ci.job === null ? '' : ` job ${ci.job}`;
  const start = ci.attempt === null ? '' : ` attempt ${ci.attempt}`;
  return asKey(`${ci.service} ${ci.build}${job}${start}`);
}

/**
 * The key of the run that all shards of a build join, of one tool: a run cannot have calls with and without shards, and
 * two tools may split their tests into different numbers of shards.
 */
export function runKeyOfShards(ci: CiEnvironment, tool: string): string | null {
  if (ci.service === null || ci.build === null) return null;
  return asKey(`${ci.service} ${ci.build} ${tool} shards`);
}

/** A shard that is started again is sent under the next attempt that is free, where the service does not number the starts. */
export const MOST_ATTEMPTS_TRIED = 20;

/** What `env-ci` does not read, or reads otherwise. */
type OwnNames = {
  build?: string | undefined;
  attempt?: string | number | undefined;
  job?: string | undefined;
  branch?: string | null | undefined;
  commit?: string | null | undefined;
  pull_request?: string | undefined;
  url?: string | undefined;
  actor?: string | undefined;
};

const ownNames: Readonly<Record<string, (env: Env) => OwnNames>> = {
  github: (env) => ({
    build: env['GITHUB_RUN_ID'],
    attempt: env['GITHUB_RUN_ATTEMPT'],
    job: env['GITHUB_JOB'],
    // `env-ci` names the merge commit and its ref, which no branch of the project has.
    ...sourceOnGitHub(env),
    actor: env['GITHUB_TRIGGERING_ACTOR'] ?? env['GITHUB_ACTOR'],
  }),
  gitlab: (env) => ({
    build: env['CI_PIPELINE_ID'],
    // `env-ci` reads the id of all of GitLab. Pages, people and the API name a merge request by that of its project.
    pull_request: env['CI_MERGE_REQUEST_IID'],
    branch: forkBranchOnGitLab(env),
    actor: env['GITLAB_USER_LOGIN'],
  }),
  circleci: (env) => ({ build: env['CIRCLE_WORKFLOW_ID'], actor: env['CIRCLE_USERNAME'] }),
  azurePipelines: (env) => ({
    // The number that `env-ci` reads is a label: several pipelines may have the same.
    build: env['BUILD_BUILDID'],
    attempt: env['SYSTEM_JOBATTEMPT'],
    // The last one tells the jobs of a matrix apart.
    job: joined(env['SYSTEM_STAGENAME'], env['SYSTEM_PHASENAME'], env['AGENT_JOBNAME']),
    branch: branchOnAzure(env),
    // The source version is a merge that the service made, and no branch has it.
    commit: env['SYSTEM_PULLREQUEST_SOURCECOMMITID'],
    // For a repository on GitHub, the id is one of Azure's own.
    pull_request: env['SYSTEM_PULLREQUEST_PULLREQUESTNUMBER'] ?? env['SYSTEM_PULLREQUEST_PULLREQUESTID'],
    url: azureUrl(env),
    actor: env['BUILD_REQUESTEDFOR'],
  }),
  // Each build configuration of TeamCity counts its builds from 1, as each job of Jenkins does.
  teamcity: (env) => ({
    build: joined(env['TEAMCITY_PROJECT_NAME'], env['TEAMCITY_BUILDCONF_NAME'], env['BUILD_NUMBER']),
  }),
  jenkins: (env) => ({
    build: env['JOB_NAME'] && env['BUILD_NUMBER'] ? `${env['JOB_NAME']} ${env['BUILD_NUMBER']}` : undefined,
    branch: branchOnJenkins(env),
    actor: env['BUILD_USER_ID'] ?? env['CHANGE_AUTHOR'],
  }),
  bitbucket: (env) => ({ pull_request: env['BITBUCKET_PR_ID'] }),
  buildkite: (env) => ({
    build: env['BUILDKITE_BUILD_ID'],
    job: env['BUILDKITE_JOB_ID'],
    attempt:
      env['BUILDKITE_RETRY_COUNT'] === undefined ? undefined : Number(env['BUILDKITE_RETRY_COUNT']) + 1,
    actor: env['BUILDKITE_BUILD_CREATOR'],
  }),
};

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.filter(Boolean).join(' ') || undefined;
}

function azureUrl(env: Env): string | undefined {
  const [collection, project, build] = ['SYSTEM_COLLECTIONURI', 'SYSTEM_TEAMPROJECT', 'BUILD_BUILDID'].map(
    (name) => env[name],
  );
  return collection && project && build
    ? `${collection}${encodeURIComponent(project)}/_build/results?buildId=${build}`
    : undefined;
}

/** The branch of a fork, with its owner: its `main` is not that of the project, and no baseline. */
function ofFork(owner: string | undefined, branch: string): string {
  return `${owner || 'fork'}:${branch}`;
}

function forkBranchOnGitLab(env: Env): string | undefined {
  const branch = env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'];
  const [source, target] = [env['CI_MERGE_REQUEST_SOURCE_PROJECT_ID'], env['CI_MERGE_REQUEST_PROJECT_ID']];
  if (!branch || !source || !target || source === target) return undefined;
  return ofFork(env['CI_MERGE_REQUEST_SOURCE_PROJECT_PATH']?.replace(/\/[^/]*$/, ''), branch);
}

function branchOnAzure(env: Env): string | undefined {
  const branch = env['SYSTEM_PULLREQUEST_SOURCEBRANCH']?.replace(/^refs\/heads\//, '');
  return branch && env['SYSTEM_PULLREQUEST_ISFORK'] === 'True' ? ofFork(undefined, branch) : branch;
}

/** A multibranch job names a pull request by its number only. Any other job names the remote too: `origin/main`. */
function branchOnJenkins(env: Env): string | undefined {
  const { CHANGE_BRANCH: change, CHANGE_FORK: fork } = env;
  if (change) return fork ? ofFork(fork, change) : change;
  if (env['ghprbPullId'] || env['gitlabMergeRequestId']) return undefined;
  return env['BRANCH_NAME'] || (env['GIT_LOCAL_BRANCH'] || env['GIT_BRANCH'])?.replace(/^origin\//, '');
}

type EventOfPullRequest = {
  pull_request?: {
    head?: { sha?: unknown; label?: unknown; repo?: { full_name?: unknown } | null };
    base?: { repo?: { full_name?: unknown } };
  };
};

/** A pull request is built at a merge commit that its author did not push; its event has the commit that they did. */
function sourceOnGitHub(env: Env): Pick<OwnNames, 'branch' | 'commit'> {
  // Of a tag, `env-ci` gives the whole ref: `refs/tags/v1`.
  const tag = env['GITHUB_REF_TYPE'] === 'tag' ? env['GITHUB_REF_NAME'] : undefined;
  const branch = env['GITHUB_HEAD_REF'] || tag;
  const { head, base } = eventOf(env['GITHUB_EVENT_PATH']).pull_request ?? {};
  const commit = text(head?.sha);
  const target = text(base?.repo?.full_name);
  // A fork that was deleted has no repository.
  const isOfFork = target !== null && text(head?.repo?.full_name) !== target;
  if (!branch || !isOfFork) return { branch, commit };
  return { branch: ofFork(text(head?.label)?.split(':')[0], branch), commit };
}

function eventOf(path: string | undefined): EventOfPullRequest {
  if (!path) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as EventOfPullRequest;
  } catch {
    // The file belongs to the runner and may be missing in a container. The variables of the environment then stand.
    return {};
  }
}

function attemptOf(value: string | number | undefined): number | null {
  const attempt = Number(value);
  return Number.isInteger(attempt) && attempt >= 1 && attempt <= 1_000 ? attempt : null;
}

/** Null for what is missing or empty. Numbers become text. */
function text(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return value === '' ? null : String(value);
}

function webAddress(value: string | null): string | null {
  // Services put their addresses together from variables that may be missing.
  return value !== null && /^https?:\/\//.test(value) && !value.includes('undefined') ? value : null;
}

function known(fields: Record<keyof RunMetadata, string | null>): RunMetadata {
  // A longer text is no field of the run, so it is left out as a whole: a cut branch is another branch.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && Array.from(value).length <= TEXT_LENGTH),
  );
}

/** Keys have a bound, and the end of a key is what tells builds apart. */
function asKey(key: string): string {
  return Array.from(key).slice(-TEXT_LENGTH).join('');
}
