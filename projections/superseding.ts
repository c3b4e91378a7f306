/** Which results are superseded. The outbox needs it where a result fails, or changes, after it was superseded. */
import type { LedgerEvent } from '../src/domain/events.js';
import { collection, type DocumentRef, type Documents } from '../src/domain/projection.js';
import { projection, type Handler } from './projection.js';
import { supersessionOf } from './supersession.js';

/** By result id: the result is superseded. */
export type SupersededDocument = { superseded_by: string };

export const supersededDocuments = collection<SupersededDocument>({
  name: 'superseded',
  ids: 'result',
  rarelyRead: true,
  indexes: [],
});

/** The results other than the event's own that it supersedes or restores. */
export function othersOf(event: LedgerEvent): readonly string[] {
  return supersessionOf(event)?.results ?? [];
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
  if (event.type === 'ResultSubmitted') return ownSuperseder(event);
  return isCreation(event) ? null : (documents.get(supersededDocuments, resultId)?.superseded_by ?? null);
}

function isCreation({ type }: LedgerEvent): boolean {
  return type === 'ResultCreated' || type === 'ResultSubmitted';
}

/** An item knows what supersedes it from the start. */
function ownSuperseder({ data }: LedgerEvent<'ResultSubmitted'>): string | null {
  const { superseded_by, replaced_by = null } = data as typeof data & { replaced_by?: string };
  return replaced_by ?? superseded_by;
}

const others: Handler<'ResultCreated' | 'ResultSubmitted' | 'ResultDeleted'> = {
  touches: (event) => othersOf(event).map(supersededDocuments.at),
  apply(documents, event) {
    const supersession = supersessionOf(event);
    if (supersession === null) return;
    const { results, by, of } = supersession;
    for (const id of results) {
      const present = documents.get(supersededDocuments, id);
      // A result that another one superseded stays as it is.
      if (by !== null && present === null) put(documents, id, by);
      if (by === null && present?.superseded_by === of) documents.remove(supersededDocuments, id);
    }
  },
};

function put(documents: Documents, id: string, superseded_by: string): void {
  documents.put(supersededDocuments, id, { superseded_by } satisfies SupersededDocument);
}

export const superseding = projection({
  name: 'superseding',
  version: 1,
  collections: [supersededDocuments],
  on: {
    ResultCreated: others,
    ResultSubmitted: {
      touches(event) {
        const touched: DocumentRef[] = [...others.touches(event)];
        const { result_id } = event.data;
        if (ownSuperseder(event) !== null)
          touched.push({ ...supersededDocuments.at(result_id), isNew: true });
        return touched;
      },
      apply(documents, event) {
        others.apply(documents, event);
        const by = ownSuperseder(event);
        if (by !== null) put(documents, event.data.result_id, by);
      },
    },
    ResultDeleted: {
      touches: (event) => [...others.touches(event), supersededDocuments.at(event.data.result_id)],
      apply(documents, event) {
        others.apply(documents, event);
        documents.remove(supersededDocuments, event.data.result_id);
      },
    },
  },
});
