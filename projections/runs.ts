/**
 * Runs and their results, folded together. The outcome of a run depends on which of its results are superseded, and
 * only the order of the log across their streams can show that (docs/decisions/004).
 */
import { result, type PresentResult } from '../src/domain/result.js';
import { run, type Run, type RunRecord } from '../src/domain/run.js';
import { itemId } from '../src/domain/ids.js';
import { latest } from '../src/domain/instant.js';
import type { EventData, LedgerEvent, RunEvent } from '../src/domain/events.js';
import { collection, type Collection, type Documents } from '../src/domain/projection.js';
import {
  added,
  countsAfter,
  noCounts,
  outcomeOf,
  removed,
  type CountedEvent,
  type Counts,
  type Outcome,
} from '../src/domain/counts.js';
import { understoodRun } from '../src/domain/understood.js';
import { createdBy, projection, type Handler } from './projection.js';

export type RunDocument = RunRecord & {
  team_id: string;
  created_position: string;
  /** As the metadata say them: lists are filtered by these three. */
  branch: string | null;
  commit: string | null;
  pull_request: string | null;
  counts: Counts;
  /** The counts without superseded results. */
  standing: Counts;
  outcome: Outcome;
  count_snapshot: (Counts & { at: string }) | null;
  /** When the run or one of its results last changed. */
  active_at: string;
};

/** The state of a result as its decider keeps it, so that the fold here is the fold of the decider. */
export type ResultDocument = PresentResult & {
  team_id: string;
  created_position: string;
  superseded_by: string | null;
};

/** Each of these is a filter, alone and together with the status or the outcome. */
const filters = ['branch', 'commit', 'pull_request'].flatMap((field) => [
  ['project_id', field],
  ['project_id', field, 'status'],
  ['project_id', field, 'outcome'],
]);

export const runDocuments = collection<RunDocument>({
  name: 'runs',
  ids: 'run',
  indexes: [
    ['project_id', 'created_position'],
    ['project_id', 'status', 'created_position'],
    ['project_id', 'outcome', 'created_position'],
    ['status', 'active_at'],
    ...filters.map((fields) => [...fields, 'created_position']),
  ],
  totals: [['project_id'], ['project_id', 'status'], ['project_id', 'outcome'], ...filters],
});

/** Runs of bulk submissions whose items are not all folded yet: a client must never see half of one. */
const arrivingRuns = collection<RunDocument>({ name: 'submissions', ids: 'run', indexes: [] });

export const resultDocuments = collection<ResultDocument>({
  name: 'results',
  ids: 'result',
  indexes: [
    ['test_run_id', 'created_position'],
    ['test_run_id', 'status', 'created_position'],
  ],
});

export const runs = projection({
  name: 'runs',
  version: 3,
  collections: [runDocuments, arrivingRuns, resultDocuments],
  on: {
    RunCreated: runChange(),
    RunDescribed: runChange(),
    RunStarted: runChange(),
    RunCompleted: runChange(),
    RunReturnedToPending: runChange(),
    ResultCreated: {
      touches: ({ data }) => [...resultAndRun(data), ...retried(data)],
      apply(documents, event) {
        const { result_id, run_id, retry_of } = event.data;
        putResult(documents, event, null);
        onRun(documents, event);
        const former = retry_of === null ? null : documents.get(resultDocuments, retry_of);
        if (former === null) return;
        documents.put(resultDocuments, former.test_result_id, { ...former, superseded_by: result_id });
        onStanding(documents, run_id, (standing) => removed(standing, former.status));
      },
    },
    ResultSubmitted: {
      touches: ({ data }) => [resultDocuments.at(data.result_id), arrivingRuns.at(data.run_id)],
      apply(documents, event) {
        putResult(documents, event, null, event.data.superseded_by);
        const { run_id, superseded_by } = event.data;
        const present = documents.get(arrivingRuns, run_id);
        if (present === null) return;
        documents.put(arrivingRuns, run_id, counted(present, event, superseded_by !== null));
      },
    },
    ResultStarted: resultChange(),
    ResultFinished: resultChange(),
    ResultUpdated: resultChange(),
    ResultDeleted: {
      touches: ({ data }) => [...resultAndRun(data), ...superseded(data)],
      apply(documents, event) {
        const { result_id, run_id } = event.data;
        const present = documents.get(resultDocuments, result_id);
        if (present === null) return;
        documents.remove(resultDocuments, result_id);
        onRun(documents, event, present.superseded_by !== null);
        for (const { id } of superseded(event.data)) {
          const former = documents.get(resultDocuments, id);
          if (former?.superseded_by !== result_id) continue;
          documents.put(resultDocuments, id, { ...former, superseded_by: null });
          onStanding(documents, run_id, (standing) => added(standing, former.status));
        }
      },
    },
  },
});

function runChange(): Handler<RunEvent> {
  return {
    touches: (event) => placesOf(event).map((place) => place.at(event.data.run_id)),
    apply(documents, event) {
      const id = event.data.run_id;
      const places = placesOf(event);
      const arriving = places.includes(arrivingRuns) ? documents.get(arrivingRuns, id) : null;
      const present = arriving ?? (places.includes(runDocuments) ? documents.get(runDocuments, id) : null);
      const state: Run = present === null ? run.initial : { life: 'present', ...present };
      const changed = run.evolve(state, event);
      if (changed.life === 'none') return;
      const { life: _, ...record } = changed;
      const { branch, commit, pull_request } = understoodRun(record.metadata);
      const { at } = event.meta;
      const next = {
        ...(present ?? newRun(event)),
        ...record,
        branch,
        commit,
        pull_request,
        active_at: latest(present?.active_at ?? at, at),
      };
      if (event.type !== 'RunCompleted') {
        const place = arriving === null ? places[0] : arrivingRuns;
        return documents.put(place, id, next);
      }
      if (arriving !== null) documents.remove(arrivingRuns, id);
      documents.put(runDocuments, id, { ...next, count_snapshot: { ...next.counts, at } });
    },
  };
}

/**
 * The collections that may have the run. A run with items is listed at its completion, when all items are folded, so no
 * reader sees half of it. The append that creates it also starts and completes it.
 */
function placesOf(event: LedgerEvent<RunEvent>): readonly [RunCollection, ...RunCollection[]] {
  switch (event.type) {
    case 'RunCreated':
      return event.data.items > 0 ? [arrivingRuns] : [runDocuments];
    case 'RunStarted':
    case 'RunCompleted':
      return [runDocuments, arrivingRuns];
    default:
      return [runDocuments];
  }
}

type RunCollection = Collection<RunDocument>;

function newRun(event: LedgerEvent) {
  return {
    ...createdBy(event),
    counts: noCounts,
    standing: noCounts,
    outcome: null,
    count_snapshot: null,
  };
}

function resultChange(): Handler<'ResultStarted' | 'ResultFinished' | 'ResultUpdated'> {
  return {
    touches: ({ data }) => resultAndRun(data),
    apply(documents, event) {
      const present = documents.get(resultDocuments, event.data.result_id);
      if (present === null) return;
      putResult(documents, event, present);
      onRun(documents, event, present.superseded_by !== null);
    },
  };
}

function putResult(
  documents: Documents,
  event: LedgerEvent<ResultFact>,
  present: ResultDocument | null,
  superseded_by: string | null = null,
): void {
  const next = result.evolve(present ?? result.initial, event);
  if (next.life !== 'present') return;
  const id = event.data.result_id;
  if (present !== null) return documents.put(resultDocuments, id, next);
  const { position, meta } = event;
  documents.put(resultDocuments, id, {
    team_id: meta.team_id,
    created_position: position,
    position,
    superseded_by,
    // The spread comes last: fields after a spread make this ten times as slow, and a rebuild does it for every result.
    ...next,
  });
}

type ResultFact = 'ResultCreated' | 'ResultSubmitted' | 'ResultStarted' | 'ResultFinished' | 'ResultUpdated';

/** Changes the counts of a run, and its standing counts unless the result is superseded. */
function onRun(documents: Documents, event: LedgerEvent<CountedEvent>, superseded = false): void {
  const { run_id } = event.data;
  const present = run_id === null ? null : documents.get(runDocuments, run_id);
  if (present === null) return;
  documents.put(runDocuments, present.test_run_id, counted(present, event, superseded));
}

function counted(present: RunDocument, event: LedgerEvent<CountedEvent>, superseded: boolean): RunDocument {
  const counts = countsAfter(present.counts, event);
  // In nearly every run nothing is superseded, so both counts are the same object.
  const same = present.standing.total === present.counts.total;
  const standing = superseded ? present.standing : same ? counts : countsAfter(present.standing, event);
  // A request that is resumed has the instant of its first try, so the later of the two instants counts.
  const active_at = latest(present.active_at, event.meta.at);
  return { ...present, counts, standing, outcome: outcomeOf(standing), active_at };
}

function onStanding(documents: Documents, runId: string | null, change: (counts: Counts) => Counts): void {
  const present = runId === null ? null : documents.get(runDocuments, runId);
  if (present === null) return;
  const standing = change(present.standing);
  documents.put(runDocuments, present.test_run_id, { ...present, standing, outcome: outcomeOf(standing) });
}

function resultAndRun({ result_id, run_id }: { result_id: string; run_id: string | null }) {
  const touched = [resultDocuments.at(result_id)];
  return run_id === null ? touched : [...touched, runDocuments.at(run_id)];
}

function retried({ retry_of }: Pick<EventData['ResultCreated'], 'retry_of'>) {
  return retry_of === null ? [] : [resultDocuments.at(retry_of)];
}

/** The results that a deleted result had superseded: the one that it retried, or items of the same submission. */
function superseded({ run_id, retry_of, supersedes = [] }: EventData['ResultDeleted']) {
  const items = run_id === null ? [] : supersedes.map((ordinal) => itemId(run_id, ordinal));
  return [...retried({ retry_of }), ...items.map(resultDocuments.at)];
}
