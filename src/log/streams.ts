/** Reads of streams, page by page, and of the event with which a result of a bulk submission began. */
import { setImmediate } from 'node:timers/promises';
import { parseStreamName, streamName, type RecordedEvent, type StreamName } from '../domain/event.js';
import type { EventData } from '../domain/events.js';
import { bulkOriginOf } from '../domain/ids.js';
import type { EventLog } from '../ports/event-log.js';

export type StreamReader = Pick<EventLog, 'readStream'>;

/**
 * Yields the events of a stream from a revision on, oldest first, one page at a time. No caller keeps all of them: a
 * stream may have thousands of events of 64 KiB.
 */
export async function* streamPages(
  log: StreamReader,
  stream: StreamName,
  from = 0,
  limit = 1_000,
): AsyncGenerator<readonly RecordedEvent[], void> {
  for (let next = from; ;) {
    const { events, isEnd } = await log.readStream(stream, { from: next, limit });
    const last = events.at(-1);
    if (last === undefined) return;
    yield events;
    if (isEnd) return;
    // A log in a file is read on this thread. Without a pause, a long stream would block all other work on it.
    await setImmediate();
    // Not the number of events: a log may have skipped events that another program put into the stream.
    next = last.revision + 1;
  }
}

/**
 * The event with which a result began that was submitted with its run: an item of the run's `items-` stream. Later
 * events of the result are in its own stream. Null for any other stream. An item exists only if its run says so.
 */
export async function readBulkOrigin(log: StreamReader, stream: StreamName): Promise<RecordedEvent | null> {
  if (!stream.startsWith('result-')) return null;
  const { team, id } = parseStreamName(stream);
  const place = bulkOriginOf(id);
  if (place === null) return null;
  const { run_id, ordinal } = place;
  const [first] = (await log.readStream(streamName('run', team, run_id), { limit: 1 })).events;
  if (first === undefined || ordinal >= itemCountOf(first)) return null;
  const items = await log.readStream(streamName('items', team, run_id), { from: ordinal, limit: 1 });
  const [item] = items.events;
  return item?.revision === ordinal ? item : null;
}

/** The number of results that were submitted with a run, by its first event; 0 for any other event. */
export function itemCountOf(event: RecordedEvent): number {
  return event.type === 'RunCreated' ? (event.data as EventData['RunCreated']).items : 0;
}
