/** The instants of a result: which are accepted, and the time between them. */
import { invalid } from '../../errors.js';
import { limits } from '../../limits.js';
import type { Instant } from '../event.js';

/**
 * Checks the instants of a result. `sent` holds those that the client sent, so that the refusal names one of them.
 * @throws AppError `validation_failed`
 */
export function checkInstants(
  { started_at, finished_at }: { started_at: Instant | null; finished_at: Instant | null },
  now: Instant,
  sent: { finished_at?: Instant | null } = {},
): void {
  if (started_at !== null && Date.parse(started_at) > Date.parse(now) + limits.startAheadMs) {
    invalid('/started_at', 'too_late', 'must not be more than a day ahead');
  }
  if (started_at !== null && finished_at !== null && finished_at < started_at) {
    const pointer = sent.finished_at === undefined ? '/started_at' : '/finished_at';
    invalid(pointer, 'out_of_order', 'finished_at must not be before started_at');
  }
}

/** In whole milliseconds. Null for a result that was never started, or if the span does not fit. */
export function executionTime(started: Instant | null, finished: Instant): number | null {
  if (started === null) return null;
  const ms = Date.parse(finished) - Date.parse(started);
  return ms >= 0 && ms <= limits.executionTimeMs ? ms : null;
}
