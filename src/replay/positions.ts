/**
 * Positions that clients send. Reading from a text that is not a position of the log would silently lose or repeat
 * events.
 */
import {
  isPosition,
  logPosition,
  ordinalAt,
  START,
  type Position,
  type RecordedEvent,
} from '../domain/event.js';
import { isAppError, fail } from '../errors.js';
import { itemCountOf } from '../log/streams.js';
import type { EventLog } from '../ports/event-log.js';

/**
 * Checks that a text is a position that a page or an event may have given to this team. A page ends at any event of
 * the log, so the position of any event is valid; the position of an item is valid for its own team only.
 * @throws AppError `not_a_position`
 */
export async function checkPosition(log: EventLog, team: string, text: string): Promise<Position> {
  if (text === START) return START;
  if (!isPosition(text)) refuse(text);
  const at = logPosition(text);
  if (at > (await log.head())) refuse(text);
  const event = await eventAt(log, at);
  const ordinal = ordinalAt(text);
  if (ordinal !== null && !(event?.meta.team_id === team && ordinal < itemCountOf(event))) refuse(text);
  return text;
}

/** The event at a position. Undefined where it is not an event of this service: others may share the log. */
async function eventAt(log: EventLog, at: Position): Promise<RecordedEvent | undefined> {
  try {
    const [event] = (await log.readAll({ after: at, inclusive: true, limit: 1 })).events;
    return event?.position === at ? event : undefined;
  } catch (error) {
    if (isAppError(error, 'not_a_position')) refuse(at);
    throw error;
  }
}

function refuse(text: string): never {
  fail('not_a_position', `No event of this log is at ${text}.`);
}
