/** The states of the tests of a project and of their lines, whatever the branch, in buckets. The fold of the histories writes them. */
import type { Instant } from '../../src/domain/event.js';
import type { Documents, ReadableDocuments } from '../../src/domain/projection.js';
import { originsIn, renumbered, type Origins } from '../../src/domain/test-history/packed-entry.js';
import { noHistory, type TestHistory } from '../../src/domain/test-history/test-history.js';
import type { Owners } from './owners.js';
import { bucketCollection, setState, type Naming, type Bucket, type Place } from './buckets.js';

/**
 * Of a test, or of a line of it: each line has a place of its own, but that without an environment, which has that of the test. The
 * history is always that of one line.
 */
export type TestState = {
  /** The number of entries, including the entries that no longer fit into `history`. */
  entries: number;
  /** When its newest entry ran; null after a deletion, because then only the entries can show it. */
  last_result_at: Instant | null;
  owners: Owners;
  history: TestHistory;
  /** The durations of its last passes on the default branch in milliseconds, newest first. */
  passes: readonly number[];
  /** The number of the newest block of the bucket that has entries of the test; null without one, and for a line. */
  block: number | null;
  /** Of a test that ran in environments: the same of the results without one. */
  plain: Pick<TestState, 'entries' | 'last_result_at'> | null;
};

/** As it is stored: nearly all tests are stable, and have no owner. */
type PackedState = Pick<TestState, 'entries' | 'last_result_at' | 'block'> &
  Partial<Pick<TestState, 'owners' | 'passes'> & Pick<TestHistory, 'state' | 'calm' | 'dropped'>> & {
    plain?: NonNullable<TestState['plain']>;
  } & Pick<TestHistory, 'packed'>;

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
  plain: null,
};

/** `noState` of a test that had no results. */
export function stateIn(bucket: TestBucketDocument | null, slot: number): TestState {
  const origins = bucket?.origins ?? noHistory.origins;
  const stored = bucket?.states[slot];
  if (stored == null) return { ...noState, history: { ...noHistory, origins } };
  const { entries, last_result_at, block, owners = [], passes = [], plain = null, packed } = stored;
  const { state = noHistory.state, calm = noHistory.calm, dropped = noHistory.dropped } = stored;
  const history = { state, calm, dropped, packed, origins };
  return { entries, last_result_at, owners, passes, block, history, plain };
}

export function testState(documents: ReadableDocuments, { bucket, slot }: Place): TestState {
  return stateIn(documents.open(testBucketDocuments, bucket), slot);
}

export function putTestState(documents: Documents, { bucket, slot }: Place, state: TestState): void {
  const { origins } = state.history;
  const changed = { state: packedState(state), origins };
  setState(documents.edit(testBucketDocuments, bucket), slot, changed, naming);
}

/** Of a line that is no more. */
export function removeTestState(documents: Documents, { bucket, slot }: Place): void {
  const open = documents.edit(testBucketDocuments, bucket);
  setState(open, slot, { state: null, origins: open.origins }, naming);
}

function packedState(whole: TestState): PackedState {
  const { entries, last_result_at, block, owners, history, passes, plain } = whole;
  const { state, calm, dropped, packed } = history;
  const stored: PackedState = { packed, entries, last_result_at, block };
  if (state !== noHistory.state) stored.state = state;
  if (calm !== noHistory.calm) stored.calm = calm;
  if (dropped !== noHistory.dropped) stored.dropped = dropped;
  if (owners.length > 0) stored.owners = owners;
  if (passes.length > 0) stored.passes = passes;
  if (plain !== null) stored.plain = plain;
  return stored;
}

const naming: Naming<PackedState> = {
  originsOf: ({ packed }) => originsIn(packed),
  renumbered: (state, numbers) => ({ ...state, packed: renumbered(state.packed, numbers) }),
};
