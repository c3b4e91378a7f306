/** Results that take another time than was said before. */
import type { LedgerEvent } from '../../src/domain/events.js';
import { isFinal } from '../../src/domain/results/result.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { reopenedBy } from './reopened.js';

/** A final result that gets another duration, and nothing else that counts. */
export function retimedBy(event: HistoryEvent): string | null {
  if (event.change !== undefined || reopenedBy(event) !== null) return null;
  switch (event.type) {
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated': {
      const { result_id, status } = event.data;
      return isFinal(status) && durationAfter(event) !== undefined ? result_id : null;
    }
    default:
      return null;
  }
}

/** The duration that an event gives its result: a result that is started again has none. Undefined: it stays. */
export function durationAfter({ type, data }: LedgerEvent): number | null | undefined {
  if (type === 'ResultStarted') return null;
  return type === 'ResultFinished' || type === 'ResultUpdated' ? data.execution_time_ms : undefined;
}
