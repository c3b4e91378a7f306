import type { RecordedEvent } from '../domain/event.js';
import { isAppError } from '../errors.js';
import type { EventLog } from '../ports/event-log.js';

/** Returns whether the log has this very event at this position. The position is not that of an item. */
export async function hasEvent(
  log: Pick<EventLog, 'readAll'>,
  { position, id }: Pick<RecordedEvent, 'position' | 'id'>,
): Promise<boolean> {
  try {
    const [event] = (await log.readAll({ after: position, inclusive: true, limit: 1 })).events;
    return event?.position === position && event.id === id;
  } catch (error) {
    if (isAppError(error, 'not_a_position')) return false;
    throw error;
  }
}
