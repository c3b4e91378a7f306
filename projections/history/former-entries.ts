/** How an entry leaves the history of its test: its result was deleted, or gets a new entry, or its line is forgotten. */
import type { EnvironmentKey } from '../../src/domain/environment.js';
import type { Documents } from '../../src/domain/projection.js';
import { withoutVerdict } from '../../src/domain/test-history/failing-row.js';
import { unpacked, withVerdicts } from '../../src/domain/test-history/packed-verdicts.js';
import type { ResultChange } from '../../src/domain/test-history/result-change.js';
import { without } from '../../src/domain/test-history/test-history.js';
import { branchState, listLineOnBranch, listOnBranch, putBranchState, type BranchState } from './branches.js';
import { putFailingLine } from './failing-lines.js';
import { placeIn, type Place } from './buckets.js';
import { unlistEntry } from './history-blocks.js';
import { placeOfLine, troubleWith, withoutLine } from './lines.js';
import { list } from './listings.js';
import { ownerIn, tagsOf, withoutOwner } from './owners.js';
import { putTestState, removeTestState, testState, type TestState } from './test-buckets.js';
import { putIfChanged, testDocuments, type TestDocument } from './tests.js';
import { troubleOf } from './troubled-tests.js';

type Former = NonNullable<ResultChange['former']>;
/** `line`: null where it is forgotten. */
type Places = { whole: Place; line: Place | null };
type TestInProject = Pick<TestDocument, 'project_id'> & { test_id: string };

/** If the result gets a new entry in the same line, `withEntry` takes the former one out of the history itself. */
export function removeEntry(documents: Documents, change: ResultChange, former: Former): void {
  const { test_id, result, entry } = change;
  const { branch, environment } = former;
  const id = result.test_result_id;
  const stored = documents.get(testDocuments, test_id);
  if (stored === null) return;
  const { project_id } = stored;
  const whole = placeIn(project_id, stored.number);
  const places: Places = { whole, line: placeOfLine(documents, test_id, environment) };
  const test = { test_id, project_id };
  unlistEntry(documents, whole, branch, id);
  removeFromBranch(documents, test, places, former, id);

  const leavesLine = entry === null || entry.environment !== environment;
  const state = less(testState(documents, whole), id, entry === null);
  const after = environment === '' ? lessPlain(state, id, leavesLine) : state;
  putTestState(documents, whole, after);
  const { entries, owners } = after;
  const next: TestDocument = {
    ...stored,
    listed_in: entries === 0 ? null : stored.listed_in,
    owner: ownerIn(owners),
    tags: tagsOf(owners),
  };
  const ofLine =
    environment === '' ? after : removeFromLine(documents, test, places, environment, id, leavesLine);
  if (ofLine === null) return putIfChanged(documents, test_id, stored, next);
  const trouble = troubleOf(ofLine.history);
  const troubled = { ...next, ...troubleWith(next, next.listed_in, environment, trouble) };
  const isEmpty = leavesLine && (ofLine.plain ?? ofLine).entries === 0;
  if (isEmpty && environment !== '') removeTestState(documents, places.line!);
  putIfChanged(documents, test_id, stored, isEmpty ? withoutLine(troubled, environment) : troubled);
}

/** The state of a test or line without an entry; only one that is gone from there has to be looked for by its readers. */
function less(state: TestState, id: string, isGone: boolean): TestState {
  const entries = state.entries - 1;
  // Only the entries can show which one is the newest now.
  return isGone
    ? { ...state, entries, last_result_at: null, owners: withoutOwner(state.owners, id) }
    : { ...state, entries };
}

/** The same of the line without an environment, which is at the place of the test. */
function lessPlain(state: TestState, id: string, leavesLine: boolean): TestState {
  const { plain, history } = state;
  const last_result_at = leavesLine ? null : (plain?.last_result_at ?? null);
  return {
    ...state,
    history: leavesLine ? without(history, id) : history,
    plain: plain && { entries: plain.entries - 1, last_result_at },
  };
}

function removeFromLine(
  documents: Documents,
  { project_id }: TestInProject,
  { whole, line }: Places,
  environment: EnvironmentKey,
  id: string,
  leavesLine: boolean,
): TestState | null {
  if (line === null) return null;
  const before = testState(documents, line);
  const left = less(before, id, leavesLine);
  const after = leavesLine ? { ...left, history: without(left.history, id) } : left;
  putTestState(documents, line, after);
  const listed = { before: before.entries > 0, after: after.entries > 0 };
  list(documents, { project_id, place: whole }, { environment }, listed);
  return after;
}

function removeFromBranch(
  documents: Documents,
  { test_id, project_id }: TestInProject,
  { whole, line }: Places,
  { branch, environment }: Former,
  id: string,
): void {
  const state = branchState(documents, whole, branch);
  const isPlain = environment === '';
  const after = lessOn(state, id);
  const { plain_entries } = state;
  const isCounted = isPlain && plain_entries !== null;
  const next = isCounted ? { ...after, plain_entries: plain_entries - 1 } : after;
  putBranchState(documents, whole, branch, next);
  const test = { test_id, project_id, whole };
  listOnBranch(documents, test, branch, state, next);
  if (isPlain) return putFailingLine(documents, { test_id, environment, branch }, state, next);
  if (line === null) return;
  const ofLine = branchState(documents, line, branch);
  const own = lessOn(ofLine, id);
  putBranchState(documents, line, branch, own);
  listLineOnBranch(documents, test, { environment, branch }, ofLine, own);
}

function lessOn(state: BranchState, id: string): BranchState {
  const { verdicts } = withoutVerdict(unpacked(state.verdicts), id);
  return {
    ...state,
    verdicts: withVerdicts(state.verdicts, verdicts),
    last_result_at: null,
    entries: state.entries - 1,
    owners: withoutOwner(state.owners, id),
  };
}

/** A test has many lines, and this one was not used for long. It stays in lists of branches: readers ask the test which lines it has. */
export function forget(
  documents: Documents,
  { project_id, number }: TestDocument,
  line: { environment: EnvironmentKey; number: number },
): void {
  removeTestState(documents, placeIn(project_id, line.number));
  const { environment } = line;
  const listed = { before: true, after: false };
  list(documents, { project_id, place: placeIn(project_id, number) }, { environment }, listed);
}
