/** A result after the event with which it begins. */
import { beginningRefs } from '../contents.js';
import type { Happened } from '../decider.js';
import { isFinal, type PresentResult } from './result-record.js';
import { contextAtStart, type BeginningFacts } from '../test-history/result-facts.js';

export function created({ data, meta }: Happened<'ResultCreated'>): PresentResult {
  return {
    life: 'present',
    claim: null,
    test_result_id: data.result_id,
    project_id: data.project_id,
    test_run_id: data.run_id,
    test_name: data.test_name,
    status: data.status,
    error_message: null,
    metadata: data.metadata,
    started_at: data.started_at,
    finished_at: null,
    execution_time_ms: null,
    attempt: data.attempt,
    retry_of: data.retry_of,
    created_at: meta.at,
    updated_at: meta.at,
    context: contextAtStart(data, meta, isFinal(data.status)),
    ...beginningRefs(meta),
    ...ownTest(meta),
  };
}

/** One event records the whole result: it was over before it was submitted. */
export function submitted({ data, meta }: Happened<'ResultSubmitted'>): PresentResult {
  const { superseded_by, supersedes, replaces } = data;
  return {
    life: 'present',
    claim: superseded_by === null ? null : { by: superseded_by, at: meta.at },
    ...(supersedes.length > 0 && { supersedes }),
    ...(replaces !== undefined && { replaces }),
    test_result_id: data.result_id,
    project_id: data.project_id,
    test_run_id: data.run_id,
    test_name: data.test_name,
    status: data.status,
    error_message: data.error_message,
    metadata: data.metadata,
    started_at: data.started_at,
    finished_at: data.finished_at,
    execution_time_ms: data.execution_time_ms,
    attempt: data.attempt,
    retry_of: null,
    created_at: meta.at,
    updated_at: meta.at,
    context: contextAtStart(data, meta, isFinal(data.status)),
    ...beginningRefs(meta),
    ...ownTest(meta),
  };
}

/** Its name does not say any more what its id was made from. */
function ownTest({ facts }: { facts?: BeginningFacts | undefined }): { test_id?: string } {
  return facts?.test_id === undefined ? {} : { test_id: facts.test_id };
}
