/** How causes stand after an event, where that follows from it: the fold of the history appends it to the log. */
import { collection, type Documents } from '../../src/domain/projection.js';
import type { CauseTransition, EventData } from '../../src/domain/events.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { causeDocuments, type CauseDocument } from './cause-documents.js';

/** `before`: the number of events that the stream of the group has before this one. */
type Followed = {
  [T in CauseTransition]: { type: T; data: EventData[T]; before: number };
}[CauseTransition];

/** By event id, never stored. */
export type CauseTransitionsDocument = { event: HistoryEvent; causes: readonly Followed[] };

export const causeTransitionDocuments = collection<CauseTransitionsDocument>({
  name: 'cause_transitions',
  ids: 'event',
  indexes: [],
});

/** Puts a cause with what follows for it from the event. */
export function putTransition(
  documents: Documents,
  event: HistoryEvent,
  id: string,
  { cause, ...fact }: { cause: CauseDocument } & Pick<Followed, 'type' | 'data'>,
): void {
  const before = documents.get(causeTransitionDocuments, event.id)?.causes ?? [];
  const followed = { ...fact, before: cause.transitions } as Followed;
  documents.put(causeTransitionDocuments, event.id, {
    event,
    causes: [...before, followed],
  } satisfies CauseTransitionsDocument);
  documents.put(causeDocuments, id, { ...cause, transitions: cause.transitions + 1 } satisfies CauseDocument);
}
