/**
 * Which results have an entry in the history of a test. An item of a submission has a document only once it was changed
 * after it was final: what it was from the start follows from its event.
 */
import type { Instant } from '../../src/domain/event.js';
import { bulkOriginOf } from '../../src/domain/ids.js';
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import type { EnrichedEvent, Enrichment, EntryPlace } from '../../src/domain/test-history/enriched-event.js';
import { projection, type Handler } from '../projection.js';
import { callRefs, chunkOfItem, chunkOfLine } from '../run-chunks.js';
import { runSummaryDocuments } from '../run-summary-documents.js';

/**
 * By result id. `at`: when it ran. `chunk`: that of its run which has the result (`run-chunks.ts`); absent without a run.
 * `gone`: the item was deleted.
 */
export type EntryDocument =
  (EntryPlace & { at: Instant; chunk?: number; gone?: never }) | { gone: true; at?: never };

export const entryDocuments = collection<EntryDocument>({
  name: 'entries',
  ids: 'result',
  rarelyRead: true,
  indexes: [],
});

/** The entry that a result other than that of the event had before the event; null without one. */
export function entryOf(
  documents: ReadableDocuments,
  { others }: EnrichedEvent,
  resultId: string,
): EntryPlace | null {
  const stored = documents.get(entryDocuments, resultId);
  if (stored !== null) return stored.gone === true ? null : stored;
  return others?.[resultId] ?? null;
}

/** What `chunkOf` reads. */
export function chunkRefs(resultId: string): DocumentRef[] {
  return [entryDocuments.at(resultId), ...callRefs(resultId)];
}

/** The chunk of its run that has a result with an entry; undefined without a run. */
export function chunkOf(documents: ReadableDocuments, resultId: string): number | undefined {
  const stored = documents.get(entryDocuments, resultId);
  if (stored?.gone === true) return undefined;
  return stored?.chunk ?? chunkOfItem(documents, resultId);
}

const changes: Handler<
  'ResultCreated' | 'ResultStarted' | 'ResultFinished' | 'ResultUpdated' | 'ResultDeleted',
  Enrichment
> = {
  touches({ type, context, data: { result_id, run_id } }) {
    if (context === undefined) return [];
    const own = type === 'ResultCreated' ? entryDocuments.atNew(result_id) : entryDocuments.at(result_id);
    return run_id === null ? [own] : [own, runSummaryDocuments.at(run_id)];
  },
  apply(documents, { context, data: { result_id, run_id } }) {
    if (context === undefined) return;
    const { test_id, entry, ran_at: at } = context;
    const isItem = bulkOriginOf(result_id) !== null;
    if (entry === null) {
      if (isItem) documents.put(entryDocuments, result_id, { gone: true } satisfies EntryDocument);
      else documents.remove(entryDocuments, result_id);
      return;
    }
    const place = { test_id, branch: entry.branch, at };
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

/** Goes after all that asks for the entry before the event, and after the run has the result. */
export const entries = projection<Enrichment>({
  name: 'entries',
  version: 1,
  collections: [entryDocuments],
  on: {
    ResultCreated: changes,
    ResultStarted: changes,
    ResultFinished: changes,
    ResultUpdated: changes,
    ResultDeleted: changes,
  },
});
