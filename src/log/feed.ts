/**
 * The feed: the log as every consumer reads it. It skips the items of bulk submissions at their places in the log, and
 * yields them right after the event that makes them count: `RunCreated` or, in a run with a key, `ItemsSubmitted`. So no
 * consumer sees a submission that never took effect.
 *
 * There are two feeds of a log. That for folds has a chunk of items as one event (docs/decisions/035), which counts as much
 * as its items, and whose position is that of its last item. A page may be longer than its limit by one chunk.
 */
import { setImmediate } from 'node:timers/promises';
import {
  categories,
  itemPosition,
  laterPosition,
  logPosition,
  ordinalAt,
  parseStreamName,
  START,
  type Position,
  type RecordedEvent,
} from '../domain/event.js';
import { partitionOf } from '../domain/partition.js';
import { isChunk, partOf, weightOfAll, type ChunkEvent } from '../domain/runs/item-chunk.js';
import { hasEvent } from './has-event.js';
import { itemCountOf, itemStreamOf } from './streams.js';
import type { Batch, EventFilter, EventLog, FollowOptions, ReadAllOptions } from '../ports/event-log.js';
import { estimateBytes } from '../memory/estimate-bytes.js';

export type Feed = {
  /** Returns one page after a position. The `position` of the page covers everything that was read. */
  read(options: Omit<ReadAllOptions, 'inclusive'>): Promise<Batch>;
  /**
   * Yields the events of one read of the log after a position, in pages of up to `limit` events. They are several where
   * submissions come with their items: with `read`, everything behind the first page would be read again.
   */
  pages(options: Omit<ReadAllOptions, 'inclusive'>): AsyncGenerator<Batch, void>;
  /** Returns the position of the newest event. */
  head(): Promise<Position>;
  /** As `hasEvent` of the log. */
  has(event: Pick<RecordedEvent, 'position' | 'id'>): Promise<boolean>;
  /** Yields all events after a position, and then new events as they come, one batch at a time. */
  follow(options: FollowOptions): AsyncIterable<Batch>;
};

/** About the size of a page's items. A limit on their number alone would not bound it. */
const ITEMS_BYTES = 4 * 1024 * 1024;

/** One event for each item. */
export function openFeed(log: EventLog): Feed {
  return feedOf(log, { chunks: false });
}

/** One event for each chunk of items. It takes no filter by types. */
export function openFoldFeed(log: EventLog): Feed {
  return feedOf(log, { chunks: true });
}

function feedOf(log: EventLog, { chunks }: { chunks: boolean }): Feed {
  /**
   * Yields the rest of the submission that contains a position. The position may be that of the event before its items:
   * then all of them are still to come. Yields nothing for any other position.
   */
  async function* restOf({ after, limit, filter }: Reading): AsyncGenerator<Batch, void> {
    const ordinal = ordinalAt(after);
    // For a consumer that takes no items, the rest would be read only to be dropped.
    if (after === START || !takesItems(filter)) return;
    const at = logPosition(after);
    const [run] = (await log.readAll({ after: at, inclusive: true, limit: 1 })).events;
    const from = (ordinal ?? -1) + 1;
    // The read of the run used no filter, and a page may end at an event of another team.
    if (run?.position !== at || itemCountOf(run) <= from || !isWithin(run, filter)) return;
    const batch = { events: [run], position: at, caughtUp: false };
    yield* withItems(log, batch, { limit, filter, after, from, chunks });
  }

  async function* pages({ after, limit = 1_000, filter }: Partial<Reading> & { after: Position }) {
    const reading = { limit, filter };
    let reached = after;
    let rest: Batch | null = null;
    for await (const next of restOf({ ...reading, after })) {
      if (rest !== null) yield rest;
      rest = next;
      reached = next.position;
    }
    // The end of a submission is mostly short: a page of its own would cost a consumer as much as a full one.
    const left = limit - weightOfAll(rest?.events ?? []);
    if (rest !== null && left < limit / 2) {
      yield rest;
      rest = null;
    }
    const most = rest === null ? limit : left;
    const batch = await log.readAll({ after: logPosition(reached), limit: most, filter: ofLog(filter) });
    for await (const page of withItems(log, batch, { filter, limit: most, after: reached, chunks })) {
      yield rest === null ? page : { ...page, events: [...rest.events, ...page.events] };
      rest = null;
    }
  }

  return {
    async read(options) {
      for await (const first of pages(options)) return first;
      throw new Error('a read of the log gave no page');
    },
    pages,
    head: () => log.head(),
    has: (event) => hasEvent(log, event),
    async *follow({ after, filter, limit = 2_000, signal }) {
      let reached = after;
      const options = { after: logPosition(after), limit, signal, filter: ofLog(filter) };
      const all = async function* () {
        yield* restOf({ after, limit, filter });
        for await (const batch of log.follow(options)) {
          yield* withItems(log, batch, { limit, filter, after: reached, chunks });
        }
      };
      for await (const batch of all()) {
        reached = batch.position;
        if (signal.aborted) return;
        yield batch;
        // A log in a file is read on this thread. Without a pause between batches, a large submission would block all
        // other work on it, even the message to stop.
        if (!batch.caughtUp) await setImmediate();
      }
    },
  };
}

type Reading = { after: Position; limit: number; filter: EventFilter | undefined };

/**
 * Yields a batch of the log in batches of up to `limit` events, with the items after their event. With `from`, the first
 * event itself is left out, and so are its items before this ordinal.
 */
async function* withItems(
  log: EventLog,
  batch: Batch,
  { after, limit, filter, from: first, chunks }: Reading & { from?: number; chunks: boolean },
): AsyncGenerator<Batch, void> {
  const isWanted = wanted(filter);
  const items = takesItems(filter);
  const events: RecordedEvent[] = [];
  let reached = after;
  let [weight, bytes] = [0, 0];
  const full = (more = 1) => weight + more > limit || bytes >= ITEMS_BYTES;
  const page = (): Batch => {
    [weight, bytes] = [0, 0];
    return { events: events.splice(0), position: reached, caughtUp: false };
  };
  for (const [n, event] of batch.events.entries()) {
    const rest = n === 0 ? first : undefined;
    if (rest === undefined) {
      if (full()) yield page();
      if (isWanted(event)) {
        events.push(event);
        weight += 1;
      }
      reached = event.position;
    }
    const count = items ? itemCountOf(event) : 0;
    for (let from = rest ?? 0; from < count;) {
      if (full()) yield page();
      const found = chunks
        ? [await readChunk(log, event, from)]
        : await readItems(log, event, from, limit - weight);
      const more = weightOfAll(found);
      if (weight > 0 && full(more)) yield page();
      for (const item of found) {
        bytes += estimateBytes(item.data);
        if (isWanted(item)) events.push(item);
      }
      weight += more;
      from += more;
      reached = found.at(-1)!.position;
    }
  }
  // The log knows no items. If its batch ends with a run, its position lies before the items of that run.
  yield { ...batch, position: laterPosition(batch.position, reached), events };
}

/** Returns some items of an event, at their positions in the feed. */
async function readItems(
  log: EventLog,
  run: RecordedEvent,
  from: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const count = Math.min(limit, itemCountOf(run) - from);
  const { events: found } = await log.readStream(itemStreamOf(run), { from, limit: count });
  // A page ends with its chunk.
  if (found[0]?.revision !== from || found.at(-1)?.revision !== from + found.length - 1)
    failMissing(run, from);
  return found.map((item) => ({ ...item, position: itemPosition(run.position, item.revision) }));
}

/** The chunk of an event's items with the ordinal `from`, without those before it. */
export async function readChunk(
  log: Pick<EventLog, 'readStream'>,
  run: RecordedEvent,
  from: number,
): Promise<ChunkEvent> {
  const [found] = (await log.readStream(itemStreamOf(run), { from, limit: 1, chunks: true })).events;
  if (found === undefined || !isChunk(found)) return failMissing(run, from);
  const { first, count } = found.data;
  const end = Math.min(first + count, itemCountOf(run));
  const position = itemPosition(run.position, end - 1);
  return { ...found, position, data: partOf(found.data, from, end - from) };
}

/** To go on would fold a run with too few results, and nothing would ever correct it. */
function failMissing(run: RecordedEvent, from: number): never {
  throw new Error(`the items of ${run.stream} are not all there: some are missing from ordinal ${from} on`);
}

const ITEM_TYPE = 'ResultSubmitted';
/** The types of the events that items follow. */
const PARENT_TYPES = ['RunCreated', 'ItemsSubmitted'];

function takesItems(filter: EventFilter | undefined): boolean {
  return filter?.types === undefined || filter.types.includes(ITEM_TYPE);
}

function isWithin({ stream }: RecordedEvent, filter: EventFilter | undefined): boolean {
  if (filter?.partitions?.includes(partitionOf(parseStreamName(stream).team)) === false) return false;
  return filter?.streams === undefined || filter.streams.some((prefix) => stream.startsWith(prefix));
}

const everything = categories.map((category) => `${category}-`);

/** Returns the filter for the log. It leaves the items out and keeps each event that items follow. */
function ofLog({ streams = everything, types, partitions }: EventFilter = {}): EventFilter {
  const others = {
    streams: streams.filter((prefix) => !prefix.startsWith('items-')),
    ...(partitions !== undefined && { partitions }),
  };
  if (types === undefined) return others;
  return { ...others, types: types.includes(ITEM_TYPE) ? [...new Set([...types, ...PARENT_TYPES])] : types };
}

function wanted(filter: EventFilter | undefined): (event: RecordedEvent) => boolean {
  const types = filter?.types;
  return types === undefined ? () => true : ({ type }) => types.includes(type);
}
