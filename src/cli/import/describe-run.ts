/** What a run is called, and which calls join it: from the flags, the CI environment and the reports. It is pure. */
import {
  keyIn,
  runKeyOfJob,
  runKeyOfShards,
  type CiEnvironment,
  type RunMetadata,
} from '../../client/ci/ci-environment.js';
import { MOST_SHARDS, shardFrom } from '../../client/shard.js';
import type { Environment } from '../../domain/environment.js';
import type { RunFacts } from '../../importers/entry.js';
import { failWith } from '../errors.js';
import type { Survey } from './survey.js';

/** Every field of the flags overrides what is found. */
export type RunFlags = RunMetadata & {
  environment?: Environment | undefined;
  runKey?: string;
  shard?: string;
  attempt?: number;
  label?: string;
  tool?: string;
};

export type RunDescription = {
  run_key: string;
  shard: { index: number; total: number; attempt: number } | null;
  /** Whether a flag or the CI service says the attempt of the shard. */
  isAttemptKnown: boolean;
  label: string | null;
  metadata: Readonly<Record<string, unknown>>;
  started_at: string | null;
  /** Null where nothing says it. */
  finished_at: string | null;
};

/** `contentKey` is the key where there is no other one. @throws CliError `usage` */
export function describeRun(
  flags: RunFlags,
  ci: CiEnvironment,
  { facts }: Pick<Survey, 'facts'>,
  contentKey: string,
): RunDescription {
  const shard = shardOf(flags, ci, facts);
  const tool = flags.tool ?? facts.tool;
  const { environment = ci.environment } = flags;
  // The tool of the report is none of the key: `gate --sharded` has the flags alone.
  const named = flags.runKey ?? facts.run_key;
  const known = named ?? keyOfBuild(ci, shard !== null, flags);
  const isOfJob = named === undefined && shard === null;
  if (known === null && shard !== null)
    failWith('usage', '--shard needs --run-key: no CI build was found that joins the shards');
  if (ci.isSourceUnknown && (flags.branch === undefined || flags.commit === undefined))
    failWith(
      'usage',
      'this event does not say which branch and commit were tested: name them with --branch and --commit',
    );
  const { started_at = null, finished_at = null, label = null } = facts;
  return {
    // Without the build, the same results of another one would be the same run.
    run_key: known ?? keyIn(environment, [ci.metadata.build, contentKey].filter(Boolean).join(' ')),
    shard,
    isAttemptKnown: (flags.attempt ?? ci.attempt) !== null,
    label: flags.label ?? label,
    metadata: { ...metadataOf(flags, ci, facts, tool), ...(isOfJob && ci.jobMetadata), environment },
    started_at,
    finished_at,
  };
}

/** The key that `import`, `gate` and `summary` of one job have in common. Null outside of a known CI service. */
export function keyOfBuild(
  ci: CiEnvironment,
  isSharded: boolean,
  {
    tool = 'tests',
    environment = ci.environment,
  }: { tool?: string | undefined; environment?: Environment | undefined },
): string | null {
  return isSharded ? runKeyOfShards(ci, tool, environment) : runKeyOfJob(ci, environment);
}

/**
 * The shard that a report names counts only with a run key of the flags. Without one, no other command would find the run:
 * `gate` and `summary` look for that of the job, unless they are told that it has shards.
 * @throws CliError `usage`
 */
function shardOf(flags: RunFlags, ci: CiEnvironment, facts: RunFacts): RunDescription['shard'] {
  const attempt = flags.attempt ?? ci.attempt ?? 1;
  if (flags.shard !== undefined) {
    const shard = shardFrom(flags.shard);
    if (shard === null)
      failWith('usage', `--shard must be like 2/4, with up to ${MOST_SHARDS} shards, not "${flags.shard}"`);
    return { ...shard, attempt };
  }
  return facts.shard === undefined || flags.runKey === undefined ? null : { ...facts.shard, attempt };
}

/** In CI, the environment knows better than a report; elsewhere, git only knows the folder in which the command runs. */
function metadataOf(
  flags: RunFlags,
  ci: CiEnvironment,
  facts: RunFacts,
  tool: string | undefined,
): Record<string, string> {
  const { branch, commit, ci_url } = facts;
  const reported = { branch, commit, ci_url };
  const found =
    ci.service === null ? { ...ci.metadata, ...known(reported) } : { ...known(reported), ...ci.metadata };
  const { branch: b, commit: c, pull_request, ci_url: u, actor } = flags;
  return { ...found, ...known({ branch: b, commit: c, pull_request, ci_url: u, actor, tool }) };
}

function known(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => !!field[1]));
}
