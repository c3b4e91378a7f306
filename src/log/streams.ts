/** Reads of whole streams, and of the event with which a result of a bulk submission began. */
import { parseStreamName, streamName, type RecordedEvent, type StreamName } from '../domain/event.js';
import type { EventData } from '../domain/events.js';
import { bulkOriginOf } from '../domain/ids.js';
import type { EventLog } from '../ports/event-log.js';

type Reader = Pick<EventLog, 'readStream'>;

const PAGE = 1_000;

/** All events of a stream, oldest first. */
export async function wholeStream(log: Reader, stream: StreamName): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const from = (events.at(-1)?.revision ?? -1) + 1;
    const page = await log.readStream(stream, { from, limit: PAGE });
    events.push(...page);
    if (page.length < PAGE) return events;
  }
}

/** The events of a result: its bulk origin, if it has one, then the events of its stream that pass the filter. */
export async function resultEvents(
  log: Reader,
  stream: StreamName,
  isWanted: (event: RecordedEvent) => boolean,
): Promise<RecordedEvent[]> {
  const [origin, own] = await Promise.all([readBulkOrigin(log, stream), wholeStream(log, stream)]);
  return [...(origin === null ? [] : [origin]), ...own.filter(isWanted)];
}

/**
 * The event with which a result began that was submitted with its run: an item of the run's `items-` stream. Later
 * events of the result are in its own stream. Null for any other stream. An item exists only if its run says so.
 */
export async function readBulkOrigin(log: Reader, stream: StreamName): Promise<RecordedEvent | null> {
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

/** The number of results that were submitted with a run, by its first event; 0 for any other event. */
export function itemCountOf(event: RecordedEvent): number {
  return event.type === 'RunCreated' ? (event.data as EventData['RunCreated']).items : 0;
}
