/** Which other results of its run an event supersedes, or restores. */
import { itemId, bulkOriginOf } from '../src/domain/ids.js';
import type { LedgerEvent } from '../src/domain/events.js';

export type Supersession = {
  results: readonly string[];
  /** The result that supersedes them; null where they are restored. */
  by: string | null;
  /** The result of the event. */
  of: string;
};

/**
 * Null for nearly all events. An item that is superseded by another item of its call says so itself
 * (`ResultSubmitted.superseded_by`), so its superseder is not asked, except when it is deleted.
 */
export function supersessionOf(event: LedgerEvent): Supersession | null {
  switch (event.type) {
    case 'ResultCreated': {
      const { result_id, retry_of } = event.data;
      return retry_of === null ? null : { results: [retry_of], by: result_id, of: result_id };
    }
    case 'ResultSubmitted': {
      const { result_id, replaces = [] } = event.data as typeof event.data & { replaces?: string[] };
      return replaces.length === 0 ? null : { results: replaces, by: result_id, of: result_id };
    }
    case 'ResultDeleted': {
      const { result_id, retry_of, supersedes = [] } = event.data;
      const { replaces = [] } = event.data as typeof event.data & { replaces?: string[] };
      const origin = bulkOriginOf(result_id);
      const items = origin === null ? [] : supersedes.map((ordinal) => itemId(origin.run_id, ordinal));
      const results = [...(retry_of === null ? [] : [retry_of]), ...items, ...replaces];
      return results.length === 0 ? null : { results, by: null, of: result_id };
    }
    default:
      return null;
  }
}
