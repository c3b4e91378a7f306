/** Which failures somebody knew of when they were recorded. */
import { collection, type DocumentRef, type ReadableDocuments } from '../../src/domain/projection.js';
import type { EnrichedEvent } from '../../src/domain/test-history/enriched-event.js';

/** By event id, never stored: the event records a failure that is known. The fold of the histories adds it. */
export const knownResultDocuments = collection<Record<string, never>>({
  name: 'known_results',
  ids: 'event',
  indexes: [],
});

/** What `isKnown` reads. */
export function knownRefs({ id, context }: EnrichedEvent): DocumentRef[] {
  return context?.entry?.status === 'Failed' ? [knownResultDocuments.atNew(id)] : [];
}

export function isKnown(documents: ReadableDocuments, event: EnrichedEvent): boolean {
  return knownRefs(event).length > 0 && documents.get(knownResultDocuments, event.id) !== null;
}
