/** Facts about the build around this process: what a run is described by, and the key that joins its calls. */
import { createHash } from 'node:crypto';
import envCi from 'env-ci';
import { isValue, keyOfEnvironment, type Environment } from '../../domain/environment.js';
import { ciServices, type OwnNames } from './ci-services.js';
import { ofFork } from './fork-branch.js';

export type CiEnvironment = {
  /** The name that `env-ci` gives the service; null outside of a known one. */
  service: string | null;
  /** Names one build of the service, and all jobs of it share it. */
  build: string | null;
  /** How often the job was started, from 1; null where the service does not say. */
  attempt: number | null;
  /** Names one job of the build, or one start of it; null where the service does not say. */
  job: string | null;
  /** The builds that are the earlier starts of this one, as `metadata.build` names them, the newest first. */
  earlierBuilds: readonly string[];
  /**
   * Where the service counts the starts of a whole build: what the names of its jobs begin with in `metadata.job`, and which
   * start this is, as `metadata.job_start` has it. Null elsewhere.
   */
  start: { jobs: string; start: string } | null;
  /** The folder of the checkout. */
  root: string | null;
  /** The service tells this process neither the branch nor the commit that it tested. */
  isSourceUnknown: boolean;
  /** The operating system: the environment of tests for which none is given. */
  environment: Environment;
  /** The understood keys of a run's metadata that are known. */
  metadata: RunMetadata;
  /** Only of a run with the key of its job: one that several jobs join is of none of them. */
  jobMetadata: JobMetadata;
};

export type RunMetadata = {
  branch?: string;
  commit?: string;
  pull_request?: string;
  ci_url?: string;
  actor?: string;
  /** The build and its start, which all of its jobs share. */
  build?: string;
};

/** Tells a job that was started again from another job of the build: by it a gate finds the newest start. */
export type JobMetadata = {
  /** All starts of the job in one build have it. */
  job?: string;
  job_start?: string;
};

type Env = Readonly<Record<string, string | undefined>>;

/** The longest text that the understood keys and a run key take. */
const TEXT_LENGTH = 255;

/** Reads the variables of the environment; outside of a known service it asks git for branch and commit. */
export function readCiEnvironment({
  env = process.env,
  cwd = process.cwd(),
}: { env?: Env; cwd?: string } = {}): CiEnvironment {
  // It reads the event of GitHub too, and throws where it cannot; `ciServices` reads it. On Netlify it throws where the
  // address of the repository is missing, of which nothing here is read.
  const found = envCi({ env: { ...env, GITHUB_EVENT_PATH: undefined, REPOSITORY_URL: 'owner/name' }, cwd });
  const service = text(found.service);
  const own = ciServices[service ?? '']?.(env, cwd) ?? {};
  const isPull = own.isPullRequest ?? found.isPr === true;
  const branch = isPull ? branchOfPull(own, found) : (text(own.branch) ?? text(found.branch));
  // Another branch than the one that a pull request is for must never stand for it.
  const isUnknown = own.isUnknown === true || (isPull && branch === null);
  const build = text(own.build) ?? text(found.buildUrl) ?? text(found.build);
  const wholeBuild = nameOfBuild(service, build, own, found);
  const jobOfStarts = text(own.jobOfStarts);
  return {
    service,
    build,
    attempt: attemptOf(own.attempt),
    job: text(own.job) ?? text(found.job),
    earlierBuilds: env['TESTLEDGER_BUILD'] ? [] : earlierBuilds(wholeBuild, own.buildAttempt),
    start:
      wholeBuild !== null && own.buildAttempt ? { jobs: `${wholeBuild} `, start: own.buildAttempt } : null,
    root: text(found.root),
    isSourceUnknown: isUnknown,
    environment: { os: operatingSystem(text(own.os)) },
    metadata: known({
      branch: isUnknown ? null : branch,
      commit: isUnknown ? null : (text(own.commit) ?? text(found.commit)),
      pull_request: text(own.pull_request) ?? (isPull ? text(found.pr) : null),
      ci_url: webAddress(text(own.url) ?? text(found.jobUrl) ?? text(found.buildUrl)),
      actor: text(own.actor),
      build: text(env['TESTLEDGER_BUILD']) ?? startOf(wholeBuild, own.buildAttempt),
    }),
    jobMetadata:
      wholeBuild === null || jobOfStarts === null
        ? {}
        : known({ job: `${wholeBuild} ${jobOfStarts}`, job_start: text(own.jobStart) }),
  };
}

/** Every client makes the same text of it, the plugin of pytest too: by it a gate finds all runs of the build. */
function nameOfBuild(
  service: string | null,
  build: string | null,
  own: OwnNames,
  { slug, build: number }: ReturnType<typeof envCi>,
): string | null {
  if (service === null || build === null) return null;
  const repository = own.repository ?? made(slug);
  // A number is one of its repository alone; an address is one of all builds.
  const name = text(own.build) ?? (repository === null ? build : text(number));
  return [service, repository, name].filter(Boolean).join(' ');
}

function startOf(build: string | null, attempt: string | number | undefined): string | null {
  return build !== null && attempt ? `${build} attempt ${attempt}` : build;
}

/** The newest first. */
function earlierBuilds(build: string | null, attempt: string | undefined): string[] {
  const before = build === null ? 0 : Math.min((attemptOf(attempt) ?? 1) - 1, MOST_EARLIER_BUILDS);
  return Array.from({ length: before }, (_, n) => startOf(build, Number(attempt) - 1 - n)!);
}

/** Each is a call of a gate. */
const MOST_EARLIER_BUILDS = 20;

/** A service may run the command in another system than the one of its runner. */
function operatingSystem(ofRunner: string | null): string {
  const name = (ofRunner ?? process.platform).toLowerCase();
  if (name.startsWith('win')) return 'windows';
  if (/^(?:darwin|mac ?os|osx)/.test(name)) return 'macos';
  return isValue(name) ? name : process.platform;
}

/** Two branches of one repository have two names, so a branch that is to be merged into its like is that of a fork. */
function branchOfPull(own: OwnNames, found: ReturnType<typeof envCi>): string | null {
  const branch = text(own.branch) ?? text(found.prBranch);
  const target = text(own.target ?? found.branch);
  return branch !== null && branch === target ? ofFork(undefined, branch) : branch;
}

/**
 * The key of the run that one job makes: another job of the build, another environment, and a job that is started again, make
 * runs of their own. Null where no build is known.
 */
export function runKeyOfJob(ci: CiEnvironment, environment: Environment | null): string | null {
  if (ci.service === null || ci.build === null) return null;
  const job = ci.job === null ? '' : ` job ${ci.job}`;
  const start = ci.attempt === null ? '' : ` attempt ${ci.attempt}`;
  return keyIn(environment, `${ci.service} ${ci.build}${job}${start}`);
}

/**
 * The key of the run that all shards of a build join, of one tool and one environment: a run cannot have calls with and without
 * shards, and two tools may split their tests into different numbers of shards.
 */
export function runKeyOfShards(
  ci: CiEnvironment,
  tool: string,
  environment: Environment | null,
): string | null {
  if (ci.service === null || ci.build === null) return null;
  return keyIn(environment, `${ci.service} ${ci.build} ${tool} shards`);
}

/** The legs of a matrix must not share what has this name. */
export function keyIn(environment: Environment | null, name: string): string {
  return asKey(`${name} ${keyOfEnvironment(environment)}`.trimEnd());
}

/** A shard that is started again is sent under the next attempt that is free, where the service does not number the starts. */
export const MOST_ATTEMPTS_TRIED = 20;

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
  return value !== null && /^https?:\/\//.test(value) ? made(value) : null;
}

/** Services put some texts together from variables that may be missing. */
function made(value: string | undefined): string | null {
  return value?.includes('undefined') ? null : text(value);
}

function known<Name extends string>(fields: Record<Name, string | null>): Partial<Record<Name, string>> {
  // A longer text is no field of the run, so it is left out as a whole: a cut branch is another branch.
  const entries = Object.entries<string | null>(fields);
  return Object.fromEntries(
    entries.filter(([, value]) => value !== null && Array.from(value).length <= TEXT_LENGTH),
  ) as Partial<Record<Name, string>>;
}

/** Keys have a bound, and each part of a key may be the one that tells it from another. */
function asKey(key: string): string {
  const characters = Array.from(key);
  if (characters.length <= TEXT_LENGTH) return key;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return `${characters.slice(0, TEXT_LENGTH - digest.length - 1).join('')} ${digest}`;
}
