/**
 * The origin of a result that was submitted with its run: an item in the `items-` stream of the run. Its later events
 * are in a stream of its own, like those of any result.
 */
import { parseStreamName, streamName, type RecordedEvent, type StreamName } from '../domain/event.js';
import type { EventData } from '../domain/events.js';
import { bulkOriginOf } from '../domain/ids.js';
import type { EventLog } from '../ports/event-log.js';

/**
 * Returns the item with which the result of a stream began, or null. An item counts only once its run says that it was
 * submitted.
 */
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

/** Returns the number of results that were submitted with a run, by its `RunCreated`; 0 for any other event. */
export function itemCountOf(event: RecordedEvent): number {
  return event.type === 'RunCreated' ? (event.data as EventData['RunCreated']).items : 0;
}
