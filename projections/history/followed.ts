/** What follows from an event for a group, a run or a project: the fold of the history appends it to the log. */
import type { Category } from '../../src/domain/event.js';
import { collection, type DocumentRef, type Documents } from '../../src/domain/projection.js';
import type { FollowedFact } from '../../src/domain/messages/message-spec.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';

/** `subject`: the id in the name of its stream. `before`: the number of events that the stream has before this one. */
export type Followed = FollowedFact & { category: Category; subject: string; before: number };

/** By event id, never stored. */
export type FollowedDocument = { event: HistoryEvent; followed: readonly Followed[] };

export const followedDocuments = collection<FollowedDocument>({
  name: 'followed',
  ids: 'event',
  indexes: [],
});

/** What `follow` puts. */
export function followedRef({ id }: Pick<HistoryEvent, 'id'>): DocumentRef {
  return followedDocuments.atNew(id);
}

/** For the parts after the one in which it follows: nearly no event has such a document, so that none announces it. */
const found = new WeakMap<HistoryEvent, readonly Followed[]>();
const none: readonly Followed[] = [];

export function follow(documents: Documents, event: HistoryEvent, one: Followed): void {
  const before = documents.get(followedDocuments, event.id)?.followed ?? [];
  const after: FollowedDocument = { event, followed: [...before, one] };
  documents.put(followedDocuments, event.id, after);
  found.set(event, after.followed);
}

/** What the parts before have found to follow from an event. */
export function followedFrom(event: HistoryEvent): readonly Followed[] {
  return found.get(event) ?? none;
}
