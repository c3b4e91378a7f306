/** The documents that an event of a result needs in the histories of tests. */
import type { HistoryEvent, ResultChange } from '../../src/domain/test-history/result-change.js';
import type { DocumentRef, ReadableDocuments } from '../../src/domain/projection.js';
import { isPassing } from '../../src/domain/test-history/packed-verdicts.js';
import type { TestEntry } from '../../src/domain/test-history/test-entry.js';
import { branchBucket, branchBucketDocuments, branchState, ranPlain } from './branches.js';
import { placeIn, type Place } from './buckets.js';
import { chunkRefs, entryOf } from './entries.js';
import { failureDocuments } from './failure-documents.js';
import { blocksUntil, historyBlockDocuments, nextBlocks } from './history-blocks.js';
import { forgottenFor, placeOfLine, placeRefs, placesFor } from './lines.js';
import { failingLineRef } from './failing-lines.js';
import { listingRef, type Listing } from './listings.js';
import { isQuiet } from './quiet-entries.js';
import { supersededDocuments, supersederRefs } from './superseding.js';
import { othersOf } from '../../src/domain/supersession.js';
import { testBucketDocuments, testState } from './test-buckets.js';
import { testDocuments } from './tests.js';
import { settledRefs, willSettle } from './test-numbers.js';

type Places = { whole: Place; line: Place };

export function touches(event: HistoryEvent): DocumentRef[] {
  const { change } = event;
  const touched: DocumentRef[] = othersOf(event).flatMap((each) => [
    ...chunkRefs(each),
    supersededDocuments.at(each),
  ]);
  if (change === undefined) return touched;
  const { test_id, result, entry, former } = change;
  const resultId = result.test_result_id;
  const { project_id } = result;
  if (entry === null || entry.status === 'Failed' || former !== null) touched.push(testDocuments.at(test_id));
  if (entry !== null) {
    touched.push(...placeRefs(test_id, { project_id, environment: entry.environment }));
    touched.push(...supersederRefs(event, resultId));
    // Known from the start, those of a batch are loaded together.
    if (entry.status === 'Failed') {
      const { branch, environment } = entry;
      touched.push(failingLineRef({ test_id, environment, branch }));
    }
  }
  if (former !== null) {
    touched.push(...placeRefs(test_id, { project_id, environment: former.environment }));
    const { branch, environment } = former;
    touched.push(failingLineRef({ test_id, environment, branch }));
    touched.push(failureDocuments.at(resultId));
  }
  return touched;
}

/** The lists that an entry puts its test into. */
function listingsOf({ branch, environment }: Pick<TestEntry, 'branch' | 'environment'>): Listing[] {
  const onBranch = [{ branch }, { environment, branch }];
  return environment === '' ? onBranch : [...onBranch, { environment }];
}

/**
 * The buckets of the test and its line, and the block that takes the entry; the block that has the former entry; the branches of
 * results that the event supersedes or restores.
 */
export function follows(
  documents: ReadableDocuments,
  event: HistoryEvent,
): Iterable<readonly DocumentRef[]> | null {
  const { change } = event;
  if (change === undefined && othersOf(event).length === 0) return null;
  return stepsOf(documents, event);
}

function* stepsOf(documents: ReadableDocuments, event: HistoryEvent): Generator<readonly DocumentRef[]> {
  const { change } = event;
  if (change !== undefined) {
    const { test_id, result, entry, former } = change;
    const { project_id } = result;
    if (entry !== null) {
      const { environment } = entry;
      const places = placesFor(documents, test_id, { project_id, environment });
      yield bucketsOf(documents, change, entry, places);
      const next = nextOf(documents, change, entry, places);
      if (!isQuiet(documents, event, change, entry, places.whole)) {
        if (places.known !== null) next.push(testDocuments.at(test_id));
        else next.push(testDocuments.atNew(test_id), ...newNumbersRefs(documents, project_id, test_id));
      }
      yield next;
    }
    if (former !== null) {
      const { environment } = former;
      const places = placesFor(documents, test_id, { project_id, environment });
      yield bucketsOf(documents, change, former, places);
      const { whole: place } = places;
      yield listingsOf(former).map((listing) => listingRef({ project_id, place }, listing));
      for (const id of blocksUntil(documents, place, former.branch, result.test_result_id))
        yield [historyBlockDocuments.at(id)];
    }
  }
  const others = othersOf(event).flatMap((id) => entryOf(documents, event, id) ?? []);
  if (others.length === 0) return;
  yield others.map(({ test_id }) => testDocuments.at(test_id));
  yield others.flatMap(({ test_id, branch, environment }) => {
    const line = placeOfLine(documents, test_id, environment);
    if (line === null) return [];
    const onBranch = branchBucketDocuments.at(branchBucket(line, branch));
    return [failingLineRef({ test_id, environment, branch }), onBranch];
  });
}

/** For the numbers of a new test: hardly any of them needs other documents. */
function newNumbersRefs(documents: ReadableDocuments, projectId: string, testId: string): DocumentRef[] {
  return willSettle(documents, projectId, testId) ? settledRefs(projectId, testId) : [];
}

function bucketsOf(
  documents: ReadableDocuments,
  { test_id, result: { project_id } }: ResultChange,
  { branch, environment }: Pick<TestEntry, 'branch' | 'environment'>,
  { whole, line }: Places,
): DocumentRef[] {
  const buckets = [testBucketDocuments.at(whole.bucket)];
  buckets.push(branchBucketDocuments.at(branchBucket(whole, branch)));
  if (environment === '') return buckets;
  if (line.bucket !== whole.bucket) {
    buckets.push(testBucketDocuments.at(line.bucket));
    buckets.push(branchBucketDocuments.at(branchBucket(line, branch)));
  }
  const test = documents.get(testDocuments, test_id);
  const forgotten = test === null ? null : forgottenFor(test, environment);
  if (forgotten !== null) {
    buckets.push(testBucketDocuments.at(placeIn(project_id, forgotten.number).bucket));
    const { environment: former } = forgotten;
    buckets.push(listingRef({ project_id, place: whole }, { environment: former }));
  }
  return buckets;
}

/** The blocks that may take an entry, the lists that it may put its test into, and where its line fails. */
function nextOf(
  documents: ReadableDocuments,
  { test_id, result: { project_id }, former }: ResultChange,
  { branch, environment, status }: TestEntry,
  { whole, line }: Places,
): DocumentRef[] {
  const refs = nextBlocks(documents, whole);
  const add = (listing: Listing) => refs.push(listingRef({ project_id, place: whole }, listing));
  const onBranch = branchState(documents, whole, branch);
  const lineOn = environment === '' ? onBranch : branchState(documents, line, branch);
  // The former entry leaves its lists before this one joins them.
  const hasFormer = former !== null;
  if (onBranch.entries === 0 || hasFormer) add({ branch });
  const ran = environment === '' ? ranPlain(lineOn) : lineOn.entries > 0;
  if (!ran || hasFormer) add({ environment, branch });
  if (environment !== '' && (testState(documents, line).entries === 0 || hasFormer)) add({ environment });
  // Those of failures are announced from the start, and a pass after a pass changes none.
  const mayRecover = status !== 'Failed' && lineOn.entries > 0 && !isPassing(lineOn.verdicts);
  if (mayRecover || hasFormer) refs.push(failingLineRef({ test_id, environment, branch }));
  return refs;
}
