/** What follows from an event for its test. The fold of the histories (`histories.ts`) writes it. */
import { collection, type Documents } from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import type { Transition } from '../../src/domain/test-history/test-history.js';

/**
 * By event id, never stored: the fold of the history appends the transitions to the test's stream.
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

/** For the parts after the histories: nearly no event has such a document, so that none announces it. */
const found = new WeakMap<HistoryEvent, TransitionsDocument>();
const none: readonly Transition[] = [];

export function addTransitions(documents: Documents, document: TransitionsDocument): void {
  documents.add(transitionDocuments, document.event.id, document);
  found.set(document.event, document);
}

/** What the histories have found to follow from an event. */
export function transitionsFrom(event: HistoryEvent): readonly Transition[] {
  return found.get(event)?.transitions ?? none;
}

export function isKnown(event: HistoryEvent): boolean {
  return event.change?.entry?.status === 'Failed' && found.get(event)?.known === true;
}
