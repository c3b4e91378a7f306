/**
 * How often failures of one group happen: in each run, in the project and on its branches. Counting a failure, or taking
 * it out, changes a few documents, however many others they count.
 */
import { latest } from '../../src/domain/instant.js';
import type { Instant, Position } from '../../src/domain/event.js';
import { collection, type DocumentRef, type Documents } from '../../src/domain/projection.js';
import type { FailureGroup } from '../../src/domain/test-history/result-facts.js';
import type { Moment } from '../../src/domain/test-history/failing-row.js';
import {
  scopesOf,
  sightedTestId,
  type CountedFailure,
  type PartOfGroup,
  type Scope,
} from './failure-scopes.js';

/**
 * Failing results, of which some may be in environments. What is left is without one: to count that by itself would cost every
 * failure of a project without environments as much again.
 */
type Share = {
  /** Never 0. */
  results: number;
  /** Those in an environment, whichever. Absent if there are none. */
  in_environments?: number;
};

/**
 * A group in a run, in an environment or on a branch of it, by `sightingId`. A result without a
 * run counts as a run of its own: its id stands for that of the run.
 */
export type SightingDocument = Moment &
  Share & {
    /** Its id; of a narrowed one, that of the sighting in the run as a whole, which lists the failures. */
    sighting: string;
    /** The group document that it counts in. */
    scope: string;
    /** The run that lists it, narrowed to the environment; null on a branch, and without a run. */
    in_run: string | null;
    group: FailureGroup;
    /** The number of different tests among them; null where `in_run` is. */
    tests: number | null;
    /** Tests of which all results are in environments. Absent if there are none. */
    tests_in_environments?: number;
    /** The place of the failure that opened it: its moment is that of this failure. */
    opened: Position;
  };

/** By `sightedTestId`: the failing results of a test in a sighting. */
export type SightedTestDocument = Share;

/** A group in a project, in an environment or on a branch of it, by `groupId`. */
export type GroupDocument = Share &
  PartOfGroup & {
    /** Its id. */
    scope: string;
    /** The project, narrowed as the id is. */
    listed_in: string;
    group: FailureGroup;
    /** The number of its sightings. Never 0. */
    runs: number;
    /** Sightings of which all results are in environments. Absent if there are none. */
    runs_in_environments?: number;
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
  sparse: ['in_run'],
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
    ['branch_of', 'runs'],
    ['environment_of', 'runs'],
  ],
  sparse: ['branch_of', 'environment_of'],
  totals: [['listed_in']],
});

/** Every document that `count` and `discount` get, put or remove for a failure. */
export function countedIn(failure: CountedFailure): DocumentRef[] {
  return scopesOf(failure).flatMap((scope) => {
    const touched = [sightingDocuments.at(scope.id), groupDocuments.at(scope.group)];
    return scope.in_run === null
      ? touched
      : [...touched, sightedTestDocuments.at(sightedTestId(scope, failure.test_id))];
  });
}

/** `position`: of the event that makes the failure count. */
export function count(documents: Documents, position: Position, failure: CountedFailure): void {
  for (const scope of scopesOf(failure)) {
    const sighting = addToSighting(documents, failure, scope);
    addToGroup(documents, position, failure, scope, sighting);
  }
}

export function discount(documents: Documents, failure: CountedFailure): void {
  for (const scope of scopesOf(failure)) {
    const sighting = removeFromSighting(documents, failure, scope);
    removeFromGroup(documents, failure, scope, sighting);
  }
}

/** How many more there are: in all, and of those of which all results are in environments. */
type Change = { n: -1 | 0 | 1; inEnvironments: -1 | 0 | 1 };

function addToSighting(documents: Documents, failure: CountedFailure, scope: Scope): Change {
  const { run_id, commit, at, placed: opened, group } = failure;
  const { id, sighting, in_run } = scope;
  const present = documents.get(sightingDocuments, id);
  const before: SightingDocument = present ?? {
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
  const after = withTest(withFailure(before, failure, 1), changeTest(documents, scope, failure, 1));
  documents.put(sightingDocuments, id, after);
  return changeOf(present, after);
}

function removeFromSighting(documents: Documents, failure: CountedFailure, scope: Scope): Change {
  const present = documents.get(sightingDocuments, scope.id);
  if (present === null) return { n: 0, inEnvironments: 0 };
  const after = withTest(withFailure(present, failure, -1), changeTest(documents, scope, failure, -1));
  if (after.results === 0) documents.remove(sightingDocuments, scope.id);
  else documents.put(sightingDocuments, scope.id, after);
  return changeOf(present, after.results === 0 ? null : after);
}

/** Counts a failure of a test in a sighting that counts tests, or takes it out. */
function changeTest(documents: Documents, scope: Scope, failure: CountedFailure, n: 1 | -1): Change {
  if (scope.in_run === null) return { n: 0, inEnvironments: 0 };
  const id = sightedTestId(scope, failure.test_id);
  const present = documents.get(sightedTestDocuments, id);
  const after = withFailure<SightedTestDocument>(present ?? { results: 0 }, failure, n);
  if (after.results > 0) documents.put(sightedTestDocuments, id, after);
  else documents.remove(sightedTestDocuments, id);
  return changeOf(present, after.results > 0 ? after : null);
}

function withFailure<S extends Share>(share: S, { environment }: CountedFailure, n: 1 | -1): S {
  const { in_environments = 0, ...others } = share;
  const results = share.results + n;
  const left = environment === undefined ? in_environments : in_environments + n;
  return { ...others, results, ...(left > 0 && { in_environments: left }) } as S;
}

function withTest(sighting: SightingDocument, { n, inEnvironments }: Change): SightingDocument {
  if (sighting.tests === null) return sighting;
  const { tests_in_environments = 0, ...others } = sighting;
  const left = tests_in_environments + inEnvironments;
  return { ...others, tests: sighting.tests + n, ...(left > 0 && { tests_in_environments: left }) };
}

function changeOf(before: Share | null, after: Share | null): Change {
  const n = Number(after !== null) - Number(before !== null);
  const inEnvironments = Number(isInEnvironments(after)) - Number(isInEnvironments(before));
  return { n, inEnvironments } as Change;
}

function isInEnvironments(share: Share | null): boolean {
  return share !== null && share.in_environments === share.results;
}

function addToGroup(
  documents: Documents,
  position: Position,
  failure: CountedFailure,
  { group: scope, listed_in, sighting, part }: Scope,
  change: Change,
): void {
  const { run_id, commit, at, placed: opened, group } = failure;
  const seen: Seen = { run_id, commit, at, opened, sighting };
  const present: GroupDocument = documents.get(groupDocuments, scope) ?? {
    scope,
    listed_in,
    group,
    runs: 0,
    results: 0,
    first: seen,
    last: seen,
    last_at: at,
    ...part,
  };
  const after = withSighting(withFailure(present, failure, 1), change);
  documents.put(groupDocuments, scope, {
    ...after,
    ...(change.n > 0 && seenIn(present, seen, position)),
  } satisfies GroupDocument);
}

function withSighting(group: GroupDocument, { n, inEnvironments }: Change): GroupDocument {
  const { runs_in_environments = 0, ...others } = group;
  const left = runs_in_environments + inEnvironments;
  return { ...others, runs: group.runs + n, ...(left > 0 && { runs_in_environments: left }) };
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

function removeFromGroup(
  documents: Documents,
  failure: CountedFailure,
  { group: scope, sighting }: Scope,
  change: Change,
): void {
  const present = documents.get(groupDocuments, scope);
  if (present === null) return;
  if (present.results === 1) return documents.remove(groupDocuments, scope);
  const { first, last } = present;
  documents.put(groupDocuments, scope, {
    ...withSighting(withFailure(present, failure, -1), change),
    ...(change.n < 0 && {
      first: first?.sighting === sighting ? null : first,
      last: last?.sighting === sighting ? null : last,
    }),
  } satisfies GroupDocument);
}
