/** The records of Surface B, field by field (docs/api.md, section 3). */
import { environmentOfResult, type RunDocument } from '../../../projections/records/run-documents.js';
import type { ReceivedShard } from '../../../projections/records/shards.js';
import { environmentOf } from '../../domain/environment.js';
import type { Instant } from '../../domain/event.js';
import type { WholeResult } from '../../queries/results/whole-results.js';
import type { FailureFacts } from '../../queries/failure-facts.js';
import { statusWords } from '../../domain/results/result.js';
import { reportOf } from '../../domain/runs/unread-reports.js';
import { runDescription } from '../../domain/runs/run-description.js';
import type { components } from '../../client/api.generated.js';
import { shownErrorMessage, understoodResult, understoodRun } from '../../domain/understood.js';

/** `shards`: null for a run without shards. */
export function runData(
  run: RunDocument,
  shards: Shards | null,
): Omit<components['schemas']['TestRun'], 'gate' | 'gate_reasons' | 'gate_settings' | 'new_failures'> {
  const { test_run_id, project_id, run_key, status, outcome, counts, standing } = run;
  const { label, ...described } = runDescription(run);
  const { created_at, started_at, finished_at } = run;
  return {
    id: test_run_id,
    project_id,
    run_key,
    label,
    status: status.toLowerCase() as Lowercase<typeof status>,
    outcome,
    test_count: counts.total,
    counts,
    standing_counts: standing,
    duration_ms: between(started_at, finished_at),
    ...described,
    ...understoodRun(run.metadata),
    created_at,
    started_at,
    finished_at,
    completed_by: run.completed_by,
    report: reportOf(run.unread),
    empty: status === 'Completed' && standing.passed + standing.failed + standing.known_fail === 0,
    shards: shards && { total: shards.total, received: shards.received.map(shardData) },
    baseline: run.baseline ?? null,
    pinned: run.pinned ?? false,
  };
}

type Shards = { total: number; received: readonly ReceivedShard[] };

function shardData({ index, attempt, results, duration_ms, at }: ReceivedShard) {
  return { index, attempt, results, duration_ms, at };
}

export function resultData(result: WholeResult, failure: FailureFacts): components['schemas']['TestResult'] {
  const { test_result_id, project_id, test_run_id, test_name, status, error_message, metadata } = result;
  const { attempt, superseded_by, started_at, finished_at, execution_time_ms, created_at } = result;
  const environment_key = environmentOfResult(result);
  return {
    id: test_result_id,
    project_id,
    test_run_id,
    name: test_name,
    ...(result.test_id !== undefined && { test_id: result.test_id }),
    status: statusWords[status],
    duration_ms: execution_time_ms,
    error_message: shownErrorMessage(metadata, error_message),
    metadata,
    contents: result.contents ?? null,
    ...understoodResult(metadata, error_message),
    environment: environmentOf(environment_key),
    environment_key,
    attempt,
    superseded_by,
    started_at,
    finished_at,
    created_at,
    ...failure,
  };
}

/** Null where one is missing, or where the clocks of two nodes put the end before the start. */
function between(started: Instant | null, finished: Instant | null): number | null {
  if (started === null || finished === null) return null;
  const ms = Date.parse(finished) - Date.parse(started);
  return ms >= 0 ? ms : null;
}
