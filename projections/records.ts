/** The records of Surface A as they are answered and told, field by field (docs/api.md, section 2.1). */
import type { ProjectRecord } from '../src/domain/project.js';
import type { ResultRecord } from '../src/domain/result.js';
import type { RunRecord } from '../src/domain/run.js';
import { noCounts, type Counts } from '../src/domain/counts.js';

export function projectRecord(project: ProjectRecord) {
  const { project_id, name, description, status, created_at } = project;
  return { project_id, name, description, status, created_at };
}

type Counted = { counts: Counts; count_snapshot: (Counts & { at: string }) | null };

const uncounted: Counted = { counts: noCounts, count_snapshot: null };

/** A run that was just created has no counts yet. */
export function runRecord(run: RunRecord, { counts, count_snapshot }: Counted = uncounted) {
  const { test_run_id, project_id, label, status, metadata } = run;
  const { started_at, finished_at, created_at, updated_at } = run;
  return {
    test_run_id,
    project_id,
    label,
    status,
    metadata,
    started_at,
    finished_at,
    created_at,
    updated_at,
    counts,
    count_snapshot,
  };
}

/** The label is that of the result's run. */
export function resultRecord(
  result: Omit<ResultRecord, 'retry_of'> & { superseded_by: string | null },
  test_run_label: string | null,
) {
  const { test_result_id, project_id, test_run_id, test_name, status, error_message, metadata } = result;
  const { started_at, finished_at, execution_time_ms } = result;
  const { attempt, superseded_by, created_at, updated_at } = result;
  return {
    test_result_id,
    project_id,
    test_run_id,
    test_name,
    status,
    error_message,
    metadata,
    started_at,
    finished_at,
    execution_time_ms,
    test_run_label,
    attempt,
    superseded_by,
    created_at,
    updated_at,
  };
}
