import type { LedgerEvent } from '../../../src/domain/events.js';

/** The events of one append: a submission with its items, or one event. */
export function unitsOf(events: readonly LedgerEvent[]): LedgerEvent[][] {
  const units: LedgerEvent[][] = [];
  for (let at = 0; at < events.length;) {
    const event = events[at]!;
    const last = lastOf(event);
    const end = last === null ? at : events.findIndex(({ type }, n) => n > at && type === last);
    units.push(events.slice(at, end + 1));
    at = end + 1;
  }
  return units;
}

/** The type of the last event of a submission that begins with this event. */
function lastOf({ type, data }: LedgerEvent): string | null {
  if (type === 'ItemsSubmitted' || (type === 'RunCreated' && data.with_items === true))
    return 'ItemsReceived';
  return type === 'RunCreated' && data.items > 0 ? 'RunCompleted' : null;
}
