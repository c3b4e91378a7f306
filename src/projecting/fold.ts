/** Folds a batch of events into documents, in memory. The result is each changed document, before and after. */
import type { Position, RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import type { Collection, CollectionSpec, Document, Documents, Fold } from '../domain/projection.js';
import type { Change, DocumentKey } from '../ports/views.js';

export type LoadDocuments = (keys: readonly DocumentKey[]) => Promise<(Document | null)[]>;

/**
 * Loads the documents that the events touch, applies the events in order, and returns the documents that changed. Each
 * document gets the position of the last event that put it.
 */
export async function foldBatch<E extends RecordedEvent = LedgerEvent>(
  projection: Fold<E>,
  load: LoadDocuments,
  events: readonly E[],
): Promise<Change[]> {
  const touched: E[] = [];
  const work = new Map<string, Map<string, Change>>();
  const changes: Change[] = [];
  const stored: Change[] = [];
  for (const event of events) {
    const documents = projection.touches(event);
    if (documents.length === 0) continue;
    touched.push(event);
    for (const { collection, id, fresh } of documents) {
      let ids = work.get(collection);
      if (ids === undefined) work.set(collection, (ids = new Map()));
      if (ids.has(id)) continue;
      const change: Change = { collection, id, before: null, after: null };
      ids.set(id, change);
      changes.push(change);
      if (fresh !== true) stored.push(change);
    }
  }
  if (touched.length === 0) return [];

  const found = await load(stored);
  stored.forEach((change, index) => (change.before = change.after = found[index] ?? null));
  for (const event of touched) projection.apply(documentsAt(event, work, changes), event);
  return changes.filter(({ before, after }) => before !== after);
}

function documentsAt(
  { position, type }: RecordedEvent,
  work: Map<string, Map<string, Change>>,
  changes: Change[],
): Documents {
  const entry = ({ name: collection }: CollectionSpec, id: string) => {
    const change = work.get(collection)?.get(id);
    // A document that was not announced was not loaded, so the fold would overwrite the stored one.
    if (change === undefined) throw new Error(`${type} touches ${collection} ${id} without announcing it`);
    return change;
  };
  return {
    get: <D extends object>(collection: Collection<D>, id: string) => entry(collection, id).after as D | null,
    put(collection, id, document) {
      const change = entry(collection, id);
      // The document that was read must stay as it was: the change is the difference from it.
      if (document === change.before)
        throw new Error(`${type} puts ${change.collection} ${id} as it was read`);
      const positioned = document as { position: Position };
      positioned.position = position;
      change.after = positioned;
    },
    remove: (collection, id) => void (entry(collection, id).after = null),
    add: ({ name: collection }, id, document) =>
      void changes.push({ collection, id, before: null, after: { ...document, position } }),
  };
}
