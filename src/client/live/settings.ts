/** What a live run needs to know, from the options of a reporter and the environment. Options go first. */
import { createHash, randomUUID } from 'node:crypto';
import { relative } from 'node:path';
import { environmentIn, keyOfEnvironment } from '../../domain/environment.js';
import { readCiEnvironment, runKeyOfJob, runKeyOfShards, type RunMetadata } from '../ci/ci-environment.js';
import { isProjectId, NEEDS_PROJECT_ID, offeredToken, type TokenOffer } from '../ci/ci-token.js';
import { noMasker, openMasker, type Masker } from '../masking/masker.js';
import { givenEnvironment } from '../ci/given-environment.js';
import { shardFrom, type Shard } from '../shard.js';

/** The options of every reporter. */
export type LiveRunOptions = {
  /** Without them: `TESTLEDGER_URL`, `TESTLEDGER_API_KEY`, `TESTLEDGER_PROJECT`. */
  url?: string | undefined;
  apiKey?: string | undefined;
  project?: string | undefined;
  /** Joins this run with the calls of others. Without it: `TESTLEDGER_RUN_KEY`, else the build, else a run of its own. */
  runKey?: string | undefined;
  /** Such as `2/5`. Without it: `TESTLEDGER_SHARD`. The results of a shard are posted at the end, in one call. */
  shard?: string | Shard | undefined;
  /** Whether the end of these tests completes the run; true without it. `TESTLEDGER_COMPLETE=false` turns it off. */
  complete?: boolean | undefined;
  label?: string | undefined;
  /** Such as `os=windows,node=22`. Without it: `TESTLEDGER_ENVIRONMENT`, else the operating system. */
  environment?: string | Readonly<Record<string, unknown>> | undefined;
  /** Of the run, beside what the environment says. */
  metadata?: Record<string, unknown> | undefined;
  /** Whether files of tests are uploaded; true without it. */
  attachments?: boolean | undefined;
  /** Whether secrets are masked before anything is sent; true without it. `TESTLEDGER_MASK=false` turns it off. */
  mask?: boolean | undefined;
};

export type LiveSettings = {
  url: string;
  /** Or the token that the server gives one for. */
  apiKey: string | TokenOffer;
  project: string;
  runKey: string;
  shard: (Shard & { attempt: number; isAttemptKnown: boolean }) | null;
  complete: boolean;
  label: string | null;
  metadata: RunMetadata & Record<string, unknown>;
  attachments: boolean;
  masker: Masker;
  /** Names the calls of this command: the same command on the same run key posts nothing twice. */
  callPrefix: string;
  /** For people: what was left out of the environment. */
  warnings: readonly string[];
};

export type SettingsResult = { kind: 'settings'; settings: LiveSettings } | { kind: 'off'; notice: string };

type Surroundings = {
  tool: string;
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  argv?: readonly string[];
};

export function liveSettings(options: LiveRunOptions, around: Surroundings): SettingsResult {
  const { tool, env = process.env, cwd = process.cwd(), argv = process.argv.slice(2) } = around;
  // A secret that was set from a file ends with a line feed.
  const url = (options.url || env['TESTLEDGER_URL'])?.trim();
  const apiKey = (options.apiKey || env['TESTLEDGER_API_KEY'])?.trim() || offeredToken(env);
  const project = (options.project || env['TESTLEDGER_PROJECT'])?.trim();
  if (!url || !apiKey || !project) {
    const names = { TESTLEDGER_URL: url, TESTLEDGER_API_KEY: apiKey, TESTLEDGER_PROJECT: project };
    const missing = Object.entries(names).flatMap(([name, value]) => (value ? [] : [name]));
    return {
      kind: 'off',
      notice: `nothing is posted: ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not set`,
    };
  }
  if (typeof apiKey !== 'string' && !isProjectId(project))
    return { kind: 'off', notice: `nothing is posted: ${NEEDS_PROJECT_ID}` };
  const named = options.shard || env['TESTLEDGER_SHARD'];
  const shard = named ? shardFrom(named) : null;
  if (named && shard === null) return { kind: 'off', notice: 'nothing is posted: a shard is named like 2/5' };
  const given = givenEnvironment([options.environment], env);
  if ('fault' in given) return { kind: 'off', notice: `nothing is posted: ${given.fault}` };
  const ci = readCiEnvironment({ env, cwd });
  const namedKey = options.runKey || env['TESTLEDGER_RUN_KEY'];
  const metadata = {
    ...ci.metadata,
    ...(!namedKey && shard === null && ci.jobMetadata),
    tool,
    environment: given.environment ?? ci.environment,
    ...options.metadata,
  };
  // That of the run, as the server understands it.
  const environment = environmentIn(metadata);
  const known =
    namedKey || (shard === null ? runKeyOfJob(ci, environment) : runKeyOfShards(ci, tool, environment));
  if (shard !== null && known === null)
    return {
      kind: 'off',
      notice: 'nothing is posted: shards need a run key (TESTLEDGER_RUN_KEY) outside of CI',
    };
  const runKey = known ?? randomUUID();
  const masks = options.mask ?? env['TESTLEDGER_MASK'] !== 'false';
  const masker = masks ? openMasker(env) : noMasker;
  return {
    kind: 'settings',
    settings: {
      url,
      apiKey,
      project,
      runKey,
      shard: shard && { ...shard, attempt: ci.attempt ?? 1, isAttemptKnown: ci.attempt !== null },
      complete: options.complete ?? env['TESTLEDGER_COMPLETE'] !== 'false',
      label: options.label === undefined ? null : masker.text(options.label),
      // Its environment joins it with others, and no test says it.
      metadata: { ...masker.metadata(metadata), environment: metadata.environment },
      masker,
      warnings: given.warnings,
      attachments: options.attachments ?? true,
      callPrefix: digestOf([
        project,
        runKey,
        shard === null ? '' : `${shard.index}/${shard.total}`,
        tool,
        process.version,
        process.platform,
        keyOfEnvironment(environment),
        relative(ci.root ?? cwd, cwd),
        env['npm_package_name'] ?? '',
        env['npm_lifecycle_event'] ?? '',
        ...argv,
      ]),
    },
  };
}

/** A build runs several commands on one run key: they differ in their shard, tool, version, environment, folder or arguments. */
function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
