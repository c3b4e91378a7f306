/**
 * Which groups of failures are open on the default branch (docs/api.md, section 5.1). A completed run looks at the groups that it
 * fails with, and at those that are open on its track, and at no others.
 */
import { resultThatRan, type TestsOfRun } from '../../src/domain/comparison/compare.js';
import { hasFailed, resultIdIn } from '../../src/domain/comparison/packed-line.js';
import type { Instant } from '../../src/domain/event.js';
import type { DocumentRef, ReadableDocuments } from '../../src/domain/projection.js';
import type { FailureGroup } from '../../src/domain/test-history/result-facts.js';
import { limits } from '../../src/limits.js';
import { failureDocuments } from '../history/failure-documents.js';
import { groupId } from '../history/failure-scopes.js';
import {
  mainGroupDocuments,
  trackDocuments,
  trackTestsDocuments,
  trackTestsId,
  type MainGroupDocument,
  type TrackDocument,
} from './main-documents.js';

/** Of a group on a track: tests after these are not waited for. */
const MOST_TESTS = 2_000;
/** A group that is open on so many tracks is not followed on others. */
const MOST_TRACKS = 100;

/** A group after a run. `keys`: of its tests on the track; null where they are as before. */
export type GroupAfterRun = {
  id: string;
  after: MainGroupDocument;
  keys: readonly string[] | null;
  /** It is gone, or back since then. */
  turned: { type: 'gone'; tests: number } | { type: 'back'; gone_at: Instant } | null;
};

/** `open`: the groups of the track. `others`: the tracks on which groups were open that are gone. */
export type GroupsAfterRun = {
  groups: readonly GroupAfterRun[];
  open: readonly string[];
  others: ReadonlyMap<string, TrackDocument>;
};

export type RunOnTrack = {
  project_id: string;
  track: string;
  tests: TestsOfRun;
  isComplete: boolean;
  at: Instant;
};

type Failed = { group: FailureGroup; keys: Set<string> };

/** Reads what it needs, step by step. It changes nothing. */
export function* groupsAfterRun(
  documents: ReadableDocuments,
  run: RunOnTrack,
  open: readonly string[],
): Generator<readonly DocumentRef[], GroupsAfterRun> {
  const failed = yield* failedIn(documents, run.tests);
  const groups = [...new Set([...open, ...failed.keys()])].slice(0, limits.orderedGroups);
  if (groups.length === 0) return { groups: [], open, others: new Map() };
  yield groups.flatMap((group) => [
    mainGroupDocuments.at(groupId(run.project_id, group)),
    trackTestsDocuments.at(trackTestsId(run.track, group)),
  ]);
  const changed = groups.flatMap((group) => afterRun(documents, run, group, failed.get(group)) ?? []);
  const gone = changed.filter(({ turned }) => turned?.type === 'gone');
  const left = new Set(gone.map(({ after }) => after.group.id));
  const isOpen = new Set([...open, ...changed.map(({ after }) => after.group.id)]);
  return {
    groups: changed,
    open: groups.filter((group) => isOpen.has(group) && !left.has(group)),
    others: yield* withoutGone(documents, run, gone),
  };
}

/** By group: the tests of a run that fail with it. */
function* failedIn(
  documents: ReadableDocuments,
  tests: TestsOfRun,
): Generator<readonly DocumentRef[], Map<string, Failed>> {
  const failing: [key: string, result: string][] = [];
  for (const [key, { failed, first, more }] of tests) {
    if (!failed || first === null) continue;
    for (const one of [first, ...(more ?? [])]) if (hasFailed(one)) failing.push([key, resultIdIn(one)]);
  }
  const groups = new Map<string, Failed>();
  if (failing.length === 0) return groups;
  yield failing.map(([, result]) => failureDocuments.at(result));
  for (const [key, result] of failing) {
    const group = documents.get(failureDocuments, result)?.group;
    if (group === undefined) continue;
    const found = groups.get(group.id);
    if (found === undefined) groups.set(group.id, { group, keys: new Set([key]) });
    else found.keys.add(key);
  }
  return groups;
}

/** Null where the run changes nothing. */
function afterRun(
  documents: ReadableDocuments,
  { project_id, track, tests, isComplete, at }: RunOnTrack,
  group: string,
  failed: Failed | undefined,
): GroupAfterRun | null {
  const id = groupId(project_id, group);
  const present = documents.get(mainGroupDocuments, id);
  const stored = documents.get(trackTestsDocuments, trackTestsId(track, group))?.keys;
  const keys = stored === undefined ? [] : stored.split(' ');
  if (failed !== undefined) {
    const { gone_at = null, tracks = {} } = present ?? {};
    if (tracks[track] === undefined && Object.keys(tracks).length >= MOST_TRACKS) return null;
    const all = [...new Set([...keys, ...failed.keys])].slice(0, MOST_TESTS);
    const isMore = all.length > keys.length;
    if (!isMore && tracks[track]?.clear === false) return null;
    const own = { tests: all.length, clear: false };
    const after = { group: failed.group, gone_at: null, tracks: { ...tracks, [track]: own } };
    const turned = gone_at === null ? null : ({ type: 'back', gone_at } as const);
    return { id, after, keys: isMore ? all : null, turned };
  }
  const before = present?.tracks[track];
  if (present === null || before === undefined || !isComplete) return null;
  const clear = keys.every((key) => {
    const test = tests.get(key);
    return test !== undefined && resultThatRan(test) !== null;
  });
  const tracks = { ...present.tracks, [track]: { ...before, clear } };
  const states = Object.values(tracks);
  if (states.every((one) => one.clear)) {
    const sum = states.reduce((all, one) => all + one.tests, 0);
    const after = { group: present.group, gone_at: at, tracks: {} };
    return { id, after, keys: [], turned: { type: 'gone', tests: sum } };
  }
  return clear === before.clear ? null : { id, after: { ...present, tracks }, keys: null, turned: null };
}

/** The other tracks without the groups that are gone. */
function* withoutGone(
  documents: ReadableDocuments,
  { track }: RunOnTrack,
  gone: readonly GroupAfterRun[],
): Generator<readonly DocumentRef[], Map<string, TrackDocument>> {
  const others = new Map<string, TrackDocument>();
  const openOn = gone.flatMap(({ id, after }) =>
    Object.keys(documents.get(mainGroupDocuments, id)?.tracks ?? {})
      .filter((other) => other !== track)
      .map((other) => [other, after.group.id] as const),
  );
  if (openOn.length === 0) return others;
  yield openOn.flatMap(([other, group]) => [
    trackDocuments.at(other),
    trackTestsDocuments.at(trackTestsId(other, group)),
  ]);
  for (const [other, group] of openOn) {
    const before = others.get(other) ?? documents.get(trackDocuments, other);
    if (before !== null) others.set(other, { ...before, open: before.open.filter((one) => one !== group) });
  }
  return others;
}
