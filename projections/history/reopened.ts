/** Results that are not over any more. */
import type { LedgerEvent } from '../../src/domain/events.js';
import { isFinal } from '../../src/domain/results/result.js';

/** The result that an event takes from a final status back to one that is not; null for any other event. */
export function reopenedBy(event: LedgerEvent): string | null {
  switch (event.type) {
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated': {
      const { result_id, previous_status, status } = event.data;
      return isFinal(previous_status) && !isFinal(status) ? result_id : null;
    }
    default:
      return null;
  }
}
