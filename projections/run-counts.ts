/**
 * The counts of runs, by the events alone: what is told of a run with one of its results. A run that was submitted whole
 * has them at once, and its snapshot, as any GET shows it.
 */
import type { LedgerEvent } from '../src/domain/events.js';
import type { Documents, DocumentRef } from '../src/domain/projection.js';
import { countsAfter, noCounts, type Counts } from '../src/domain/counts.js';

export type RunCounts = { counts: Counts; count_snapshot: (Counts & { at: string }) | null };

export type RunCountsDocument = RunCounts & {
  /** Its items are in the counts already. */
  items_counted: boolean;
};

export function touchedRun({ type, data }: LedgerEvent): DocumentRef[] {
  switch (type) {
    case 'RunCreated':
      return [{ collection: 'runs', id: data.run_id, fresh: true }];
    case 'RunCompleted':
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

export function foldRun(documents: Documents, event: LedgerEvent): void {
  switch (event.type) {
    case 'RunCreated': {
      const { run_id, items, item_counts } = event.data;
      const counts = item_counts === undefined ? noCounts : { total: items, ...item_counts };
      // It was completed with the append that made it.
      const count_snapshot = items > 0 ? { ...counts, at: event.meta.at } : null;
      const created: RunCountsDocument = { counts, count_snapshot, items_counted: item_counts !== undefined };
      return documents.put('runs', run_id, created);
    }
    case 'RunCompleted': {
      const present = documents.get<RunCountsDocument>('runs', event.data.run_id);
      if (present === null) return;
      const count_snapshot = { ...present.counts, at: event.meta.at };
      return documents.put('runs', event.data.run_id, { ...present, count_snapshot });
    }
    case 'ResultSubmitted':
    case 'ResultCreated':
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated':
    case 'ResultDeleted':
      return onCounts(documents, event.data.run_id, (counts, { items_counted }) =>
        event.type === 'ResultSubmitted' && items_counted ? counts : countsAfter(counts, event),
      );
    default:
      return;
  }
}

function onCounts(
  documents: Documents,
  runId: string | null,
  change: (counts: Counts, run: RunCountsDocument) => Counts,
): void {
  const present = runId === null ? null : documents.get<RunCountsDocument>('runs', runId);
  if (runId === null || present === null) return;
  const counts = change(present.counts, present);
  if (counts !== present.counts) documents.put('runs', runId, { ...present, counts });
}
