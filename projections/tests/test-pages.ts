/** The states of the tests of a project, whatever the branch, in pages. The fold of the histories writes them. */
import type { Instant } from '../../src/domain/event.js';
import { collection, type Documents, type ReadableDocuments } from '../../src/domain/projection.js';
import { originsIn, renumbered, type Origins } from '../../src/domain/test-history/packed-entry.js';
import { noHistory, type TestHistory } from '../../src/domain/test-history/test-history.js';
import type { Owners } from './owners.js';
import { pageCollection, setState, type Naming, type Page, type Place } from './pages.js';

export type TestState = {
  /** The number of entries of its history, including the entries that no longer fit into `history`. */
  entries: number;
  /** When its newest entry ran; null after a deletion, because then only the entries can show it. */
  last_result_at: Instant | null;
  owners: Owners;
  history: TestHistory;
  /** The durations of its last passes on the default branch in milliseconds, newest first. */
  passes: readonly number[];
  /** The number of the newest block of the page that has entries of the test; null without one. */
  block: number | null;
};

/** As it is stored: nearly all tests are stable, and have no owner. */
type PackedState = Pick<TestState, 'entries' | 'last_result_at' | 'block'> &
  Partial<Pick<TestState, 'owners' | 'passes'> & Pick<TestHistory, 'state' | 'calm' | 'dropped'>> &
  Pick<TestHistory, 'packed'>;

/** By project id, `#` and the number of the page. */
export type TestPageDocument = Page<PackedState, Origins[number]>;

/** By project id: how many tests it ever had. The next one gets this number. */
export type ProjectTestsDocument = { tests: number };

export const testPageDocuments = pageCollection<PackedState, Origins[number]>('test_pages');
export const projectTestsDocuments = collection<ProjectTestsDocument>({
  name: 'project_tests',
  ids: 'project',
  indexes: [],
});

export const noState: TestState = {
  entries: 0,
  last_result_at: null,
  owners: [],
  history: noHistory,
  passes: [],
  block: null,
};

/** The number of a test: that which it has, or the next one of its project. `number` null: the test is new. */
export function numberOf(
  documents: ReadableDocuments,
  projectId: string,
  number: number | null | undefined,
): number {
  return number ?? documents.get(projectTestsDocuments, projectId)?.tests ?? 0;
}

/** `noState` of a test that had no results. */
export function stateIn(page: TestPageDocument | null, slot: number): TestState {
  const origins = page?.origins ?? noHistory.origins;
  const stored = page?.states[slot];
  if (stored == null) return { ...noState, history: { ...noHistory, origins } };
  const { entries, last_result_at, block, owners = [], passes = [], packed } = stored;
  const { state = noHistory.state, calm = noHistory.calm, dropped = noHistory.dropped } = stored;
  const history = { state, calm, dropped, packed, origins };
  return { entries, last_result_at, owners, passes, block, history };
}

export function testState(documents: ReadableDocuments, { page, slot }: Place): TestState {
  return stateIn(documents.open(testPageDocuments, page), slot);
}

export function putTestState(documents: Documents, { page, slot }: Place, state: TestState): void {
  const { origins } = state.history;
  const changed = { state: packedState(state), origins };
  setState(documents.edit(testPageDocuments, page), slot, changed, naming);
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
