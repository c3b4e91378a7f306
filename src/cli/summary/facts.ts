/** What a summary is made from: a bounded part of what the API answers about a run (docs/api.md, sections 3, 10 and 11). */
import type { components } from '../../client/index.js';
import type { PassedOver } from '../../domain/comparison/baseline.js';
import type { ComparedTests, ComparisonCounts } from '../../domain/comparison/compare.js';
import type { GateSettings } from '../../domain/gate/judge-gate.js';
import type { RunStanding } from '../../domain/runs/run-state.js';

export type RunFacts = {
  /** Of the server, without a slash at its end. */
  server: string;
  project: { id: string; name: string; default_branch: string; gate: GateSettings };
  run: Run;
  comparison: Comparison;
  /** False where an answer was behind: results that were sent may be missing. */
  isCurrent: boolean;
  /** The first groups in the order of the API: new ones first, then those with more results. */
  groups: readonly GroupFacts[];
  groupsTotal: number;
  /** The first results of these kinds; the counts of the comparison have their totals. */
  newFailures: readonly Result[];
  flaky: readonly Result[];
  known: readonly Result[];
};

type Shown =
  | 'id'
  | 'run_key'
  | 'environment_key'
  | 'tool'
  | 'label'
  | 'counts'
  | 'duration_ms'
  | 'branch'
  | 'commit'
  | 'ci_url'
  | 'completed_by'
  | 'report'
  | 'empty'
  | 'gate'
  | 'gate_reasons'
  | 'new_failures';

export type Run = RunStanding &
  Pick<components['schemas']['TestRun'], Shown> & {
    standing_counts: { failed: number };
    gate_settings?: GateSettings | null;
    shards: { total: number; received: readonly { index: number }[] } | null;
  };

export type Comparison = {
  baseline: { id: string; commit: string | null } | null;
  passed_over: PassedOver | null;
  counts: ComparisonCounts;
} & ComparedTests;

export type Result = Pick<
  components['schemas']['TestResult'],
  'id' | 'name' | 'error_message' | 'file' | 'line' | 'owner'
> & { error: { type: string | null; message: string | null } | null };

export type GroupFacts = {
  group: string;
  title: string;
  results: number;
  tests: number;
  new: boolean;
  first_seen: { run_id: string | null; commit: string | null; at: string };
  example: Result | null;
  /** The names of the first tests; `tests` is how many there are. */
  names: readonly string[];
};

/** The address of a run in the API, for programs. It needs a key, as every address of the API does. */
export function runUrl(server: string, run: string): string {
  return `${server}/v1/test-runs/${encodeURIComponent(run)}`;
}

/** The page of a run, for people: a browser has no key, so an address of the API would refuse them. */
export function runPageUrl(server: string, run: string): string {
  return `${server}/runs/${encodeURIComponent(run)}`;
}

/** The API answers `http` and `https` addresses only; another scheme in a link would be a script. */
export function isWebUrl(text: string | null): text is string {
  return text !== null && /^https?:\/\/[^\s<>"'`]+$/iu.test(text);
}

/** How many shards of a run came; a shard may come in several attempts. */
export function shardsThatCame({ received }: NonNullable<Run['shards']>): number {
  return new Set(received.map(({ index }) => index)).size;
}
