/** Folds a batch of events into documents, in memory: which changed, from what, to what. */
import type { RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import type { Document, Documents, Projection } from '../domain/projection.js';
import type { Change, DocumentKey } from './ports.js';

export type LoadDocuments = (keys: readonly DocumentKey[]) => Promise<(Document | null)[]>;

/**
 * Loads what the events touch, applies them in order, and answers the documents that differ. Each document gets
 * the position of the last event that put it.
 */
export async function foldBatch(
  projection: Projection,
  load: LoadDocuments,
  events: readonly RecordedEvent[],
): Promise<Change[]> {
  const touched: Touched[] = [];
  const keys = new Map<string, DocumentKey>();
  for (const recorded of events) {
    const event = recorded as LedgerEvent;
    const documents = projection.touches(event);
    if (documents.length === 0) continue;
    touched.push(event);
    for (const key of documents) keys.set(nameOf(key.collection, key.id), key);
  }
  if (touched.length === 0) return [];

  const work = new Map<string, Change>();
  const wanted = [...keys.entries()];
  const found = await load(wanted.map(([, key]) => key));
  wanted.forEach(([name, key], index) => {
    const before = found[index] ?? null;
    work.set(name, { ...key, before, after: before });
  });

  for (const event of touched) projection.apply(documentsAt(event, work), event);
  return [...work.values()].filter(({ before, after }) => before !== after);
}

type Touched = LedgerEvent;

function documentsAt({ position, type }: LedgerEvent, work: Map<string, Change>): Documents {
  const entry = (collection: string, id: string) => {
    const change = work.get(nameOf(collection, id));
    // A document that was not announced was not loaded: folding on would lose what is stored.
    if (change === undefined) throw new Error(`${type} touches ${collection} ${id} without announcing it`);
    return change;
  };
  return {
    get: <T>(collection: string, id: string) => entry(collection, id).after as T | null,
    put: (collection, id, document) => void (entry(collection, id).after = { ...document, position }),
    remove: (collection, id) => void (entry(collection, id).after = null),
  };
}

function nameOf(collection: string, id: string): string {
  return `${collection}/${id}`;
}
