/**
 * The records of Surface A, field by field (docs/api.md, section 2.1). Webhook payloads have
 * records of their own (`src/webhooks/outbox/payload.ts`): a new field here does not change them.
 */
import { endOf } from '../../domain/artifact/artifact.js';
import type { CreatedArtifact } from '../../commands/artifacts.js';
import type { ArtifactView } from '../../commands/confirm-artifacts.js';
import { noCounts, type RunCounts } from '../../domain/counts.js';
import type { ProjectRecord } from '../../domain/project.js';
import type { ResultRecord } from '../../domain/results/result.js';
import type { RunRecord } from '../../domain/runs/run.js';
import { runDescription } from '../../domain/runs/run-description.js';
import { shownErrorMessage } from '../../domain/understood.js';
import type { components } from '../../client/api.generated.js';

export function projectRecord(project: ProjectRecord): components['schemas']['ProjectRecord'] {
  const { project_id, name, description, status, created_at } = project;
  return { project_id, name, description, status, created_at };
}

const uncounted: RunCounts = { counts: noCounts, count_snapshot: null };

/** A run that was just created has no counts yet. */
export function runRecord(
  run: Omit<RunRecord, 'calls'>,
  { counts, count_snapshot }: RunCounts = uncounted,
): components['schemas']['RunRecord'] {
  const { test_run_id, project_id, run_key, status } = run;
  // A label has its place ahead of the others.
  const { label, ...described } = runDescription(run);
  const { started_at, finished_at, created_at, updated_at } = run;
  return {
    test_run_id,
    project_id,
    run_key,
    label,
    status,
    ...described,
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
): components['schemas']['ResultRecord'] {
  const { test_result_id, project_id, test_run_id, test_name, status, error_message, metadata } = result;
  const { started_at, finished_at, execution_time_ms } = result;
  const { attempt, superseded_by, created_at, updated_at } = result;
  return {
    test_result_id,
    project_id,
    test_run_id,
    test_name,
    status,
    error_message: shownErrorMessage(metadata, error_message),
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

/** `pinned`: its run is. */
export function artifactRecord(
  artifact: ArtifactView,
  pinned = false,
): components['schemas']['ArtifactRecord'] {
  const { artifact_id, test_result_id, project_id, label, kind, content_type, size_bytes } = artifact;
  const { test_step, metadata, created_at } = artifact;
  return {
    artifact_id,
    test_result_id,
    project_id,
    label,
    kind,
    content_type,
    size_bytes,
    test_step,
    metadata,
    expires_at: endOf(artifact, pinned),
    created_at,
  };
}

/** With an upload URL, unless the file came with the request. */
export function createdArtifactRecord({
  artifact,
  uploadUrl,
}: CreatedArtifact): components['schemas']['CreatedArtifact'] | components['schemas']['ArtifactRecord'] {
  const record = artifactRecord(artifact);
  if (uploadUrl === null) return record;
  return {
    ...record,
    upload_url: uploadUrl,
    upload_method: 'PUT',
    upload_headers: {},
    upload_expires_at: artifact.upload_expires_at,
  };
}
