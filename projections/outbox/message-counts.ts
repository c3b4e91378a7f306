/** The counts of each run as messages show them: no other fold of the history has the state of all results. */
import {
  added,
  countsAfter,
  noCounts,
  removed,
  sumOf,
  type CountedEvent,
  type RunCounts,
} from '../../src/domain/counts.js';
import type { EventData, LedgerEvent } from '../../src/domain/events.js';
import { collection, type Documents } from '../../src/domain/projection.js';
import { projection, type Handler } from '../projection.js';
import {
  itemAt,
  itemRefs,
  newItemRefs,
  putItem,
  removeItem,
  shardItemDocuments,
} from '../history/shard-items.js';

/** By run id. A run that was submitted whole has its counts from the start, and its snapshot, as a GET shows it. */
type RunCountsDocument = RunCounts & {
  /** The counts include the items of the submission already. */
  items_counted: boolean;
  /** The run has shards, so that its items may be replaced. Absent in all others. */
  sharded?: true;
};

export const runCountDocuments = collection<RunCountsDocument>({ name: 'runs', ids: 'run', indexes: [] });

export const runCounts = projection({
  name: 'run_counts',
  version: 1,
  collections: [runCountDocuments, shardItemDocuments],
  on: {
    RunCreated: {
      touches: ({ data }) => [runCountDocuments.atNew(data.run_id)],
      apply(documents, { data: { run_id, items, item_counts }, meta }) {
        const counts = item_counts === undefined ? noCounts : { total: items, ...item_counts };
        // A submission is completed by the append that creates it.
        const count_snapshot = items > 0 ? { ...counts, at: meta.at } : null;
        const created: RunCountsDocument = {
          counts,
          count_snapshot,
          items_counted: item_counts !== undefined,
        };
        documents.put(runCountDocuments, run_id, created);
      },
    },
    ItemsSubmitted: {
      touches: ({ data }) => [runCountDocuments.at(data.run_id)],
      apply(documents, { data: { run_id, items, item_counts, replaced, shard, completes }, meta }) {
        const present = documents.get(runCountDocuments, run_id);
        if (present === null) return;
        // What the items replace may have another status by now, so they are counted one by one.
        const items_counted = replaced === 0;
        const counts = items_counted
          ? sumOf(present.counts, { total: items, ...item_counts })
          : present.counts;
        documents.put(runCountDocuments, run_id, {
          ...present,
          counts,
          items_counted,
          ...(items_counted && completes && { count_snapshot: { ...counts, at: meta.at } }),
          ...(shard !== null && { sharded: true }),
        } satisfies RunCountsDocument);
      },
    },
    RunCompleted: {
      touches: ({ data }) => [runCountDocuments.at(data.run_id)],
      apply(documents, { data: { run_id }, meta }) {
        const present = documents.get(runCountDocuments, run_id);
        if (present === null) return;
        documents.put(runCountDocuments, run_id, {
          ...present,
          count_snapshot: { ...present.counts, at: meta.at },
        });
      },
    },
    ResultCreated: counting(),
    ResultSubmitted: {
      touches: ({ data }) => [runCountDocuments.at(data.run_id)],
      follows(documents, { data: { result_id, run_id, replaces = [], replaced_by = [] } }) {
        if (documents.get(runCountDocuments, run_id)?.sharded !== true) return null;
        const others = [...replaces, ...replaced_by];
        return [[...newItemRefs(result_id), ...others.flatMap(itemRefs)]];
      },
      apply(documents, event) {
        const present = documents.get(runCountDocuments, event.data.run_id);
        if (present === null) return;
        if (present.sharded === true) addItem(documents, event.data, present);
        else if (!present.items_counted) putCounts(documents, event, present);
      },
    },
    ResultStarted: changingItem(),
    ResultFinished: changingItem(),
    ResultUpdated: changingItem(),
    ResultDeleted: {
      touches: ({ data: { result_id, run_id, replaces = [] } }) => [
        ...(run_id === null ? [] : [runCountDocuments.at(run_id)]),
        ...itemRefs(result_id),
        ...replaces.flatMap(itemRefs),
      ],
      apply(documents, event) {
        const { result_id, run_id, replaces = [] } = event.data;
        const item = itemAt(documents, result_id);
        if (item !== null) removeItem(documents, result_id);
        const present = run_id === null ? null : documents.get(runCountDocuments, run_id);
        if (run_id === null || present === null) return;
        if (item === null || item.replaced_by.length === 0) putCounts(documents, event, present);
        for (const id of replaces) restoreItem(documents, run_id, id, result_id);
      },
    },
  },
});

/** Counts the item of a shard, unless it is replaced at once, and no more those that it replaces. */
function addItem(
  documents: Documents,
  { result_id, run_id, status, replaces = [], replaced_by = [] }: EventData['ResultSubmitted'],
  run: RunCountsDocument,
): void {
  const present = replaced_by.filter((id) => itemAt(documents, id) !== null);
  putItem(documents, result_id, { status, replaced_by: present });
  let counts = run.items_counted || present.length > 0 ? run.counts : added(run.counts, status);
  for (const id of replaces) {
    const former = itemAt(documents, id);
    if (former === null) continue;
    putItem(documents, id, { ...former, replaced_by: [...former.replaced_by, result_id] });
    if (former.replaced_by.length === 0) counts = removed(counts, former.status);
  }
  if (counts !== run.counts) documents.change(runCountDocuments, run_id, { counts });
}

/** An item that another one replaced counts again, unless a third one replaces it. */
function restoreItem(documents: Documents, runId: string, id: string, by: string): void {
  const former = itemAt(documents, id);
  const run = documents.get(runCountDocuments, runId);
  if (former?.replaced_by.includes(by) !== true || run === null) return;
  const replaced_by = former.replaced_by.filter((each) => each !== by);
  putItem(documents, id, { ...former, replaced_by });
  if (replaced_by.length > 0) return;
  documents.change(runCountDocuments, runId, { counts: added(run.counts, former.status) });
}

function changingItem(): Handler<'ResultStarted' | 'ResultFinished' | 'ResultUpdated'> {
  const { touches, apply } = counting();
  return {
    touches: (event) => [...touches(event), ...itemRefs(event.data.result_id)],
    apply(documents, event) {
      const { result_id, status, previous_status } = event.data;
      const item = itemAt(documents, result_id);
      if (item !== null && status !== previous_status) {
        putItem(documents, result_id, { ...item, status });
      }
      if (item === null || item.replaced_by.length === 0) apply(documents, event);
    },
  };
}

function counting(): Handler<CountedEvent> {
  return {
    touches: ({ data: { run_id } }) => (run_id === null ? [] : [runCountDocuments.at(run_id)]),
    apply(documents, event) {
      const { run_id } = event.data;
      const present = run_id === null ? null : documents.get(runCountDocuments, run_id);
      if (present !== null) putCounts(documents, event, present);
    },
  };
}

function putCounts(documents: Documents, event: LedgerEvent<CountedEvent>, present: RunCountsDocument): void {
  const counts = countsAfter(present.counts, event);
  if (counts !== present.counts) documents.change(runCountDocuments, event.data.run_id!, { counts });
}
