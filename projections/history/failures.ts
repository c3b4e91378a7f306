/**
 * Groups of failures: each failing result, the groups in each run, and the groups of a project and of its branches.
 * A result is failing if its status is `Failed` and no other result supersedes it.
 */
import type { EventType } from '../../src/domain/events.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import type {
  FailedResult,
  HistoryEvent,
  HistoryChange,
} from '../../src/domain/test-history/result-change.js';
import { failingRow, type FailingRow } from '../../src/domain/test-history/failing-row.js';
import { unpacked } from '../../src/domain/test-history/packed-verdicts.js';
import {
  count,
  countedIn,
  discount,
  groupDocuments,
  sightedTestDocuments,
  sightingDocuments,
} from './failure-counts.js';
import { sightingOf, type CountedFailure } from './failure-scopes.js';
import { failureDocuments, type FailureDocument } from './failure-documents.js';
import { isKnown } from './transitions.js';
import { ofResults, projection, type Handler } from '../projection.js';
import { reopenedBy } from './reopened.js';
import { supersededDocuments, supersederOf, supersederRefs } from './superseding.js';
import { othersOf } from '../../src/domain/supersession.js';
import { branchState } from './branches.js';
import { placeOfLine } from './lines.js';
import { causeRefs, changedCauseRefs, sight, unsight } from '../causes/sightings.js';

/** Where failures count. `changed`: what `count` puts besides, as far as only the documents of `refs` say it. */
type Counting = {
  refs(failure: CountedFailure): DocumentRef[];
  changed(documents: ReadableDocuments, event: HistoryEvent, failure: CountedFailure): DocumentRef[];
  count(documents: Documents, event: HistoryEvent, failure: CountedFailure): void;
  discount(documents: Documents, failure: CountedFailure): void;
};

/** In groups, on branches too, and in causes. */
const everywhere: Counting = {
  refs: (failure) => [...countedIn(failure), ...causeRefs(failure)],
  changed: changedCauseRefs,
  count(documents, event, failure) {
    count(documents, event.position, failure);
    sight(documents, event, failure);
  },
  discount(documents, failure) {
    discount(documents, failure);
    unsight(documents, failure);
  },
};

/** What the failures of a run show: no causes, and no groups of a branch. */
const inRuns: Counting = {
  refs: (failure) => countedIn(onNoBranch(failure)),
  changed: () => [],
  count: (documents, event, failure) => count(documents, event.position, onNoBranch(failure)),
  discount: (documents, failure) => discount(documents, onNoBranch(failure)),
};

function onNoBranch(failure: CountedFailure): CountedFailure {
  return { ...failure, branch: null };
}

export const failures = failuresCounted(everywhere);

/** Those of a past. */
export const failuresInRuns = failuresCounted(inRuns);

function failuresCounted(counting: Counting) {
  const changes: Handler<EventType, HistoryChange> = {
    touches: (event) => touches(event, counting),
    follows: (documents, event) => follows(documents, event, counting),
    apply: (documents, event) => apply(documents, event, counting),
  };
  return projection<HistoryChange>({
    name: 'failures',
    version: 6,
    collections: [failureDocuments, sightingDocuments, sightedTestDocuments, groupDocuments],
    on: {
      ...ofResults(changes),
    },
  });
}

/** The test and its branches are documents of the part before this one. */
function touches(event: HistoryEvent, { refs }: Counting): DocumentRef[] {
  const { change, regrouped } = event;
  const touched: DocumentRef[] = othersOf(event).flatMap((id) => [
    failureDocuments.at(id),
    supersededDocuments.at(id),
  ]);
  if (regrouped !== undefined) touched.push(failureDocuments.at(regrouped.result.test_result_id));
  const reopened = reopenedBy(event);
  if (reopened !== null) touched.push(failureDocuments.at(reopened));
  if (change === undefined) return touched;
  const { result, former } = change;
  const failure = failureIn(event);
  if (failure !== null) {
    touched.push(
      former === null ? failureDocuments.atNew(failure.result_id) : failureDocuments.at(failure.result_id),
    );
    touched.push(...supersederRefs(event, failure.result_id), ...refs(failure));
  } else if (former !== null) touched.push(failureDocuments.at(result.test_result_id));
  return touched;
}

/** The counts and causes of the failures that the event changes. */
function follows(
  documents: ReadableDocuments,
  event: HistoryEvent,
  counting: Counting,
): Iterable<readonly DocumentRef[]> | null {
  const own = failureIn(event);
  const others = othersIn(event);
  return own === null && others.length === 0 ? null : followsOf(documents, event, { own, others, counting });
}

/** The results whose failures the event may change, without the failure that it sets. */
function othersIn(event: HistoryEvent): string[] {
  const { change, regrouped } = event;
  const ids = [...othersOf(event)];
  const reopened = reopenedBy(event);
  if (reopened !== null) ids.push(reopened);
  if (regrouped !== undefined) ids.push(regrouped.result.test_result_id);
  else if (change !== undefined && change.former !== null) ids.push(change.result.test_result_id);
  return ids;
}

function* followsOf(
  documents: ReadableDocuments,
  event: HistoryEvent,
  { own, others, counting }: { own: CountedFailure | null; others: readonly string[]; counting: Counting },
): Generator<readonly DocumentRef[]> {
  const { regrouped } = event;
  const present = others.flatMap((id) => documents.get(failureDocuments, id) ?? []);
  const moved = regrouped === undefined ? [] : present.map((each) => ({ ...each, group: regrouped.group }));
  const changed = [...present, ...moved];
  if (changed.length > 0) yield changed.flatMap(counting.refs);
  const counted = own === null ? changed : [own, ...changed];
  yield counted.flatMap((failure) => counting.changed(documents, event, failure));
}

/** Failures leave their groups before others join them: a group that only moves to a retry is seen anew. */
function apply(documents: Documents, event: HistoryEvent, counting: Counting): void {
  const { change, regrouped } = event;
  const own = change?.result.test_result_id;
  const former = change?.former == null ? null : documents.get(failureDocuments, own!);
  if (former !== null) remove(documents, former, counting);
  const reopened = reopenedBy(event);
  const open = reopened === null ? null : documents.get(failureDocuments, reopened);
  if (open !== null) leaveOpen(documents, open, counting);
  for (const id of othersOf(event)) {
    const present = documents.get(failureDocuments, id);
    if (present === null) continue;
    const superseded_by = documents.get(supersededDocuments, id)?.by[0] ?? null;
    if (present.reopened === true) {
      documents.put(failureDocuments, id, { ...present, superseded_by } satisfies FailureDocument);
      continue;
    }
    if ((superseded_by === null) === (present.superseded_by === null)) continue;
    remove(documents, present, counting);
    add(documents, event, { ...present, superseded_by }, counting);
  }
  const failure = failureIn(event);
  if (failure !== null) {
    const superseded_by = supersederOf(documents, event, failure.result_id);
    const known = isKnown(event);
    const owner = event.change?.owner;
    const row = rowAt(documents, failure);
    const named = owner == null ? {} : { owner };
    add(documents, event, { ...failure, ...row, superseded_by, known, ...named }, counting);
  }
  if (regrouped !== undefined) regroup(documents, event, regrouped, counting);
}

function regroup(
  documents: Documents,
  event: HistoryEvent,
  { result, group }: FailedResult,
  counting: Counting,
): void {
  const present = documents.get(failureDocuments, result.test_result_id);
  if (present === null || present.group.id === group.id) return;
  remove(documents, present, counting);
  add(documents, event, { ...present, group }, counting);
}

/** The failure that the event sets. */
function failureIn({ change, position }: HistoryEvent): CountedFailure | null {
  if (change === undefined) return null;
  const { test_id, result, ran_at: at, entry, group } = change;
  if (entry === null || group === null) return null;
  const { result_id, run_id, branch, environment, commit } = entry;
  const { project_id } = result;
  const failure = { result_id, project_id, test_id, run_id, branch, commit, at, placed: position, group };
  return environment === '' ? failure : { ...failure, environment };
}

function rowAt(documents: Documents, failure: CountedFailure): FailingRow {
  const { test_id, branch, environment = '', run_id, commit, at } = failure;
  const line = placeOfLine(documents, test_id, environment);
  const row = line === null ? null : failingRow(unpacked(branchState(documents, line, branch).verdicts));
  return {
    // The row passes over a superseded failure.
    failing_since: row?.failing_since ?? { run_id, commit, at },
    last_passed: row?.last_passed ?? null,
  };
}

function add(
  documents: Documents,
  event: HistoryEvent,
  failure: Omit<FailureDocument, 'listed_in'>,
  counting: Counting,
): void {
  const counts = failure.superseded_by === null;
  const listed_in = counts ? sightingOf(failure) : null;
  documents.put(failureDocuments, failure.result_id, { ...failure, listed_in } satisfies FailureDocument);
  if (counts) counting.count(documents, event, failure);
}

function remove(documents: Documents, failure: FailureDocument, counting: Counting): void {
  documents.remove(failureDocuments, failure.result_id);
  if (failure.listed_in !== null) counting.discount(documents, failure);
}

/** Its result may fail again, and somebody knew of it then already. */
function leaveOpen(documents: Documents, failure: FailureDocument, counting: Counting): void {
  const open: FailureDocument = { ...failure, listed_in: null, reopened: true };
  documents.put(failureDocuments, failure.result_id, open);
  if (failure.listed_in !== null) counting.discount(documents, failure);
}
