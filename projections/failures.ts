/**
 * Groups of failures: each failing result, the groups in each run, and the groups of a project and of its branches.
 * A result is failing if its newest final status is `Failed` and no other result supersedes it.
 */
import { latest } from '../src/domain/instant.js';
import type { Instant, Position } from '../src/domain/event.js';
import type { EventType } from '../src/domain/events.js';
import { collection, type DocumentRef, type Documents } from '../src/domain/projection.js';
import type { EnrichedEvent, Enrichment, FailureGroup } from '../src/domain/test-history/enriched-event.js';
import { failingRow, type FailingRow, type Moment } from '../src/domain/test-history/failing-row.js';
import { projection, type Handler } from './projection.js';
import { othersOf, supersededDocuments, supersederOf, supersederRefs } from './superseding.js';
import { branchDocuments, branchId } from './test-histories.js';

/** By result id: a result whose newest final status is `Failed`. The row of failures is as it was at that status. */
export type FailureDocument = Moment &
  FailingRow & {
    result_id: string;
    project_id: string;
    test_id: string;
    branch: string | null;
    /** The position of the event that set the status. */
    placed: Position;
    group: FailureGroup;
    superseded_by: string | null;
    /** The id of its sighting; null while it is superseded. */
    listed_in: string | null;
  };

/**
 * A group in a run, by run id, `#` and group; the same on one branch, with `#=` and the branch after it. A result
 * without a run counts as a run of its own: its id stands for that of the run.
 */
export type SightingDocument = Moment & {
  /** The group document that it counts in. */
  scope: string;
  /** The run that lists it; null on a branch, and without a run. */
  in_run: string | null;
  group: FailureGroup;
  /** The number of failing results. Never 0. */
  results: number;
  /** The number of different tests among them; null where `in_run` is. */
  tests: number | null;
  /** The place of the failure that opened it: its moment is that of this failure. */
  opened: Position;
};

/** By sighting, `#` and test: the number of failing results of the test in it. Never 0. */
export type SightedTestDocument = { results: number };

/** A group in a project, by project id, `#` and group; the same on one branch, with `#=` and the branch after it. */
export type GroupDocument = {
  /** The project; on a branch with `#=` and the branch after it. */
  listed_in: string;
  project_id: string;
  group: FailureGroup;
  /** The number of its sightings. Never 0. */
  runs: number;
  /** The number of failing results. */
  results: number;
  /** The sightings that were opened first and last. Null once that one is gone: only the others can show it then. */
  first: Seen | null;
  last: Seen | null;
  /** `last.at`; where `last` is null, no sighting is later. */
  last_at: Instant;
};

/** `sighting`: the id of the sighting in the run. */
export type Seen = Moment & { sighting: string; opened: Position };

export const failureDocuments = collection<FailureDocument>({
  name: 'failures',
  ids: 'result',
  rarelyRead: true,
  indexes: [['listed_in', 'placed']],
});

export const sightingDocuments = collection<SightingDocument>({
  name: 'sightings',
  ids: 'run',
  indexes: [
    ['in_run', 'results'],
    ['scope', 'opened'],
  ],
  totals: [['in_run']],
});

const sightedTestDocuments = collection<SightedTestDocument>({
  name: 'sighted_tests',
  ids: 'run',
  rarelyRead: true,
  indexes: [],
});

export const groupDocuments = collection<GroupDocument>({
  name: 'groups',
  ids: 'project',
  indexes: [
    ['listed_in', 'runs'],
    ['listed_in', 'last_at'],
  ],
  totals: [['listed_in']],
});

const changes: Handler<EventType, Enrichment> = { touches, follows, apply };

export const failures = projection<Enrichment>({
  name: 'failures',
  version: 1,
  collections: [failureDocuments, sightingDocuments, sightedTestDocuments, groupDocuments],
  on: {
    ResultCreated: changes,
    ResultSubmitted: changes,
    ResultStarted: changes,
    ResultFinished: changes,
    ResultUpdated: changes,
    ResultDeleted: changes,
  },
});

/** The branches of the test are documents of the part before this one. */
function touches(event: EnrichedEvent): DocumentRef[] {
  const { context, regrouped } = event;
  const touched: DocumentRef[] = othersOf(event).flatMap((id) => [
    failureDocuments.at(id),
    supersededDocuments.at(id),
  ]);
  if (regrouped !== undefined) touched.push(failureDocuments.at(regrouped.result.test_result_id));
  if (context === undefined) return touched;
  const { result, former } = context;
  const failure = failureIn(event);
  if (failure !== null) {
    touched.push({ ...failureDocuments.at(failure.result_id), isNew: former === null });
    touched.push(...supersederRefs(event, failure.result_id), ...countedIn(failure));
  } else if (former !== null) touched.push(failureDocuments.at(result.test_result_id));
  return touched;
}

/** The counts of the failures that the event changes. */
function* follows(documents: Pick<Documents, 'get'>, event: EnrichedEvent): Iterable<readonly DocumentRef[]> {
  const { context, regrouped } = event;
  const ids = othersOf(event);
  if (regrouped !== undefined) ids.push(regrouped.result.test_result_id);
  else if (context !== undefined && context.former !== null) ids.push(context.result.test_result_id);
  if (ids.length === 0) return;
  yield ids.flatMap((id) => {
    const failure = documents.get(failureDocuments, id);
    if (failure === null) return [];
    const moved = regrouped === undefined ? [] : countedIn({ ...failure, group: regrouped.group });
    return [...countedIn(failure), ...moved];
  });
}

/** What leaves comes before what joins: a group that only moves to a retry is seen anew. */
function apply(documents: Documents, event: EnrichedEvent): void {
  const { context, regrouped } = event;
  const own = context?.result.test_result_id;
  const former = context?.former == null ? null : documents.get(failureDocuments, own!);
  if (former !== null) remove(documents, former);
  for (const id of othersOf(event)) {
    const present = documents.get(failureDocuments, id);
    if (present === null) continue;
    const superseded_by = documents.get(supersededDocuments, id)?.superseded_by ?? null;
    if (superseded_by === present.superseded_by) continue;
    remove(documents, present);
    add(documents, event.position, { ...present, superseded_by });
  }
  const failure = failureIn(event);
  if (failure !== null) {
    const superseded_by = supersederOf(documents, event, failure.result_id);
    add(documents, event.position, { ...failure, ...rowAt(documents, failure), superseded_by });
  }
  if (regrouped !== undefined)
    regroup(documents, event.position, regrouped.result.test_result_id, regrouped.group);
}

function regroup(documents: Documents, position: Position, resultId: string, group: FailureGroup): void {
  const present = documents.get(failureDocuments, resultId);
  if (present === null || present.group.id === group.id) return;
  remove(documents, present);
  add(documents, position, { ...present, group });
}

type NewFailure = Omit<FailureDocument, keyof FailingRow | 'superseded_by' | 'listed_in'>;

/** The failure that the event sets. */
function failureIn({ context, meta, position }: EnrichedEvent): NewFailure | null {
  if (context === undefined) return null;
  const { test_id, result, entry, group } = context;
  if (entry === null || group === null) return null;
  const { result_id, run_id, branch, commit } = entry;
  const { project_id } = result;
  return { result_id, project_id, test_id, run_id, branch, commit, at: meta.at, placed: position, group };
}

function rowAt(documents: Documents, { test_id, branch, run_id, commit, at }: NewFailure): FailingRow {
  const onBranch = documents.get(branchDocuments, branchId(test_id, branch));
  const row = onBranch === null ? null : failingRow(onBranch);
  return {
    // The row passes over a superseded failure.
    failing_since: row?.failing_since ?? { run_id, commit, at },
    last_passed: row?.last_passed ?? null,
  };
}

// --- Counting -------------------------------------------------------------------------------------------------------

type Counted = Pick<NewFailure, 'result_id' | 'run_id' | 'project_id' | 'test_id' | 'branch' | 'group'>;

/** The documents in which a failure counts: those of its project, and those of its branch. */
type Scope = { sighting: string; in_run: string | null; scope: string; listed_in: string };

function scopesOf({ result_id, run_id, project_id, branch, group }: Counted): Scope[] {
  const sighting = `${run_id ?? result_id}#${group.id}`;
  const scope = `${project_id}#${group.id}`;
  const whole = { sighting, in_run: run_id, scope, listed_in: project_id };
  if (branch === null) return [whole];
  const on = (id: string) => `${id}#=${branch}`;
  return [whole, { sighting: on(sighting), in_run: null, scope: on(scope), listed_in: on(project_id) }];
}

function sightedTestId({ sighting }: Scope, { test_id }: Counted): string {
  return `${sighting}#${test_id}`;
}

function countedIn(failure: Counted): DocumentRef[] {
  return scopesOf(failure).flatMap((each) => {
    const touched = [sightingDocuments.at(each.sighting), groupDocuments.at(each.scope)];
    return each.in_run === null
      ? touched
      : [...touched, sightedTestDocuments.at(sightedTestId(each, failure))];
  });
}

function add(documents: Documents, position: Position, failure: Omit<FailureDocument, 'listed_in'>): void {
  const [whole, ...others] = scopesOf(failure);
  const counts = failure.superseded_by === null;
  const listed_in = counts ? whole!.sighting : null;
  documents.put(failureDocuments, failure.result_id, { ...failure, listed_in } satisfies FailureDocument);
  if (counts)
    for (const each of [whole!, ...others]) addTo(documents, position, failure, each, whole!.sighting);
}

function addTo(
  documents: Documents,
  position: Position,
  failure: NewFailure,
  scope: Scope,
  inRun: string,
): void {
  const { run_id, commit, at, placed, group, project_id } = failure;
  const isNewTest = scope.in_run !== null && addTest(documents, sightedTestId(scope, failure));
  const present = documents.get(sightingDocuments, scope.sighting);
  const sighting: SightingDocument = present ?? {
    run_id,
    commit,
    at,
    opened: placed,
    scope: scope.scope,
    in_run: scope.in_run,
    group,
    results: 0,
    tests: scope.in_run === null ? null : 0,
  };
  documents.put(sightingDocuments, scope.sighting, {
    ...sighting,
    results: sighting.results + 1,
    tests: sighting.tests === null ? null : sighting.tests + (isNewTest ? 1 : 0),
  } satisfies SightingDocument);

  const seen: Seen = { run_id, commit, at, opened: placed, sighting: inRun };
  const known = documents.get(groupDocuments, scope.scope);
  const inProject = known ?? newGroup({ listed_in: scope.listed_in, project_id, group }, seen);
  documents.put(groupDocuments, scope.scope, {
    ...inProject,
    ...(present === null && { runs: inProject.runs + 1, ...seenIn(inProject, seen, position) }),
    results: inProject.results + 1,
  } satisfies GroupDocument);
}

function newGroup(
  named: Pick<GroupDocument, 'listed_in' | 'project_id' | 'group'>,
  seen: Seen,
): GroupDocument {
  return { ...named, runs: 0, results: 0, first: seen, last: seen, last_at: seen.at };
}

/** A restored failure opens its sighting at the place that it had, before others perhaps. */
function seenIn({ first, last, last_at }: GroupDocument, seen: Seen, position: Position) {
  const isFirst = first !== null && seen.opened < first.opened;
  const isLast = seen.opened === position || (last !== null && seen.opened > last.opened);
  return {
    first: isFirst ? seen : first,
    last: isLast ? seen : last,
    last_at: isLast ? seen.at : latest(last_at, seen.at),
  };
}

function remove(documents: Documents, failure: FailureDocument): void {
  documents.remove(failureDocuments, failure.result_id);
  if (failure.listed_in === null) return;
  for (const each of scopesOf(failure)) removeFrom(documents, failure, each, failure.listed_in);
}

function removeFrom(documents: Documents, failure: FailureDocument, scope: Scope, inRun: string): void {
  const present = documents.get(sightingDocuments, scope.sighting);
  const inProject = documents.get(groupDocuments, scope.scope);
  if (present === null || inProject === null) return;
  const wasLastOfTest = scope.in_run !== null && removeTest(documents, sightedTestId(scope, failure));
  const isGone = present.results === 1;
  if (isGone) documents.remove(sightingDocuments, scope.sighting);
  else {
    documents.put(sightingDocuments, scope.sighting, {
      ...present,
      results: present.results - 1,
      tests: present.tests === null ? null : present.tests - (wasLastOfTest ? 1 : 0),
    } satisfies SightingDocument);
  }
  if (inProject.results === 1) return documents.remove(groupDocuments, scope.scope);
  const { first, last, runs } = inProject;
  documents.put(groupDocuments, scope.scope, {
    ...inProject,
    results: inProject.results - 1,
    ...(isGone && {
      runs: runs - 1,
      first: first?.sighting === inRun ? null : first,
      last: last?.sighting === inRun ? null : last,
    }),
  } satisfies GroupDocument);
}

/** Returns whether the test is the sighting's first failure of its own. */
function addTest(documents: Documents, id: string): boolean {
  const present = documents.get(sightedTestDocuments, id);
  documents.put(sightedTestDocuments, id, {
    results: (present?.results ?? 0) + 1,
  } satisfies SightedTestDocument);
  return present === null;
}

/** Returns whether the test has no failure left in the sighting. */
function removeTest(documents: Documents, id: string): boolean {
  const results = documents.get(sightedTestDocuments, id)?.results ?? 0;
  if (results <= 1) documents.remove(sightedTestDocuments, id);
  else documents.put(sightedTestDocuments, id, { results: results - 1 } satisfies SightedTestDocument);
  return results <= 1;
}
