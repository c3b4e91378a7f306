/** What happened to a cause: an entry for each thing that people or runs changed. */
import type { CauseFact } from '../../src/domain/causes/cause-fact.js';
import type { Instant } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { collection, type DocumentRef, type Documents } from '../../src/domain/projection.js';

/** By the id of the cause, `#` and event. */
export type CauseEntryDocument = CauseFact & {
  cause: string;
  /** When it happened, and then the position of the event: entries are in this order. */
  place: string;
  at: Instant;
  /** Null where it follows from runs. */
  actor: string | null;
};

export const causeEntryDocuments = collection<CauseEntryDocument>({
  name: 'cause_entries',
  ids: 'project',
  rarelyRead: true,
  indexes: [['cause', 'place']],
  totals: [['cause']],
});

/** Loaded, although it is new: if the log holds the event twice, the totals count it once. */
export function entryRef(cause: string, event: Pick<LedgerEvent, 'id'>): DocumentRef {
  return causeEntryDocuments.at(entryId(cause, event));
}

/** Not loaded, for the events of results: what they tell happens only once. */
export function newEntryRef(cause: string, event: Pick<LedgerEvent, 'id'>): DocumentRef {
  return causeEntryDocuments.atNew(entryId(cause, event));
}

export function tell(
  documents: Documents,
  event: Pick<LedgerEvent, 'id' | 'position'>,
  entry: CauseFact & Pick<CauseEntryDocument, 'cause' | 'at' | 'actor'>,
): void {
  const { cause, at } = entry;
  documents.put(causeEntryDocuments, entryId(cause, event), {
    ...entry,
    place: `${at} ${event.position}`,
  } satisfies CauseEntryDocument);
}

function entryId(cause: string, { id }: Pick<LedgerEvent, 'id'>): string {
  return `${cause}#${id}`;
}
