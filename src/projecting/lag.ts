/** The lag of a projection behind the log. */
import { logPosition, START } from '../domain/event.js';
import { isLedgerError } from '../errors.js';
import { ageMs, type Clock } from '../clock.js';
import type { EventLog } from '../ports/event-log.js';
import type { ViewReader } from '../ports/views.js';

/** Returns the seconds since the oldest event that the projection has not applied, or 0 if it has applied all. */
export async function lagSeconds(
  log: EventLog,
  views: ViewReader,
  projection: string,
  clock: Clock,
): Promise<number> {
  const position = await views.position(projection);
  const after = logPosition(position);
  try {
    const [oldest] = (await log.readAll({ after, limit: 1 })).events;
    return oldest === undefined ? 0 : ageMs(clock, oldest.meta.at) / 1_000;
  } catch (error) {
    if (!isLedgerError(error, 'unknown_event')) throw error;
    // The projection cannot apply the next event. An alarm must see the lag grow, so it counts from the last applied event.
    if (position === START) return Infinity;
    const [last] = (await log.readAll({ after, limit: 1, inclusive: true })).events;
    return last === undefined ? Infinity : ageMs(clock, last.meta.at) / 1_000;
  }
}
