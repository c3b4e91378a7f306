/** Which results an event supersedes or restores, and which items are superseded from the start. */
import { itemId, bulkOriginOf } from './ids.js';
import type { EventData, LedgerEvent } from './events.js';

export type Supersession = {
  /** Other results than that of the event. */
  results: readonly string[];
  /** Whether the event supersedes them; else it takes back that its result superseded them. */
  supersedes: boolean;
  /** The result of the event. */
  of: string;
};

/**
 * Null for nearly all events. An item that is superseded by another item of its submission says so itself
 * (`ownSuperseders`), so its superseder is not asked, except when it is deleted.
 */
export function supersessionOf(event: LedgerEvent): Supersession | null {
  switch (event.type) {
    case 'ResultCreated': {
      const { result_id: of, retry_of } = event.data;
      return retry_of === null ? null : { results: [retry_of], supersedes: true, of };
    }
    case 'ResultSubmitted': {
      const { result_id: of, replaces = [] } = event.data;
      return replaces.length === 0 ? null : { results: replaces, supersedes: true, of };
    }
    case 'ResultDeleted': {
      const { result_id: of, replaces = [] } = event.data;
      const results = [...supersededBy(event.data), ...replaces];
      return results.length === 0 ? null : { results, supersedes: false, of };
    }
    default:
      return null;
  }
}

/** The results other than the event's own that it supersedes or restores. */
export function othersOf(event: LedgerEvent): readonly string[] {
  return supersessionOf(event)?.results ?? [];
}

/** The results that a deleted result had superseded: the one that it retried, or items of the same submission. */
export function supersededBy({
  result_id,
  retry_of,
  supersedes = [],
}: EventData['ResultDeleted']): readonly string[] {
  const origin = bulkOriginOf(result_id);
  const items = origin === null ? [] : supersedes.map((ordinal) => itemId(origin.submission_id, ordinal));
  return retry_of === null ? items : [retry_of, ...items];
}

type Superseders = Pick<EventData['ResultSubmitted'], 'superseded_by' | 'replaced_by'>;

/** The results that supersede an item from the start: a later item of its call, and items of higher attempts of its shard. */
export function ownSuperseders({ superseded_by, replaced_by = [] }: Superseders): readonly string[] {
  return superseded_by === null ? replaced_by : [superseded_by, ...replaced_by];
}
