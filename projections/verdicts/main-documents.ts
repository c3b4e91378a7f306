/**
 * How the default branch of a project stands: on each of its tracks, and with each group of failures. A track is the runs of one
 * tool and environment on the default branch.
 */
import { environmentId } from '../../src/domain/environment.js';
import type { Instant, Position } from '../../src/domain/event.js';
import type { RedRun } from '../../src/domain/messages/about.js';
import { collection } from '../../src/domain/projection.js';
import type { FailureGroup } from '../../src/domain/test-history/result-facts.js';
import { completedRunsId, type RunSummaryDocument } from '../comparisons/run-summary-documents.js';

/** By track. It goes on where another branch becomes the default one. */
export type TrackDocument = {
  /** The place of its newest complete run: what an older one says comes too late. */
  newest: Position;
  /** Since when its runs fail; null while they do not. */
  red: RedRun | null;
  /** The groups that are open on it, and perhaps on others. */
  open: readonly string[];
};

/** By `groupId`: one that ever failed on the default branch. */
export type MainGroupDocument = {
  group: FailureGroup;
  /** When it was seen that it is gone; null while it is open. */
  gone_at: Instant | null;
  /** By track on which it is open. `clear`: in its newest complete run, all these tests ran, and none failed with it. */
  tracks: Readonly<Record<string, { tests: number; clear: boolean }>>;
};

/** By track, `#` and group: the keys of the tests that failed with it there since it was gone last, with spaces between. */
export type TrackTestsDocument = { keys: string };

/** By project id: the number of events in the stream of its default branch. */
type MainVerdictsDocument = { verdicts: number };

export const trackDocuments = collection<TrackDocument>({
  name: 'tracks',
  ids: 'project',
  indexes: [],
});
export const mainGroupDocuments = collection<MainGroupDocument>({
  name: 'main_groups',
  ids: 'project',
  rarelyRead: true,
  indexes: [],
});
export const trackTestsDocuments = collection<TrackTestsDocument>({
  name: 'track_tests',
  ids: 'project',
  rarelyRead: true,
  indexes: [],
});
export const mainVerdictsDocuments = collection<MainVerdictsDocument>({
  name: 'main_verdicts',
  ids: 'project',
  rarelyRead: true,
  indexes: [],
});

export const newTrack: TrackDocument = { newest: '', red: null, open: [] };

/** A tool and an environment may have long names. */
export function trackId(run: Pick<RunSummaryDocument, 'project_id' | 'tool' | 'environment'>): string {
  return `${run.project_id}#${environmentId(completedRunsId(run, ''))}`;
}

export function trackTestsId(track: string, group: string): string {
  return `${track}#${group}`;
}
