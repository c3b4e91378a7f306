/** The documents of runs and of their results. */
import { resultEnvironment, type EnvironmentKey } from '../../src/domain/environment.js';
import type { PresentResult } from '../../src/domain/results/result.js';
import type { RunRecord } from '../../src/domain/runs/run.js';
import { collection } from '../../src/domain/projection.js';
import type { Counts } from '../../src/domain/counts.js';
import type { CountedRun } from './run-counts.js';
import type { ReceivedShard } from './shards.js';

export type RunDocument = Omit<RunRecord, 'calls'> &
  CountedRun & {
    team_id: string;
    created_position: string;
    /** As the metadata say them: lists are filtered by these. */
    branch: string | null;
    commit: string | null;
    pull_request: string | null;
    build: string | null;
    environment_key: EnvironmentKey;
    count_snapshot: (Counts & { at: string }) | null;
    /** The number of shards. Absent without shards. */
    shard_total?: number;
    /** A submission whose items are not all folded yet: no reader may see it. The items lie after `position`. */
    arriving?: { submission_id: string; position: string };
  };

/** The state of a result as its decider keeps it, so that the fold here is the fold of the decider. */
export type ResultDocument = Omit<PresentResult, 'context'> & {
  team_id: string;
  created_position: string;
  superseded_by: string | null;
  /** That of the call that brought it, or of its run when it began. Absent without one. */
  call_environment?: EnvironmentKey;
  /** The results of higher attempts of its shard that replace it: then it does not count. Absent if there are none. */
  replaced_by?: readonly string[];
};

/** A result as it begins. Written out, because a rebuild does this for every result (docs/decisions/033). */
export function recordedResult(
  next: PresentResult,
  { team_id, created_position }: Pick<ResultDocument, 'team_id' | 'created_position'>,
  callEnvironment: EnvironmentKey | undefined,
): ResultDocument {
  const recorded: ResultDocument = {
    team_id,
    created_position,
    superseded_by: null,
    life: next.life,
    claim: next.claim,
    test_result_id: next.test_result_id,
    project_id: next.project_id,
    test_run_id: next.test_run_id,
    test_name: next.test_name,
    status: next.status,
    error_message: next.error_message,
    metadata: next.metadata,
    started_at: next.started_at,
    finished_at: next.finished_at,
    execution_time_ms: next.execution_time_ms,
    attempt: next.attempt,
    retry_of: next.retry_of,
    created_at: next.created_at,
    updated_at: next.updated_at,
  };
  if (next.supersedes !== undefined) recorded.supersedes = next.supersedes;
  if (next.replaces !== undefined) recorded.replaces = next.replaces;
  if (next.contents !== undefined) recorded.contents = next.contents;
  if (next.test_id !== undefined) recorded.test_id = next.test_id;
  if (next.held !== undefined) recorded.held = next.held;
  if (callEnvironment !== undefined) recorded.call_environment = callEnvironment;
  return recorded;
}

/** Of the result as it is: its own pairs come before those of its call. */
export function environmentOfResult({
  call_environment = '',
  metadata,
}: Pick<ResultDocument, 'call_environment' | 'metadata'>): EnvironmentKey {
  return resultEnvironment(call_environment, metadata);
}

/** Each of these is a filter: some alone and together with the status or the outcome, some alone. */
const filters = [
  ...['branch', 'commit', 'pull_request'].flatMap((field) => [
    ['project_id', field],
    ['project_id', field, 'status'],
    ['project_id', field, 'outcome'],
  ]),
  ['project_id', 'build'],
  ['project_id', 'environment_key'],
];

export const runDocuments = collection<RunDocument>({
  name: 'runs',
  ids: 'run',
  indexes: [
    ['project_id', 'created_position'],
    ['project_id', 'status', 'created_position'],
    ['project_id', 'outcome', 'created_position'],
    ['status', 'active_at'],
    ['late', 'active_at'],
    // A search knows the beginning of a commit.
    ['project_id', 'commit'],
    ...filters.map((fields) => [...fields, 'created_position']),
  ],
  sparse: ['late'],
  totals: [['project_id'], ['project_id', 'status'], ['project_id', 'outcome'], ...filters],
});

/** Runs with a submission whose items are not all folded yet: a client must never see half of one. */
export const arrivingRuns = collection<ArrivingRun>({ name: 'submissions', ids: 'run', indexes: [] });

/** `shard`: the entry for `ShardsDocument` that the submission adds. */
type ArrivingRun = RunDocument & { shard?: ReceivedShard };

export const resultDocuments = collection<ResultDocument>({
  name: 'results',
  ids: 'result',
  indexes: [['test_run_id', 'created_position']],
  filterable: ['status'],
});
