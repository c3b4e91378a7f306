/** A log that gives an event for each item of a submission, where the log beneath stores chunks of items. */
import { LRUCache } from 'lru-cache';
import { presentEvents } from '../domain/event-versions.js';
import type { RecordedEvent, StreamName } from '../domain/event.js';
import { CHUNK_ITEMS, isWhole, type ChunkEvent } from '../domain/runs/item-chunk.js';
import { fail } from '../errors.js';
import { emptyWhenIdle } from '../memory/collect-when-idle.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import type { EventLog, ReadStreamOptions, StreamPage } from '../ports/event-log.js';
import { storedItemEvents } from './item-events.js';

/** `end`: behind its last item. `items`: their events, once they are asked for. */
type Chunk = { event: ChunkEvent; first: number; end: number; items: RecordedEvent[] | null };

/** About the size of the chunks that are kept: the changes of a submission's results ask for one item after the other. */
const KEPT_BYTES = 4 * 1024 * 1024;
export const CHUNKS_KEPT_MS = 10_000;
/** Of the event of an item, beside its part of the chunk. */
const ITEM_BYTES = 400;

/**
 * Wraps a log as it was opened. In a stream of items, the revision of an event is the ordinal of its item, and a page has the
 * items of one chunk at most, or is that chunk itself, whose revision is then that of its last item. Appends are passed on as
 * they are: the writer makes chunks. Reads of the whole log give a chunk as it is stored; the feed leaves it out, and asks for
 * the items (`feed.ts`).
 */
export function chunkedLog(log: EventLog): EventLog {
  const kept = new LRUCache<string, Chunk>({
    maxSize: KEPT_BYTES,
    // What is erased in the store is gone from here when its mask goes (`redaction/eraser.ts`).
    ttl: CHUNKS_KEPT_MS,
    sizeCalculation: ({ event, first, end }) => estimateBytes(event.data) + ITEM_BYTES * (end - first),
  });
  emptyWhenIdle(kept);
  const reading = new Map<string, Promise<Chunk | null>>();

  /** The chunk with this revision; null behind the last one. */
  async function chunkAt(stream: StreamName, revision: number, keep: boolean): Promise<Chunk | null> {
    const key = `${revision} ${stream}`;
    const known = kept.get(key) ?? reading.get(key);
    if (known !== undefined) return known;
    const read = readChunk(log, stream, revision).finally(() => reading.delete(key));
    reading.set(key, read);
    const chunk = await read;
    if (chunk !== null && keep) kept.set(key, chunk);
    return chunk;
  }

  /** The chunk that has an item; null where the stream has no such item. */
  async function chunkWith(stream: StreamName, ordinal: number, keep: boolean): Promise<Chunk | null> {
    // Nearly all chunks are full, so the first guess is nearly always right. It is never behind the item.
    let guess = Math.floor(ordinal / CHUNK_ITEMS);
    let [low, high] = [0, Infinity];
    while (low < high) {
      const chunk = await chunkAt(stream, guess, keep);
      if (chunk === null || ordinal < chunk.first) high = guess;
      else if (ordinal < chunk.end) return chunk;
      else low = guess + 1;
      if (high < Infinity) guess = (low + high) >>> 1;
      else {
        const { end } = chunk!;
        guess = low + Math.floor(((ordinal - end) * low) / end);
      }
    }
    return null;
  }

  async function readItems(
    stream: StreamName,
    { from = 0, direction, limit = 1_000, chunks = false }: ReadStreamOptions,
  ): Promise<StreamPage> {
    if (direction === 'backwards') throw new Error(`items are read forwards only: ${stream}`);
    // A reader of chunks reads each of them once.
    const chunk = await chunkWith(stream, from, !chunks);
    if (chunk === null) return { events: [], isEnd: true };
    if (chunks) return { events: [{ ...chunk.event, revision: chunk.end - 1 }], isEnd: false };
    const items = (chunk.items ??= storedItemEvents(chunk.event));
    const start = from - chunk.first;
    return { events: items.slice(start, start + limit), isEnd: false };
  }

  return {
    ...log,
    readStream: (stream, options = {}) =>
      stream.startsWith(ITEMS) ? readItems(stream, options) : log.readStream(stream, options),
  };
}

const ITEMS = 'items-';

async function readChunk(log: EventLog, stream: StreamName, revision: number): Promise<Chunk | null> {
  const [event] = (await log.readStream(stream, { from: revision, limit: 1 })).events;
  if (event?.revision !== revision) return null;
  const chunk = presentEvents.upcast(event) as ChunkEvent;
  if (!isWhole(chunk.data))
    fail('log_unavailable', `The event log is damaged: ${stream} at revision ${revision}`);
  const { first, count } = chunk.data;
  return { event: chunk, first, end: first + count, items: null };
}
