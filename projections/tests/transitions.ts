/** The transitions of tests that follow from events. The fold of the tests' histories (`test-histories.ts`) writes them. */
import { collection } from '../../src/domain/projection.js';
import type { EnrichedEvent } from '../../src/domain/test-history/enriched-event.js';
import type { Transition } from '../../src/domain/test-history/test-history.js';

/**
 * By event id: the transitions that follow from an event. This collection is never stored: the messages are made of it,
 * and the outbox projector appends it to the test's stream.
 */
export type TransitionsDocument = {
  event: EnrichedEvent;
  transitions: readonly Transition[];
  /** The number of events that the test's stream has before these. */
  before: number;
};

/** Never stored: see `TransitionsDocument`. */
export const transitionDocuments = collection<TransitionsDocument>({
  name: 'transitions',
  ids: 'event',
  indexes: [],
});
