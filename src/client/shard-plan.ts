/**
 * What the shards of a build have to agree on before they choose their tests: how long each test takes, and which
 * failures are known. One job saves it (`testledger shard-plan`) and all shards read the same file, because shards that
 * asked the server one by one could get different answers, and then a test would run in no shard.
 */
import { readFileSync, statSync } from 'node:fs';

export type ShardPlan = {
  /** By the name of the test: milliseconds. */
  durations: ReadonlyMap<string, number>;
  /** By the file, the suite or the package, as reports name them: milliseconds of all its tests. */
  suites: ReadonlyMap<string, number>;
  /** By the name of the test: why it is known to fail. */
  knownFailures: ReadonlyMap<string, string>;
};

/** The file. Lists of pairs, because a test may be named like a property of every object. */
export type ShardPlanFile = {
  version: 1;
  project_id: string;
  /** The runs that the durations come from, the newest first. */
  run_ids: readonly string[];
  durations: readonly (readonly [name: string, ms: number])[];
  suites: readonly (readonly [name: string, ms: number])[];
  known_failures: readonly (readonly [name: string, reason: string])[];
};

/** A plan of 100,000 tests has some 15 MB. */
const MOST_BYTES = 128 * 1_024 * 1_024;

/** @throws Error that names the file, where it cannot be read or is no plan */
export function readShardPlan(path: string): ShardPlan {
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    return checked(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Error(`the shard plan ${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function checked(plan: unknown): ShardPlan {
  const { version, durations, suites, known_failures } = Object(plan) as Partial<ShardPlanFile>;
  if (version !== 1) throw new Error('it is not a file of testledger shard-plan');
  if (!isPairs(durations, 'number') || !isPairs(suites, 'number') || !isPairs(known_failures, 'string'))
    throw new Error('its durations or its known failures are broken');
  return {
    durations: new Map(durations),
    suites: new Map(suites),
    knownFailures: new Map(known_failures),
  };
}

function isPairs(list: unknown, type: 'number' | 'string'): boolean {
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && typeof pair[1] === type;
  return Array.isArray(list) && list.every(isPair);
}
