/** What follows from an event for its test. The fold of the histories (`histories.ts`) writes it. */
import { collection, type DocumentRef, type ReadableDocuments } from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import type { Transition } from '../../src/domain/test-history/test-history.js';

/**
 * By event id, never stored: the parts of the history after the histories ask for it, and the fold of the history appends the
 * transitions to the test's stream.
 */
export type TransitionsDocument = {
  event: HistoryEvent;
  transitions: readonly Transition[];
  /** The number of events that the test's stream has before these. */
  before: number;
  /** The event records a failure of which somebody knows. */
  known: boolean;
};

export const transitionDocuments = collection<TransitionsDocument>({
  name: 'transitions',
  ids: 'event',
  indexes: [],
});

/** What `isKnown` reads. */
export function knownRefs({ id, change }: HistoryEvent): DocumentRef[] {
  return change?.entry?.status === 'Failed' ? [transitionDocuments.atNew(id)] : [];
}

export function isKnown(documents: ReadableDocuments, event: HistoryEvent): boolean {
  return knownRefs(event).length > 0 && documents.get(transitionDocuments, event.id)?.known === true;
}
