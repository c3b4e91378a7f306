/** The tables by the plainest reading of their definition: all events up to a position, and what the read models make of them. */
import type { FailureDocument } from '../../../projections/history/failure-documents.js';
import { environmentOfResult, type RunDocument } from '../../../projections/records/run-documents.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { statusWords } from '../../../src/domain/results/result.js';
import { othersOf } from '../../../src/domain/supersession.js';
import { fold } from '../../projections/folding.js';
import { naiveResults } from '../../projections/naive-results.js';
import { foldOutbox } from '../../webhooks/outbox/outbox-harness.js';

type Change = { revision: number; position: string; deleted: boolean };

/** By result: its last change up to the end of these events. */
function lastChanges(events: readonly LedgerEvent[]): Map<string, Change> {
  const all = new Map<string, Change>();
  const changed = (id: string, position: string, deleted = false) => {
    const before = all.get(id);
    if (before === undefined || before.deleted) return;
    all.set(id, { revision: before.revision + 1, position, deleted });
  };
  for (const event of events) {
    const { position } = event;
    switch (event.type) {
      case 'ResultCreated':
      case 'ResultSubmitted':
        all.set(event.data.result_id, { revision: 1, position, deleted: false });
        break;
      case 'ResultStarted':
      case 'ResultFinished':
      case 'ResultUpdated':
      case 'ResultRedacted':
        changed(event.data.result_id, position);
        break;
      case 'ResultDeleted':
        changed(event.data.result_id, position, true);
        break;
      default:
        continue;
    }
    for (const id of othersOf(event)) changed(id, position);
  }
  return all;
}

export type ModelRow = Record<string, unknown> & { position: string };

/** The rows of all results of a team as they are after these events, in order. Deleted ones have no more than that. */
export async function modelResults(events: readonly LedgerEvent[]): Promise<ModelRow[]> {
  const changes = lastChanges(events);
  const { documents } = await foldOutbox(events, [1_000]);
  const present = new Map(naiveResults(events).map((each) => [each.test_result_id, each]));
  const rows = [...changes].map(([result_id, change]): ModelRow => {
    const result = present.get(result_id);
    if (result === undefined) return { result_id, ...change };
    const failure = documents.get(`failures/${result_id}`) as unknown as FailureDocument | undefined;
    const failed = failure === undefined || failure.reopened === true ? null : failure;
    return {
      result_id,
      ...change,
      run_id: result.test_run_id,
      test_name: result.test_name,
      environment: environmentOfResult(result) || null,
      attempt: result.attempt,
      retry_of: result.retry_of,
      superseded_by: result.superseded_by ?? result.replaced_by?.[0] ?? null,
      status: statusWords[result.status],
      known: failed?.known ?? false,
      failure_group: failed?.group.id ?? null,
      duration_ms: result.execution_time_ms,
      started_at: result.started_at,
      finished_at: result.finished_at,
      recorded_at: result.created_at,
    };
  });
  return rows.sort(inOrder);
}

/** The rows of all runs that a reader sees after these events. */
export async function modelRuns(events: readonly LedgerEvent[]): Promise<ModelRow[]> {
  const { texts } = await fold(events, [1_000]);
  const runs = [...texts].flatMap(([name, text]) =>
    name.startsWith('runs/') ? [JSON.parse(text) as RunDocument] : [],
  );
  const rows = runs.map((run): ModelRow => {
    const { standing, outcome, status } = run;
    return {
      run_id: run.test_run_id,
      label: run.label,
      branch: run.branch,
      status: status.toLowerCase(),
      outcome,
      completion: run.completions,
      completed_by: run.completed_by,
      passed: standing.passed,
      failed: standing.failed,
      skipped: standing.skipped,
      known_fail: standing.known_fail,
      started_at: run.started_at,
      finished_at: run.finished_at,
      recorded_at: run.created_at,
      position: '',
    };
  });
  return rows;
}

function inOrder(one: ModelRow, other: ModelRow): number {
  return one.position < other.position ? -1 : one.position > other.position ? 1 : 0;
}
