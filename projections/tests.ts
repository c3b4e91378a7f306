/** Tests: the history of each, its entries one by one, and the branches that it was seen on. */
import { statusWords } from '../src/domain/result.js';
import type { Documents, DocumentRef } from '../src/domain/projection.js';
import {
  noHistory,
  withEntry,
  without,
  type TestEntry,
  type Transition,
} from '../src/domain/test-history.js';
import type { BranchDocument, EntryDocument, TestDocument, Verdict } from './publication.js';
import type { EnrichedEvent, ResultContextOfEvent } from './told.js';

/** Adds what the event touches of its test. */
export function touchedTest({ told }: EnrichedEvent, touched: DocumentRef[]): void {
  if (told === undefined) return;
  const { test_id, result, entry, former } = told;
  touched.push(
    { collection: 'tests', id: test_id },
    { collection: 'entries', id: result.test_result_id, fresh: former === null },
  );
  if (entry !== null) touched.push({ collection: 'branches', id: branchId(test_id, entry.branch) });
  if (former !== null) touched.push({ collection: 'branches', id: branchId(test_id, former.branch) });
}

/** Answers what follows for the test. */
export function foldTest(documents: Documents, event: EnrichedEvent): Transition[] {
  const { told } = event;
  if (told === undefined) return [];
  if (told.former !== null) forget(documents, event, told, told.former.branch);
  return told.entry === null ? [] : remember(documents, event, told, told.entry);
}

function remember(
  documents: Documents,
  { position, meta }: EnrichedEvent,
  { test_id, result }: ResultContextOfEvent,
  entry: TestEntry,
): Transition[] {
  const { project_id, test_name: name, test_result_id } = result;
  const { branch } = entry;
  const present = documents.get<TestDocument>('tests', test_id);
  const seen = documents.get<BranchDocument>('branches', branchId(test_id, branch));
  const verdicts = seen?.verdicts ?? [];
  const { history, transitions: flakiness } = withEntry(present?.history ?? noHistory, entry);
  const transitions = [...recovery(verdicts, entry), ...flakiness];
  const test: TestDocument = {
    team_id: meta.team_id,
    project_id,
    name,
    listed_in: project_id,
    entries: (present?.entries ?? 0) + 1,
    transitions: (present?.transitions ?? 0) + transitions.length,
    last_result_at: meta.at,
    history,
  };
  documents.put('tests', test_id, test);
  const status = statusWords[entry.status];
  const { at } = meta;
  const placed: EntryDocument = { result_id: test_result_id, test_id, branch, placed: position, status, at };
  documents.put('entries', test_result_id, placed);
  const entries = (seen?.entries ?? 0) + 1;
  const on = { project_id, test_id, branch, name, entries, verdicts: withVerdict(verdicts, entry) };
  documents.put('branches', branchId(test_id, branch), on satisfies BranchDocument);
  return transitions;
}

/**
 * However many results on other branches came in between: a branch is looked at by itself. A result that changes its own
 * status is no recovery.
 */
function recovery([before]: readonly Verdict[], { status, again }: TestEntry): Transition[] {
  if (status !== 'Passed' || again || before === undefined || before.passed) return [];
  return [{ type: 'TestRecovered', failure: before.result_id }];
}

function withVerdict(verdicts: readonly Verdict[], { status, result_id }: TestEntry): readonly Verdict[] {
  if (status !== 'Passed' && status !== 'Failed') return verdicts;
  return [{ result_id, passed: status === 'Passed' }, ...verdicts].slice(0, VERDICTS);
}

/** One would do, were none ever deleted or corrected. */
const VERDICTS = 4;

/** Takes the entry of a result out: it is deleted, or placed anew. */
function forget(
  documents: Documents,
  { type }: EnrichedEvent,
  { test_id, result }: ResultContextOfEvent,
  branch: string | null,
): void {
  documents.remove('entries', result.test_result_id);
  const seen = documents.get<BranchDocument>('branches', branchId(test_id, branch));
  if (seen !== null && seen.entries > 1) {
    const verdicts = seen.verdicts.filter(({ result_id }) => result_id !== result.test_result_id);
    const on: BranchDocument = { ...seen, entries: seen.entries - 1, verdicts };
    documents.put('branches', branchId(test_id, branch), on);
  } else documents.remove('branches', branchId(test_id, branch));
  const present = documents.get<TestDocument>('tests', test_id);
  if (present === null) return;
  const entries = present.entries - 1;
  const gone = type === 'ResultDeleted';
  documents.put('tests', test_id, {
    ...present,
    entries,
    listed_in: entries === 0 ? null : present.listed_in,
    // Which entry is the newest now, only the entries can say.
    last_result_at: gone ? null : present.last_result_at,
    // Of one that is placed anew, the history takes the former entry out itself.
    history: gone ? without(present.history, result.test_result_id) : present.history,
  } satisfies TestDocument);
}

export function branchId(testId: string, branch: string | null): string {
  return branch === null ? `${testId}#` : `${testId}#=${branch}`;
}
