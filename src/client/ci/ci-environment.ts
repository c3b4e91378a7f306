/** Facts about the build around this process: what a run is described by, and the key that joins its calls. */
import envCi from 'env-ci';
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
  /** The folder of the checkout. */
  root: string | null;
  /** The service tells this process neither the branch nor the commit that it tested. */
  isSourceUnknown: boolean;
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
  // It reads the event of GitHub too, and throws where it cannot; `ciServices` reads it. On Netlify it throws where the
  // address of the repository is missing, of which nothing here is read.
  const found = envCi({ env: { ...env, GITHUB_EVENT_PATH: undefined, REPOSITORY_URL: 'owner/name' }, cwd });
  const service = text(found.service);
  const own = ciServices[service ?? '']?.(env, cwd) ?? {};
  const isPull = own.isPullRequest ?? found.isPr === true;
  const branch = isPull ? branchOfPull(own, found) : (text(own.branch) ?? text(found.branch));
  // Another branch than the one that a pull request is for must never stand for it.
  const isUnknown = own.isUnknown === true || (isPull && branch === null);
  return {
    service,
    build: text(own.build) ?? text(found.buildUrl) ?? text(found.build),
    attempt: attemptOf(own.attempt),
    job: text(own.job) ?? text(found.job),
    root: text(found.root),
    isSourceUnknown: isUnknown,
    metadata: known({
      branch: isUnknown ? null : branch,
      commit: isUnknown ? null : (text(own.commit) ?? text(found.commit)),
      pull_request: text(own.pull_request) ?? (isPull ? text(found.pr) : null),
      ci_url: webAddress(text(own.url) ?? text(found.jobUrl) ?? text(found.buildUrl)),
      actor: text(own.actor),
    }),
  };
}

/** Two branches of one repository have two names, so a branch that is to be merged into its like is that of a fork. */
function branchOfPull(own: OwnNames, found: ReturnType<typeof envCi>): string | null {
  const branch = text(own.branch) ?? text(found.prBranch);
  const target = text(own.target ?? found.branch);
  return branch !== null && branch === target ? ofFork(undefined, branch) : branch;
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
