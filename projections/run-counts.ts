/**
 * Runs with their counts, by the events alone: what is told of a run with one of its results. A run that was submitted
 * whole is shown as it is once it is complete, as any GET shows it.
 */
import type { LedgerEvent, RunEvent } from '../src/domain/events.js';
import type { Documents, DocumentRef } from '../src/domain/projection.js';
import { run, type Run, type RunRecord } from '../src/domain/run.js';
import { added, moved, noCounts, removed, type Counts } from './counts.js';
import type { ToldEvent } from './told.js';

export type RunCountsDocument = RunRecord & {
  counts: Counts;
  count_snapshot: (Counts & { at: string }) | null;
  /** Its items are in the counts already. */
  items_counted: boolean;
};

export function touchedRun({ type, data }: LedgerEvent): DocumentRef[] {
  switch (type) {
    case 'RunCreated':
      return [{ collection: 'runs', id: data.run_id, fresh: true }];
    case 'RunDescribed':
    case 'RunStarted':
    case 'RunCompleted':
    case 'RunReturnedToPending':
    case 'ResultSubmitted':
      return [{ collection: 'runs', id: data.run_id }];
    case 'ResultCreated':
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated':
    case 'ResultDeleted':
      return data.run_id === null ? [] : [{ collection: 'runs', id: data.run_id }];
    default:
      return [];
  }
}

export function foldRun(documents: Documents, event: ToldEvent): void {
  switch (event.type) {
    case 'RunCreated':
      return created(documents, event);
    case 'RunDescribed':
    case 'RunStarted':
    case 'RunCompleted':
    case 'RunReturnedToPending':
      return changed(documents, event);
    case 'ResultCreated':
    case 'ResultSubmitted': {
      const { status, run_id } = event.data;
      return onCounts(documents, run_id, (counts, { items_counted }) =>
        event.type === 'ResultSubmitted' && items_counted ? counts : added(counts, status),
      );
    }
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated': {
      const { previous_status, status, run_id } = event.data;
      return onCounts(documents, run_id, (counts) => moved(counts, previous_status, status));
    }
    case 'ResultDeleted': {
      const { status, run_id } = event.data;
      return onCounts(documents, run_id, (counts) => removed(counts, status));
    }
    default:
      return;
  }
}

function created(documents: Documents, event: ToldEvent & LedgerEvent<'RunCreated'>): void {
  const { items, item_counts, run_id } = event.data;
  const counts = item_counts === undefined ? noCounts : { total: items, ...item_counts };
  let next: RunCountsDocument | null = evolved(null, event, counts, item_counts !== undefined);
  for (const later of event.followed ?? []) {
    next = evolved(next, later as LedgerEvent<RunEvent>, counts, item_counts !== undefined);
  }
  if (next !== null) documents.put('runs', run_id, next);
}

function changed(documents: Documents, event: LedgerEvent<RunEvent>): void {
  const present = documents.get<RunCountsDocument>('runs', event.data.run_id);
  if (present === null) return;
  const next = evolved(present, event, present.counts, present.items_counted);
  if (next !== null) documents.put('runs', event.data.run_id, next);
}

function evolved(
  present: RunCountsDocument | null,
  event: LedgerEvent<RunEvent>,
  counts: Counts,
  items_counted: boolean,
): RunCountsDocument | null {
  const state: Run = present === null ? run.initial : { exists: true, ...present };
  const { exists, ...record } = run.evolve(state, event) as Extract<Run, { exists: true }>;
  if (!exists) return null;
  const count_snapshot =
    event.type === 'RunCompleted' ? { ...counts, at: event.meta.at } : (present?.count_snapshot ?? null);
  return { ...record, counts, count_snapshot, items_counted };
}

function onCounts(
  documents: Documents,
  runId: string | null,
  change: (counts: Counts, run: RunCountsDocument) => Counts,
): void {
  const present = runId === null ? null : documents.get<RunCountsDocument>('runs', runId);
  if (present === null) return;
  const counts = change(present.counts, present);
  if (counts !== present.counts) documents.put('runs', present.test_run_id, { ...present, counts });
}
