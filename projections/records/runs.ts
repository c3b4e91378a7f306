/**
 * Runs and their results, folded together. The outcome of a run depends on which of its results are superseded, and
 * only the order of the log across their streams can show that (docs/decisions/004).
 */
import { result } from '../../src/domain/results/result.js';
import type { LedgerEvent, RunEvent } from '../../src/domain/events.js';
import type { Documents } from '../../src/domain/projection.js';
import { added, outcomeOf, removed, type CountedEvent, type Counts } from '../../src/domain/counts.js';
import { changedRun } from './changed-run.js';
import { projection, type Handler } from '../projection.js';
import { directoryDocuments, bodyDocuments, changedDocuments, packDocuments } from './result-packs.js';
import {
  ownRefs,
  placeAt,
  putChanged,
  putPlace,
  removeResult,
  resultAt,
  resultRefs,
  wholeRefs,
} from './result-places.js';
import {
  arrivingRuns,
  recordedResult,
  resultDocuments,
  runDocuments,
  type ResultDocument,
  type RunDocument,
} from './run-documents.js';
import { countedFields, isReplaced, recounted, withReplaced, type Place } from './run-counts.js';
import { submittedItems } from './submitted-items.js';
import { shardDocuments, type ReceivedShard, type ShardsDocument } from './shards.js';
import { othersOf, supersededBy } from '../../src/domain/supersession.js';

export const runs = projection({
  name: 'runs',
  version: 8,
  collections: [
    runDocuments,
    arrivingRuns,
    shardDocuments,
    resultDocuments,
    packDocuments,
    bodyDocuments,
    changedDocuments,
    directoryDocuments,
  ],
  on: {
    RunCreated: runChange(),
    RunDescribed: runChange(),
    RunStarted: runChange(),
    RunCompleted: runChange(),
    RunReturnedToPending: runChange(),
    RunRedacted: runChange(),
    ItemsSubmitted: {
      touches: ({ data }) => bothPlaces(data.run_id),
      apply: beginArrival,
    },
    ItemsReceived: {
      touches: ({ data }) => [...bothPlaces(data.run_id), shardDocuments.at(data.run_id)],
      apply: endArrival,
    },
    ResultCreated: {
      touches: ({ data }) => [
        ...resultAndRun(data),
        ...(data.retry_of === null ? [] : resultRefs(data.retry_of)),
      ],
      follows: (documents, { data }) => (data.retry_of === null ? null : ownRefs(documents, [data.retry_of])),
      apply(documents, event) {
        const { result_id, run_id, retry_of } = event.data;
        const { position: created_position, meta } = event;
        const created = result.evolve(result.initial, event);
        if (created.life !== 'present') return;
        const { team_id } = meta;
        const born = { team_id, created_position };
        const recorded = recordedResult(created, born, meta.facts?.environment);
        documents.put(resultDocuments, result_id, recorded);
        onRun(documents, event, null);
        const former = retry_of === null ? null : placeAt(documents, retry_of);
        if (former === null) return;
        putPlace(documents, retry_of!, { ...former, superseded_by: result_id });
        if (!isReplaced(former))
          onStanding(documents, run_id, (standing) => removed(standing, former.status));
      },
    },
    ResultsSubmitted: submittedItems,
    ResultStarted: resultChange(),
    ResultFinished: resultChange(),
    ResultUpdated: resultChange(),
    ResultDeleted: {
      touches: (event) => [...resultAndRun(event.data), ...othersOf(event).flatMap(resultRefs)],
      follows: (documents, event) => ownRefs(documents, [event.data.result_id, ...othersOf(event)]),
      apply(documents, event) {
        const { result_id, run_id, replaces = [] } = event.data;
        const present = placeAt(documents, result_id);
        if (present === null) return;
        removeResult(documents, result_id);
        onRun(documents, event, present);
        if (isReplaced(present)) replaceRun(documents, run_id, (of) => withReplaced(of, -1));
        for (const id of supersededBy(event.data)) {
          const former = placeAt(documents, id);
          if (former?.superseded_by !== result_id) continue;
          putPlace(documents, id, { ...former, superseded_by: null });
          if (!isReplaced(former))
            onStanding(documents, run_id, (standing) => added(standing, former.status));
        }
        for (const id of replaces) restore(documents, run_id, id, result_id);
      },
    },
  },
});

function runChange(): Handler<Exclude<RunEvent, 'ItemsSubmitted' | 'ItemsReceived'>> {
  return {
    touches: ({ data }) => bothPlaces(data.run_id),
    apply(documents, event) {
      const id = event.data.run_id;
      const arriving = documents.get(arrivingRuns, id);
      const next = changedRun(arriving ?? documents.get(runDocuments, id), event);
      if (next === null) return;
      if (event.type === 'RunCreated') {
        const arrives = event.data.items > 0 || event.data.with_items === true;
        return documents.put(arrives ? arrivingRuns : runDocuments, id, next);
      }
      const { at } = event.meta;
      const ended = event.type === 'RunCompleted';
      const changed = ended ? { ...next, count_snapshot: { ...next.counts, at } } : next;
      // The end of a run that was submitted whole is the last event of its append, when all its items are folded.
      const isWhole = arriving === null || (ended && arriving.run_key === null);
      if (arriving !== null && isWhole) documents.remove(arrivingRuns, id);
      documents.put(isWhole ? runDocuments : arrivingRuns, id, changed);
    },
  };
}

/** From here on, a copy of the run is folded, which no reader sees. All events up to `endArrival` are of one append. */
function beginArrival(documents: Documents, event: LedgerEvent<'ItemsSubmitted'>): void {
  const { run_id, submission_id, shard, items: results, duration_ms } = event.data;
  const { position, meta } = event;
  const visible = documents.get(runDocuments, run_id);
  const next = changedRun(documents.get(arrivingRuns, run_id) ?? visible, event);
  if (next === null) return;
  if (visible !== null) {
    documents.put(runDocuments, run_id, { ...visible, arriving: { submission_id, position } });
  }
  if (shard === null) return documents.put(arrivingRuns, run_id, next);
  const { index, attempt, total: shard_total } = shard;
  const entry: ReceivedShard = { index, attempt, results, duration_ms, at: meta.at };
  documents.put(arrivingRuns, run_id, { ...next, shard_total, shard: entry });
}

function endArrival(documents: Documents, { data: { run_id } }: LedgerEvent<'ItemsReceived'>): void {
  const arriving = documents.get(arrivingRuns, run_id);
  if (arriving === null) return;
  const { shard, ...whole } = arriving;
  documents.remove(arrivingRuns, run_id);
  documents.put(runDocuments, run_id, whole);
  if (shard === undefined) return;
  const { received = [] } = documents.get(shardDocuments, run_id) ?? {};
  const shards: ShardsDocument = { team_id: whole.team_id, run_id, received: [...received, shard] };
  documents.put(shardDocuments, run_id, shards);
}

/** A run is in one of them, or in both while a submission to it arrives. */
function bothPlaces(id: string) {
  return [runDocuments.at(id), arrivingRuns.at(id)];
}

function resultChange(): Handler<'ResultStarted' | 'ResultFinished' | 'ResultUpdated'> {
  return {
    touches: ({ data }) => resultAndRun(data),
    follows: (documents, { data }) => wholeRefs(documents, data.result_id),
    apply(documents, event) {
      const { result_id } = event.data;
      const present = resultAt(documents, result_id);
      if (present === null) return;
      const next = result.evolve(present, event);
      if (next.life === 'present') putChanged(documents, result_id, next as ResultDocument);
      onRun(documents, event, present);
    },
  };
}

/** A result that another one replaced counts again, unless a third one replaces it. */
function restore(documents: Documents, runId: string | null, id: string, by: string): void {
  const former = placeAt(documents, id);
  if (former?.replaced_by?.includes(by) !== true) return;
  const others = former.replaced_by.filter((each) => each !== by);
  putPlace(documents, id, { ...former, replaced_by: others });
  if (others.length > 0) return;
  replaceRun(documents, runId, (present) => withReplaced(recounted(present, former, added), -1));
}

/** Changes the counts of a run by an event of a result. `place`: the result as it was; null if it stands. */
function onRun(documents: Documents, event: LedgerEvent<CountedEvent>, place: Place | null): void {
  changeRun(documents, event.data.run_id, (present) => countedFields(present, event, place));
}

function onStanding(documents: Documents, runId: string | null, change: (counts: Counts) => Counts): void {
  changeRun(documents, runId, (present) => {
    const standing = change(present.standing);
    return { standing, outcome: outcomeOf(standing) };
  });
}

function changeRun(
  documents: Documents,
  runId: string | null,
  fieldsOf: (present: RunDocument) => Partial<RunDocument>,
): void {
  const present = runAt(documents, runId);
  if (present !== null) documents.change(runDocuments, present.test_run_id, fieldsOf(present));
}

/** For a change that may take a field away. */
function replaceRun(
  documents: Documents,
  runId: string | null,
  after: (present: RunDocument) => RunDocument,
): void {
  const present = runAt(documents, runId);
  if (present !== null) documents.put(runDocuments, present.test_run_id, after(present));
}

function runAt(documents: Documents, runId: string | null): RunDocument | null {
  return runId === null ? null : documents.get(runDocuments, runId);
}

function resultAndRun({ result_id, run_id }: { result_id: string; run_id: string | null }) {
  const touched = resultRefs(result_id);
  return run_id === null ? touched : [...touched, runDocuments.at(run_id)];
}
