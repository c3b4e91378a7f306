/** The events of the items of a chunk. */
import { itemPosition, logPosition, parseStreamName, type RecordedEvent } from '../domain/event.js';
import { isChunk, itemsIn, metaIn, type ChunkEvent } from '../domain/runs/item-chunk.js';
import { isPurged } from '../domain/redaction/purged.js';
import { itemEventIds } from './item-event-ids.js';

/** The event of each item of a chunk, whose revision is its ordinal. The chunk is as the log stores it. */
export function storedItemEvents({ data: chunk, meta, stream, position }: ChunkEvent): RecordedEvent[] {
  const { first, count, item_version: version } = chunk;
  const ids = itemEventIds(stream, first, count);
  const gone = isPurged({ meta }) ? { contents: 'deleted' } : null;
  return itemsIn(chunk, parseStreamName(stream).id).map((data, n) => ({
    id: ids[n]!,
    type: 'ResultSubmitted',
    version,
    data: gone === null ? data : { ...data, ...gone },
    meta: metaIn(chunk, meta, n),
    stream,
    revision: first + n,
    position,
  }));
}

/** What the feed of all events has in the place of an event of the feed of folds: the items of a chunk, or the event itself. */
export function eachItem(event: RecordedEvent): RecordedEvent[] {
  if (!isChunk(event)) return [event];
  const parent = logPosition(event.position);
  return storedItemEvents(event).map((item) => ({ ...item, position: itemPosition(parent, item.revision) }));
}
