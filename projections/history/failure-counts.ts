/**
 * How often failures of one group happen: in each run, in the project and on its branches. Counting a failure, or taking
 * it out, changes a few documents, however many others they count.
 */
import { latest } from '../../src/domain/instant.js';
import type { EnvironmentKey } from '../../src/domain/environment.js';
import type { Instant, Position } from '../../src/domain/event.js';
import { collection, type DocumentRef, type Documents } from '../../src/domain/projection.js';
import type { FailureGroup } from '../../src/domain/test-history/result-facts.js';
import type { Moment } from '../../src/domain/test-history/failing-row.js';

/** A failure, as far as it is counted. `placed`: the position of the event that set its status. */
export type CountedFailure = Moment & {
  result_id: string;
  project_id: string;
  test_id: string;
  branch: string | null;
  /** Absent without one. */
  environment?: EnvironmentKey;
  placed: Position;
  group: FailureGroup;
};

/**
 * A group in a run, by run id, `#` and group; the same on one branch, with `#=` and the branch after it. A result
 * without a run counts as a run of its own: its id stands for that of the run.
 */
export type SightingDocument = Moment & {
  /** Its id; on a branch, that of the sighting in the run as a whole, which lists the failures. */
  sighting: string;
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
  /** Its id. */
  scope: string;
  /** The project; on a branch with `#=` and the branch after it. */
  listed_in: string;
  group: FailureGroup;
  /** The number of its sightings. Never 0. */
  runs: number;
  /** The number of failing results. */
  results: number;
  /** The sightings that were opened first and last. Null once that one is gone: only the others can show it then. */
  first: Seen | null;
  last: Seen | null;
  /** No sighting ran later. One that was recorded later may have run before, so it need not be `last.at`. */
  last_at: Instant;
};

/** A sighting, as its group remembers it. */
export type Seen = Moment & Pick<SightingDocument, 'sighting' | 'opened'>;

export const sightingDocuments = collection<SightingDocument>({
  name: 'sightings',
  ids: 'run',
  indexes: [
    ['in_run', 'results'],
    ['scope', 'opened'],
  ],
  totals: [['in_run']],
});

export const sightedTestDocuments = collection<SightedTestDocument>({
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

/** Every document that `count` and `discount` get, put or remove for a failure. */
export function countedIn(failure: CountedFailure): DocumentRef[] {
  return scopesOf(failure).flatMap((scope) => {
    const touched = [sightingDocuments.at(scope.id), groupDocuments.at(scope.group)];
    return scope.in_run === null ? touched : [...touched, sightedTestDocuments.at(testIn(scope, failure))];
  });
}

/** `position`: of the event that makes the failure count. */
export function count(documents: Documents, position: Position, failure: CountedFailure): void {
  for (const scope of scopesOf(failure)) {
    const isNew = addToSighting(documents, failure, scope);
    addToGroup(documents, position, failure, scope, isNew);
  }
}

export function discount(documents: Documents, failure: CountedFailure): void {
  for (const scope of scopesOf(failure)) {
    const isGone = removeFromSighting(documents, failure, scope);
    removeFromGroup(documents, scope, isGone);
  }
}

/** The id of the sighting in the run as a whole. */
export function sightingOf({ run_id, result_id, group }: CountedFailure): string {
  return sightingId(run_id ?? result_id, group.id);
}

/** `run`: the id of a run, or of a result without one. */
export function sightingId(run: string, group: string): string {
  return `${run}#${group}`;
}

export function groupId(projectId: string, group: string): string {
  return `${projectId}#${group}`;
}

/** The `listed_in` of the groups on a branch; without one, of all groups of the project. */
export function groupsOf(projectId: string, branch: string | undefined): string {
  return branch === undefined ? projectId : onBranch(projectId, branch);
}

function onBranch(id: string, branch: string): string {
  return `${id}#=${branch}`;
}

/** Where a failure counts: in its run and project, and on its branch. `id`: of the sighting. */
type Scope = { id: string; group: string; listed_in: string; in_run: string | null; sighting: string };

function scopesOf(failure: CountedFailure): Scope[] {
  const { run_id, project_id, branch } = failure;
  const sighting = sightingOf(failure);
  const group = groupId(project_id, failure.group.id);
  const whole = { id: sighting, group, listed_in: project_id, in_run: run_id, sighting };
  if (branch === null) return [whole];
  const listed_in = onBranch(project_id, branch);
  const own = { id: onBranch(sighting, branch), group: onBranch(group, branch), listed_in };
  return [whole, { ...own, in_run: null, sighting }];
}

function testIn({ id }: Scope, { test_id }: CountedFailure): string {
  return `${id}#${test_id}`;
}

/** Returns whether the failure opens the sighting. */
function addToSighting(documents: Documents, failure: CountedFailure, scope: Scope): boolean {
  const { run_id, commit, at, placed: opened, group } = failure;
  const { id, sighting, in_run } = scope;
  const present = documents.get(sightingDocuments, id);
  const { results, tests, ...rest } = present ?? {
    run_id,
    commit,
    at,
    opened,
    sighting,
    scope: scope.group,
    in_run,
    group,
    results: 0,
    tests: in_run === null ? null : 0,
  };
  documents.put(sightingDocuments, id, {
    ...rest,
    results: results + 1,
    tests: tests === null ? null : tests + addTest(documents, testIn(scope, failure)),
  } satisfies SightingDocument);
  return present === null;
}

/** Returns whether the sighting has no failure left. */
function removeFromSighting(documents: Documents, failure: CountedFailure, scope: Scope): boolean {
  const present = documents.get(sightingDocuments, scope.id);
  if (present === null) return false;
  const { results, tests } = present;
  const left = tests === null ? null : tests - removeTest(documents, testIn(scope, failure));
  if (results === 1) documents.remove(sightingDocuments, scope.id);
  else {
    documents.put(sightingDocuments, scope.id, {
      ...present,
      results: results - 1,
      tests: left,
    } satisfies SightingDocument);
  }
  return results === 1;
}

/** Returns by how many different tests the sighting has more. */
function addTest(documents: Documents, id: string): 0 | 1 {
  const results = documents.get(sightedTestDocuments, id)?.results ?? 0;
  documents.put(sightedTestDocuments, id, { results: results + 1 } satisfies SightedTestDocument);
  return results === 0 ? 1 : 0;
}

/** Returns by how many different tests the sighting has fewer. */
function removeTest(documents: Documents, id: string): 0 | 1 {
  const results = documents.get(sightedTestDocuments, id)?.results ?? 0;
  if (results > 1) {
    documents.put(sightedTestDocuments, id, { results: results - 1 } satisfies SightedTestDocument);
    return 0;
  }
  documents.remove(sightedTestDocuments, id);
  return 1;
}

function addToGroup(
  documents: Documents,
  position: Position,
  { run_id, commit, at, placed: opened, group }: CountedFailure,
  { group: scope, listed_in, sighting }: Scope,
  isNew: boolean,
): void {
  const seen: Seen = { run_id, commit, at, opened, sighting };
  const present = documents.get(groupDocuments, scope) ?? {
    scope,
    listed_in,
    group,
    runs: 0,
    results: 0,
    first: seen,
    last: seen,
    last_at: at,
  };
  documents.put(groupDocuments, scope, {
    ...present,
    results: present.results + 1,
    ...(isNew && { runs: present.runs + 1, ...seenIn(present, seen, position) }),
  } satisfies GroupDocument);
}

/** A restored failure opens its sighting at the place that it had, before others perhaps. */
function seenIn({ first, last, last_at }: GroupDocument, seen: Seen, position: Position) {
  const isFirst = first !== null && seen.opened < first.opened;
  const isLast = seen.opened === position || (last !== null && seen.opened > last.opened);
  return {
    first: isFirst ? seen : first,
    last: isLast ? seen : last,
    last_at: latest(last_at, seen.at),
  };
}

function removeFromGroup(documents: Documents, { group: scope, sighting }: Scope, isGone: boolean): void {
  const present = documents.get(groupDocuments, scope);
  if (present === null) return;
  if (present.results === 1) return documents.remove(groupDocuments, scope);
  const { runs, results, first, last } = present;
  const others = {
    runs: runs - 1,
    first: first?.sighting === sighting ? null : first,
    last: last?.sighting === sighting ? null : last,
  };
  documents.put(groupDocuments, scope, {
    ...present,
    results: results - 1,
    ...(isGone && others),
  } satisfies GroupDocument);
}
