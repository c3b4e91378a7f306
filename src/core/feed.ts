/**
 * The feed: the log as every consumer reads it. Items of bulk submissions are passed over where they lie and come
 * right after the `RunCreated` that makes them true: nobody sees a submission that never took effect.
 */
import {
  categories,
  itemPosition,
  logPosition,
  ordinalAt,
  parseStreamName,
  streamName,
  type Position,
  type RecordedEvent,
} from '../domain/event.js';
import { itemsOf } from './birth.js';
import type { Batch, EventFilter, EventLog, FollowOptions, ReadAllOptions } from './ports.js';

export type Feed = {
  /** One page after a position. `position` covers what was looked at. */
  read(options: Omit<ReadAllOptions, 'inclusive'>): Promise<Batch>;
  /** Position of the newest event. */
  head(): Promise<Position>;
  /** Everything after a position, then live, one batch at a time. */
  follow(options: FollowOptions): AsyncIterable<Batch>;
};

/** Items that are read at once: each may have metadata of 64 KiB. */
const ITEMS_PAGE = 500;

export function openFeed(log: EventLog): Feed {
  /** What is left of the submission in the middle of which a position lies; null where it lies in none. */
  async function restOf(after: Position, limit: number, filter?: EventFilter): Promise<Batch | null> {
    const ordinal = ordinalAt(after);
    if (ordinal === null) return null;
    const { events } = await log.readAll({ after: logPosition(after), inclusive: true, limit: 1 });
    const [run] = events;
    if (run === undefined || itemsOf(run) <= ordinal + 1) return null;
    const items = await readItems(log, run, ordinal + 1, limit);
    return { events: items.filter(wanted(filter)), position: items.at(-1)!.position, caughtUp: false };
  }

  return {
    async read({ after, limit = 1_000, filter }) {
      const rest = await restOf(after, limit, filter);
      if (rest !== null) return rest;
      const options = { after: logPosition(after), limit, filter: ofLog(filter) };
      const batch = await log.readAll(options);
      for await (const first of withItems(log, batch, limit, filter)) return first;
      return batch;
    },
    head: () => log.head(),
    async *follow({ after, filter, limit = 2_000, signal }) {
      for (let from = after; !signal.aborted;) {
        const rest = await restOf(from, limit, filter);
        if (rest === null) break;
        yield rest;
        from = rest.position;
      }
      const options = {
        after: logPosition(after),
        limit,
        signal,
        filter: ofLog(filter),
      };
      for await (const batch of log.follow(options)) {
        for await (const each of withItems(log, batch, limit, filter)) {
          yield each;
          if (signal.aborted) return;
        }
      }
    },
  };
}

/** A batch of the log, in batches of at most `limit` events with the items in their places. */
async function* withItems(
  log: EventLog,
  batch: Batch,
  limit: number,
  filter: EventFilter | undefined,
): AsyncGenerator<Batch, void> {
  const isWanted = wanted(filter);
  const items = takesItems(filter);
  let events: RecordedEvent[] = [];
  for (const event of batch.events) {
    if (isWanted(event)) events.push(event);
    const count = items ? itemsOf(event) : 0;
    for (let from = 0; from < count;) {
      const page = await readItems(log, event, from, Math.max(1, limit - events.length));
      from += page.length;
      for (const item of page) if (isWanted(item)) events.push(item);
      if (events.length < limit) continue;
      yield { events, position: page.at(-1)!.position, caughtUp: false };
      events = [];
    }
  }
  yield { ...batch, events };
}

/** Some of a run's items, at the positions that they have in the feed. */
async function readItems(
  log: EventLog,
  run: RecordedEvent,
  from: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const { team, id } = parseStreamName(run.stream);
  const count = Math.min(limit, ITEMS_PAGE, itemsOf(run) - from);
  const found = await log.readStream(streamName('items', team, id), { from, limit: count });
  // Whoever went on would fold a run with fewer results than it has, for ever.
  if (found.length !== count || found[0]?.revision !== from) {
    throw new Error(`the items of ${run.stream} are not all there, from ${from} on`);
  }
  return found.map((item) => ({ ...item, position: itemPosition(run.position, item.revision) }));
}

const ITEM_TYPE = 'ResultSubmitted';

function takesItems(filter: EventFilter | undefined): boolean {
  return filter?.types === undefined || filter.types.includes(ITEM_TYPE);
}

const everything = categories.map((category) => `${category}-`);

/** What to ask the log for. Items are left out where they lie, and come with their run, which is needed for them. */
function ofLog({ streams = everything, types }: EventFilter = {}): EventFilter {
  const others = { streams: streams.filter((prefix) => !prefix.startsWith('items-')) };
  if (types === undefined) return others;
  return { ...others, types: types.includes(ITEM_TYPE) ? [...new Set([...types, 'RunCreated'])] : types };
}

function wanted(filter: EventFilter | undefined): (event: RecordedEvent) => boolean {
  const types = filter?.types;
  return types === undefined ? () => true : ({ type }) => types.includes(type);
}
