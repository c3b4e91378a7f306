/**
 * What a completed run says: that shards are missing, that the default branch begins to fail or passes again, and which groups
 * of failures are gone from it or back. Only runs of the default branch cost more than a look.
 */
import type { LedgerEvent } from '../../src/domain/events.js';
import type { RedRun } from '../../src/domain/messages/about.js';
import { traitsOf } from '../../src/domain/messages/failed-groups.js';
import type { DocumentRef, Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { reportOf } from '../../src/domain/runs/unread-reports.js';
import type { HistoryChange } from '../../src/domain/test-history/result-change.js';
import { causeDocuments, ownerOf, putTransition, stateOf } from '../causes/cause-documents.js';
import { takeTests } from '../comparisons/run-comparisons.js';
import {
  isIncomplete,
  missingShards,
  runSummaryDocuments,
  type RunSummaryDocument,
} from '../comparisons/run-summary-documents.js';
import { follow, followedRef } from '../history/followed.js';
import { failureRefs, failuresOf } from '../outbox/run-failures.js';
import { projection } from '../projection.js';
import {
  mainGroupDocuments,
  mainVerdictsDocuments,
  newTrack,
  trackDocuments,
  trackId,
  trackTestsDocuments,
  trackTestsId,
  type TrackDocument,
} from './main-documents.js';
import { groupsAfterRun, type GroupAfterRun, type GroupsAfterRun } from './main-groups.js';

type Completion = LedgerEvent<'RunCompleted'>;

/** `turned`: the colour that the track has from this run on, where it is another one. `red`: since when it is red, or was so. */
type Plan = Pick<GroupsAfterRun, 'groups' | 'others'> & {
  track: string;
  before: TrackDocument | null;
  after: TrackDocument;
  turned: 'MainTurnedRed' | 'MainTurnedGreen' | null;
  red: RedRun | null;
};

/** From `follows` to `apply`. */
const plans = new WeakMap<Completion, Plan>();

/** Goes after the comparisons and the causes. Its own events change nothing: they say what it did. */
export const verdicts = projection<HistoryChange>({
  name: 'verdicts',
  version: 1,
  collections: [trackDocuments, mainGroupDocuments, trackTestsDocuments, mainVerdictsDocuments],
  on: {
    RunCompleted: {
      touches: (event) => [runSummaryDocuments.at(event.data.run_id), followedRef(event)],
      follows(documents, event) {
        const tests = takeTests(event);
        const summary = documents.get(runSummaryDocuments, event.data.run_id);
        return tests === null || summary === null ? null : planned(documents, event, summary, tests);
      },
      apply(documents, event) {
        sayIncomplete(documents, event);
        const plan = plans.get(event);
        if (plan === undefined) return;
        plans.delete(event);
        putPlan(documents, event, plan);
      },
    },
  },
});

function sayIncomplete(documents: Documents, event: Completion): void {
  const { run_id, project_id } = event.data;
  const summary = documents.get(runSummaryDocuments, run_id);
  const missing = missingShards(summary?.shards);
  if (summary === null || missing.length === 0) return;
  const { shards, found_incomplete: before = 0 } = summary;
  const data = { run_id, project_id, total: shards!.total, missing };
  follow(documents, event, {
    type: 'RunFoundIncomplete',
    data,
    category: 'verdict',
    subject: run_id,
    before,
  });
  documents.change(runSummaryDocuments, run_id, { found_incomplete: before + 1 });
}

function* planned(
  documents: ReadableDocuments,
  event: Completion,
  summary: RunSummaryDocument,
  tests: NonNullable<ReturnType<typeof takeTests>>,
): Generator<readonly DocumentRef[]> {
  const track = trackId(summary);
  yield [trackDocuments.at(track)];
  const before = documents.get(trackDocuments, track);
  const present = before ?? newTrack;
  const { project_id, created_position: place } = summary;
  if (place < present.newest) return;
  const isComplete = !isIncomplete(summary);
  const run = { project_id, track, tests, isComplete, at: event.meta.at };
  const { groups, open, others } = yield* groupsAfterRun(documents, run, present.open);
  const turned = turnedBy(summary, isComplete, present.red !== null);
  let { red } = present;
  if (turned === 'MainTurnedRed') {
    yield* failureRefs(documents, event);
    const failures = traitsOf(failuresOf(documents, event));
    red = { run_id: event.data.run_id, at: event.meta.at, failures };
  }
  const newest = isComplete ? place : present.newest;
  const after = { newest, red: turned === 'MainTurnedGreen' ? null : red, open };
  yield refsOf(project_id, groups, turned !== null);
  plans.set(event, { track, before, after, turned, red, groups, others });
}

/** A run that ran nothing, or not all, is red where it fails, and never green. */
function turnedBy(
  { comparison, unread, tests }: RunSummaryDocument,
  isComplete: boolean,
  isRed: boolean,
): Plan['turned'] {
  const { new_failures = 0, still_failing = 0 } = comparison?.counts ?? {};
  const fails = new_failures + still_failing > 0 || reportOf(unread).failures_unread > 0;
  if (fails) return isRed ? null : 'MainTurnedRed';
  return isRed && isComplete && tests > 0 ? 'MainTurnedGreen' : null;
}

function refsOf(project_id: string, groups: readonly GroupAfterRun[], isTurned: boolean): DocumentRef[] {
  const refs = groups.flatMap(({ id, turned }) => (turned === null ? [] : causeDocuments.at(id)));
  return isTurned ? [...refs, mainVerdictsDocuments.at(project_id)] : refs;
}

function putPlan(documents: Documents, event: Completion, plan: Plan): void {
  const { track, before, after, others, groups, turned, red } = plan;
  if (before === null || !isSame(before, after)) documents.put(trackDocuments, track, after);
  for (const [id, other] of others) documents.put(trackDocuments, id, other);
  for (const group of groups) putGroup(documents, event, track, group);
  if (turned !== null && red !== null) sayTurned(documents, event, turned, red);
}

function isSame(before: TrackDocument, after: TrackDocument): boolean {
  return (
    before.newest === after.newest &&
    before.red === after.red &&
    before.open.length === after.open.length &&
    before.open.every((group, n) => group === after.open[n])
  );
}

function putGroup(
  documents: Documents,
  event: Completion,
  track: string,
  { id, after, keys, turned }: GroupAfterRun,
): void {
  const { project_id, run_id } = event.data;
  const { id: group } = after.group;
  const tracks = Object.keys(documents.get(mainGroupDocuments, id)?.tracks ?? {});
  documents.put(mainGroupDocuments, id, after);
  if (turned?.type === 'gone') {
    for (const each of tracks) documents.remove(trackTestsDocuments, trackTestsId(each, group));
  } else if (keys !== null) {
    documents.put(trackTestsDocuments, trackTestsId(track, group), { keys: keys.join(' ') });
  }
  const cause = turned === null ? null : documents.get(causeDocuments, id);
  if (turned === null || cause === null) return;
  if (turned.type === 'back') {
    const data = { group, project_id, run_id, gone_at: turned.gone_at };
    putTransition(documents, event, { id, cause, fact: { type: 'GroupReturned', data } });
    return;
  }
  const data = { group, project_id, run_id, tests: turned.tests };
  const known = stateOf(cause) === 'known';
  const about = { group: after.group, owner: ownerOf(cause), known, new: false };
  putTransition(documents, event, { id, cause, fact: { type: 'GroupWentAway', data, about } });
}

function sayTurned(
  documents: Documents,
  event: Completion,
  turned: NonNullable<Plan['turned']>,
  red: RedRun,
): void {
  const { project_id, run_id } = event.data;
  const { verdicts: before = 0 } = documents.get(mainVerdictsDocuments, project_id) ?? {};
  const stream = { category: 'verdict', subject: project_id, before, about: { red } } as const;
  if (turned === 'MainTurnedRed') {
    follow(documents, event, { type: turned, data: { project_id, run_id }, ...stream });
  } else {
    const data = { project_id, run_id, red_run_id: red.run_id, red_since: red.at };
    follow(documents, event, { type: turned, data, ...stream });
  }
  documents.put(mainVerdictsDocuments, project_id, { verdicts: before + 1 });
}
