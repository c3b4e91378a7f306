/** Which results are superseded. The outbox needs it where a result fails, or changes, after it was superseded. */
import { itemId } from '../src/domain/ids.js';
import type { EventType, LedgerEvent } from '../src/domain/events.js';
import { collection, type DocumentRef, type Documents } from '../src/domain/projection.js';
import { projection, type Handler } from './projection.js';

/** By result id: the result is superseded. */
export type SupersededDocument = { superseded_by: string };

export const supersededDocuments = collection<SupersededDocument>({
  name: 'superseded',
  ids: 'result',
  rarelyRead: true,
  indexes: [],
});

/** A result, and the one that counts in place of it. */
export type Superseding = { result_id: string; by: string };

/** The results that an event supersedes, and those that it restores if they are still superseded by that result. */
export type Supersedings = { superseded: readonly Superseding[]; restored: readonly Superseding[] };

/** All folds of this projection ask here: a new reason to supersede is one more line in this function. */
export function supersedingsOf(event: LedgerEvent): Supersedings {
  switch (event.type) {
    case 'ResultCreated': {
      const { result_id: by, retry_of } = event.data;
      return retry_of === null ? none : { superseded: [{ result_id: retry_of, by }], restored: [] };
    }
    case 'ResultSubmitted': {
      const { result_id, superseded_by: by } = event.data;
      return by === null ? none : { superseded: [{ result_id, by }], restored: [] };
    }
    case 'ResultDeleted': {
      const { result_id: by, run_id, retry_of, supersedes = [] } = event.data;
      const items = run_id === null ? [] : supersedes.map((ordinal) => itemId(run_id, ordinal));
      const results = retry_of === null ? items : [retry_of, ...items];
      return { superseded: [], restored: results.map((result_id) => ({ result_id, by })) };
    }
    default:
      return none;
  }
}

const none: Supersedings = { superseded: [], restored: [] };

/** The results other than the event's own that it supersedes or restores. */
export function othersOf(event: LedgerEvent): string[] {
  const { superseded, restored } = supersedingsOf(event);
  const own = 'result_id' in event.data ? event.data.result_id : null;
  return [...superseded, ...restored].flatMap(({ result_id }) => (result_id === own ? [] : result_id));
}

/** What `supersederOf` reads for the result of an event. */
export function supersederRefs(event: LedgerEvent, resultId: string): DocumentRef[] {
  return isCreation(event) ? [] : [supersededDocuments.at(resultId)];
}

/** The result that supersedes the event's own result after the event. */
export function supersederOf(
  documents: Pick<Documents, 'get'>,
  event: LedgerEvent,
  resultId: string,
): string | null {
  if (!isCreation(event)) return documents.get(supersededDocuments, resultId)?.superseded_by ?? null;
  return supersedingsOf(event).superseded.find(({ result_id }) => result_id === resultId)?.by ?? null;
}

function isCreation({ type }: LedgerEvent): boolean {
  return type === 'ResultCreated' || type === 'ResultSubmitted';
}

const changing: Handler<EventType> = {
  touches(event) {
    const { superseded, restored } = supersedingsOf(event);
    if (superseded.length === 0 && restored.length === 0 && event.type !== 'ResultDeleted') return [];
    const touched: DocumentRef[] = [...superseded, ...restored].map(({ result_id }) =>
      supersededDocuments.at(result_id),
    );
    if (event.type === 'ResultDeleted') touched.push(supersededDocuments.at(event.data.result_id));
    return touched;
  },
  apply(documents, event) {
    const { superseded, restored } = supersedingsOf(event);
    for (const { result_id, by } of superseded) {
      documents.put(supersededDocuments, result_id, { superseded_by: by } satisfies SupersededDocument);
    }
    for (const { result_id, by } of restored) {
      const present = documents.get(supersededDocuments, result_id);
      if (present?.superseded_by === by) documents.remove(supersededDocuments, result_id);
    }
    if (event.type === 'ResultDeleted') documents.remove(supersededDocuments, event.data.result_id);
  },
};

export const superseding = projection({
  name: 'superseding',
  version: 1,
  collections: [supersededDocuments],
  on: { ResultCreated: changing, ResultSubmitted: changing, ResultDeleted: changing },
});
