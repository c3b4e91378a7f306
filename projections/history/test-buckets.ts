/** The states of the tests of a project, whatever the branch, in buckets. The fold of the histories writes them. */
import type { Instant } from '../../src/domain/event.js';
import type { Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { originsIn, renumbered, type Origins } from '../../src/domain/test-history/packed-entry.js';
import { noHistory, type TestHistory } from '../../src/domain/test-history/test-history.js';
import type { Owners } from './owners.js';
import { bucketCollection, setState, type Naming, type Bucket, type Place } from './buckets.js';

export type TestState = {
  /** The number of entries of its history, including the entries that no longer fit into `history`. */
  entries: number;
  /** When its newest entry ran; null after a deletion, because then only the entries can show it. */
  last_result_at: Instant | null;
  owners: Owners;
  history: TestHistory;
  /** The durations of its last passes on the default branch in milliseconds, newest first. */
  passes: readonly number[];
  /** The number of the newest block of the bucket that has entries of the test; null without one. */
  block: number | null;
};

/** As it is stored: nearly all tests are stable, and have no owner. */
type PackedState = Pick<TestState, 'entries' | 'last_result_at' | 'block'> &
  Partial<Pick<TestState, 'owners' | 'passes'> & Pick<TestHistory, 'state' | 'calm' | 'dropped'>> &
  Pick<TestHistory, 'packed'>;

/** By project id, `#` and the number of the bucket. */
export type TestBucketDocument = Bucket<PackedState, Origins[number]>;

export const testBucketDocuments = bucketCollection<PackedState, Origins[number]>('test_buckets');

export const noState: TestState = {
  entries: 0,
  last_result_at: null,
  owners: [],
  history: noHistory,
  passes: [],
  block: null,
};

/** `noState` of a test that had no results. */
export function stateIn(bucket: TestBucketDocument | null, slot: number): TestState {
  const origins = bucket?.origins ?? noHistory.origins;
  const stored = bucket?.states[slot];
  if (stored == null) return { ...noState, history: { ...noHistory, origins } };
  const { entries, last_result_at, block, owners = [], passes = [], packed } = stored;
  const { state = noHistory.state, calm = noHistory.calm, dropped = noHistory.dropped } = stored;
  const history = { state, calm, dropped, packed, origins };
  return { entries, last_result_at, owners, passes, block, history };
}

export function testState(documents: ReadableDocuments, { bucket, slot }: Place): TestState {
  return stateIn(documents.open(testBucketDocuments, bucket), slot);
}

export function putTestState(documents: Documents, { bucket, slot }: Place, state: TestState): void {
  const { origins } = state.history;
  const changed = { state: packedState(state), origins };
  setState(documents.edit(testBucketDocuments, bucket), slot, changed, naming);
}

function packedState({ entries, last_result_at, block, owners, history, passes }: TestState): PackedState {
  const { state, calm, dropped, packed } = history;
  const stored: PackedState = { packed, entries, last_result_at, block };
  if (state !== noHistory.state) stored.state = state;
  if (calm !== noHistory.calm) stored.calm = calm;
  if (dropped !== noHistory.dropped) stored.dropped = dropped;
  if (owners.length > 0) stored.owners = owners;
  if (passes.length > 0) stored.passes = passes;
  return stored;
}

const naming: Naming<PackedState> = {
  originsOf: ({ packed }) => originsIn(packed),
  renumbered: (state, numbers) => ({ ...state, packed: renumbered(state.packed, numbers) }),
};
