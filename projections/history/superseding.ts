/** Which results are superseded. The history needs it where a result fails, or changes, after it was superseded. */
import type { LedgerEvent } from '../../src/domain/events.js';
import {
  collection,
  type DocumentRef,
  type Documents,
  type ReadableDocuments,
} from '../../src/domain/projection.js';
import { projection, type Handler } from '../projection.js';
import { itemAt, itemRefs } from './shard-items.js';
import { othersOf, ownSuperseders, supersessionOf } from '../../src/domain/supersession.js';

/**
 * By result id: the results that supersede it, at least one. A result of a shard may be replaced by those of several
 * higher attempts.
 */
export type SupersededDocument = { by: readonly string[] };

export const supersededDocuments = collection<SupersededDocument>({
  name: 'superseded',
  ids: 'result',
  rarelyRead: true,
  indexes: [],
});

/** What `supersederOf` reads for the result of an event. */
export function supersederRefs(event: LedgerEvent, resultId: string): DocumentRef[] {
  if (event.type === 'ResultSubmitted') {
    const isSuperseded = ownSuperseders(event.data).length > 0;
    return isSuperseded ? [supersededDocuments.at(resultId)] : [];
  }
  return event.type === 'ResultCreated' ? [] : [supersededDocuments.at(resultId)];
}

/** A result that supersedes the event's own result after the event; null if none does. */
export function supersederOf(
  documents: ReadableDocuments,
  event: LedgerEvent,
  resultId: string,
): string | null {
  if (supersederRefs(event, resultId).length === 0) return null;
  return documents.get(supersededDocuments, resultId)?.by[0] ?? null;
}

const others: Handler<'ResultCreated' | 'ResultSubmitted' | 'ResultDeleted'> = {
  touches: (event) => othersOf(event).map(supersededDocuments.at),
  apply(documents, event) {
    const supersession = supersessionOf(event);
    if (supersession === null) return;
    const { results, supersedes, of } = supersession;
    for (const id of results) {
      const by = documents.get(supersededDocuments, id)?.by ?? [];
      if (supersedes !== by.includes(of)) put(documents, id, supersedes ? [...by, of] : without(by, of));
    }
  },
};

function without(by: readonly string[], resultId: string): string[] {
  return by.filter((each) => each !== resultId);
}

function put(documents: Documents, id: string, by: readonly string[]): void {
  if (by.length === 0) documents.remove(supersededDocuments, id);
  else documents.put(supersededDocuments, id, { by } satisfies SupersededDocument);
}

/** Goes after `runCounts`, which knows the items of runs with shards. */
export const superseding = projection({
  name: 'superseding',
  version: 1,
  collections: [supersededDocuments],
  on: {
    ResultCreated: others,
    ResultSubmitted: {
      touches(event) {
        const { result_id, replaced_by = [] } = event.data;
        const isSuperseded = ownSuperseders(event.data).length > 0;
        const own = isSuperseded ? [supersededDocuments.atNew(result_id)] : [];
        return [...others.touches(event), ...own, ...replaced_by.flatMap(itemRefs)];
      },
      apply(documents, event) {
        others.apply(documents, event);
        const { result_id, superseded_by, replaced_by = [] } = event.data;
        // One that was deleted replaces nothing.
        const present = replaced_by.filter((id) => itemAt(documents, id) !== null);
        const by = ownSuperseders({ superseded_by, replaced_by: present });
        if (by.length > 0) put(documents, result_id, by);
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
