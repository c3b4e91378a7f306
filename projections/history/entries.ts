/**
 * Which results have an entry in the history of a test. An item of a submission has a document only if it was changed after it
 * was final, or was odd from the start: else its entry follows from its call.
 */
import type { Instant } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { bulkOriginOf } from '../../src/domain/ids.js';
import type { Listed } from '../../src/domain/test-history/result-facts.js';
import type { TestEntry } from '../../src/domain/test-history/test-entry.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import type { HistoryEvent, HistoryChange, EntryPlace } from '../../src/domain/test-history/result-change.js';
import { projection, type Handler } from '../projection.js';
import { callOfItem, callRefs, chunkOfItem, chunkOfLine } from '../comparisons/run-chunks.js';
import { runSummaryDocuments } from '../comparisons/run-summary-documents.js';

/**
 * By result id. `at`: when it ran; absent for an item as it was submitted, whose event says it. `chunk`: that of its run which
 * has the result (`run-chunks.ts`); absent without a run, and for an item. `none`: an item without an entry.
 */
export type EntryDocument =
  | ({ test_id: string } & Listed & { at?: Instant; chunk?: number; none?: never })
  | { none: 'deleted' | 'unfinished'; at?: never; chunk?: never };

export const entryDocuments = collection<EntryDocument>({
  name: 'entries',
  ids: 'result',
  rarelyRead: true,
  indexes: [],
});

/**
 * The entry that a result other than that of the event has, which is of the same test; null without one. An item without a
 * document is listed as its call is. What it reads: `chunkRefs`.
 */
export function entryOf(
  documents: ReadableDocuments,
  event: HistoryEvent,
  resultId: string,
): EntryPlace | null {
  const stored = documents.get(entryDocuments, resultId);
  if (stored?.none !== undefined) return null;
  const listed = stored ?? callOfItem(documents, resultId);
  if (listed === null) return null;
  const { branch, environment = '' } = listed;
  return { test_id: stored?.test_id ?? ownTest(event), branch, environment };
}

function ownTest({ data, meta, change }: HistoryEvent): string {
  if (change !== undefined) return change.test_id;
  const { project_id } = data as { project_id: string };
  const { test_name, test_id } = { ...data, ...meta.facts } as { test_name: string; test_id?: string };
  return test_id ?? testIdOf(project_id, test_name);
}

/** What `chunkOf` reads. */
export function chunkRefs(resultId: string): DocumentRef[] {
  return [entryDocuments.at(resultId), ...callRefs(resultId)];
}

/** The chunk of its run that has a result with an entry, or had it before it was deleted; undefined without a run. */
export function chunkOf(documents: ReadableDocuments, resultId: string): number | undefined {
  return documents.get(entryDocuments, resultId)?.chunk ?? chunkOfItem(documents, resultId);
}

const changes: Handler<
  'ResultCreated' | 'ResultStarted' | 'ResultFinished' | 'ResultUpdated' | 'ResultDeleted',
  HistoryChange
> = {
  touches({ type, change, data: { result_id, run_id } }) {
    if (change === undefined) return [];
    const own = type === 'ResultCreated' ? entryDocuments.atNew(result_id) : entryDocuments.at(result_id);
    return run_id === null ? [own] : [own, runSummaryDocuments.at(run_id)];
  },
  apply(documents, { change, data: { result_id, run_id } }) {
    if (change === undefined) return;
    const { test_id, entry, ran_at: at } = change;
    const isItem = bulkOriginOf(result_id) !== null;
    if (entry === null) {
      if (isItem) documents.put(entryDocuments, result_id, { none: 'deleted' } satisfies EntryDocument);
      else documents.remove(entryDocuments, result_id);
      return;
    }
    const place = { test_id, ...listedAs(entry), at };
    const chunk = isItem ? undefined : chunkOfOwn(documents, result_id, run_id);
    const next: EntryDocument = chunk === undefined ? place : { ...place, chunk };
    documents.put(entryDocuments, result_id, next);
  },
};

/** The chunk that the result has, or to which the event has just added it. */
function chunkOfOwn(documents: Documents, resultId: string, runId: string | null): number | undefined {
  const chunk = chunkOf(documents, resultId);
  if (chunk !== undefined) return chunk;
  const run = runId === null ? null : documents.get(runSummaryDocuments, runId);
  return run === null ? undefined : chunkOfLine(run.lines - 1);
}

/** An item that is not final, or is listed otherwise than its call: most are as their calls, and have no document. */
const items: Handler<'ResultSubmitted', HistoryChange> = {
  touches: (event) => (unlikeItsCall(event) ? [entryDocuments.atNew(event.data.result_id)] : []),
  apply(documents, event) {
    if (!unlikeItsCall(event)) return;
    const { change, data } = event;
    const document: EntryDocument =
      change === undefined ? { none: 'unfinished' } : { test_id: change.test_id, ...listedAs(change.entry!) };
    documents.put(entryDocuments, data.result_id, document);
  },
};

function unlikeItsCall({ change, data, meta }: HistoryEvent & LedgerEvent<'ResultSubmitted'>): boolean {
  if (change?.entry == null) return true;
  const { branch, environment } = change.entry;
  return branch !== data.run_branch || environment !== (meta.facts?.environment ?? '');
}

function listedAs({ branch, environment }: TestEntry): Listed {
  return environment === '' ? { branch } : { branch, environment };
}

/** Goes after all that asks for the entry before the event, and after the run has the result. */
export const entries = projection<HistoryChange>({
  name: 'entries',
  version: 1,
  collections: [entryDocuments],
  on: {
    ResultCreated: changes,
    ResultSubmitted: items,
    ResultStarted: changes,
    ResultFinished: changes,
    ResultUpdated: changes,
    ResultDeleted: changes,
  },
});
