/**
 * Where a result began that was submitted with its run: as an item of the run's `items-` stream. What happens to it
 * later lies in a stream of its own, like that of any result.
 */
import { parseStreamName, streamName, type RecordedEvent, type StreamName } from '../domain/event.js';
import type { EventData } from '../domain/events.js';
import { bulkOriginOf } from '../domain/ids.js';
import type { EventLog } from '../ports/event-log.js';

/** Of a result's stream: the event that it was born with elsewhere, or null. An item exists only if its run says so. */
export async function readBulkOrigin(
  log: Pick<EventLog, 'readStream'>,
  stream: StreamName,
): Promise<RecordedEvent | null> {
  if (!stream.startsWith('result-')) return null;
  const { team, id } = parseStreamName(stream);
  const place = bulkOriginOf(id);
  if (place === null) return null;
  const { run_id, ordinal } = place;
  const [first] = await log.readStream(streamName('run', team, run_id), { limit: 1 });
  if (first === undefined || ordinal >= itemCountOf(first)) return null;
  const [item] = await log.readStream(streamName('items', team, run_id), { from: ordinal, limit: 1 });
  return item?.revision === ordinal ? item : null;
}

/** How many results were submitted with a run, as its first event says; 0 for any other event. */
export function itemCountOf(event: RecordedEvent): number {
  return event.type === 'RunCreated' ? (event.data as EventData['RunCreated']).items : 0;
}
