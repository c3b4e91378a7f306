/**
 * The feed: the log as every consumer reads it. Items of bulk submissions are passed over where they lie and come
 * right after the `RunCreated` that makes them true: nobody sees a submission that never took effect.
 */
import { setImmediate } from 'node:timers/promises';
import {
  categories,
  itemPosition,
  later,
  logPosition,
  ordinalAt,
  parseStreamName,
  START,
  streamName,
  type Position,
  type RecordedEvent,
} from '../domain/event.js';
import { itemCountOf } from './streams.js';
import type { Batch, EventFilter, EventLog, FollowOptions, ReadAllOptions } from '../ports/event-log.js';
import { estimateBytes } from '../memory/estimate-bytes.js';

export type Feed = {
  /** One page after a position. `position` covers what was looked at. */
  read(options: Omit<ReadAllOptions, 'inclusive'>): Promise<Batch>;
  /** Position of the newest event. */
  head(): Promise<Position>;
  /** Everything after a position, then live, one batch at a time. */
  follow(options: FollowOptions): AsyncIterable<Batch>;
};

/** Items that are read at once: each may have metadata of 64 KiB. */
const ITEMS_READ = 250;
/** Roughly, of a page's items: a number of events bounds nothing. */
const ITEMS_BYTES = 4 * 1024 * 1024;

export function openFeed(log: EventLog): Feed {
  /**
   * What is left of the submission in the middle of which a position lies, or before the first item of which: whoever
   * goes on after the position of a `RunCreated` has none of them. Nothing where it lies in none.
   */
  async function* restOf({ after, limit, filter }: Reading): AsyncGenerator<Batch, void> {
    const ordinal = ordinalAt(after);
    // Whoever takes no items goes on after the run: what is left of them would be read only to be dropped.
    if (after === START || !takesItems(filter)) return;
    const at = logPosition(after);
    const [run] = (await log.readAll({ after: at, inclusive: true, limit: 1 })).events;
    const from = (ordinal ?? -1) + 1;
    // The log was read without the filter: a page may end at an event of another team.
    if (run?.position !== at || itemCountOf(run) <= from || !ofStreams(run, filter)) return;
    const batch = { events: [run], position: at, caughtUp: false };
    yield* withItems(log, batch, { limit, filter, after, from });
  }

  return {
    async read({ after, limit = 1_000, filter }) {
      for await (const rest of restOf({ after, limit, filter })) return rest;
      const batch = await log.readAll({ after: logPosition(after), limit, filter: ofLog(filter) });
      for await (const first of withItems(log, batch, { limit, filter, after })) return first;
      return batch;
    },
    head: () => log.head(),
    async *follow({ after, filter, limit = 2_000, signal }) {
      let reached = after;
      const options = { after: logPosition(after), limit, signal, filter: ofLog(filter) };
      const all = async function* () {
        yield* restOf({ after, limit, filter });
        for await (const batch of log.follow(options)) {
          yield* withItems(log, batch, { limit, filter, after: reached });
        }
      };
      for await (const batch of all()) {
        reached = batch.position;
        if (signal.aborted) return;
        yield batch;
        // A log in a file is read on this thread: without a turn between them, a large submission would stop all else
        // on it, and the thread could not even be told to end.
        if (!batch.caughtUp) await setImmediate();
      }
    },
  };
}

type Reading = { after: Position; limit: number; filter: EventFilter | undefined };

/**
 * A batch of the log, in batches of at most `limit` events with the items in their places. `from`: of the first event
 * only the items from this ordinal on.
 */
async function* withItems(
  log: EventLog,
  batch: Batch,
  { after, limit, filter, from: first }: Reading & { from?: number },
): AsyncGenerator<Batch, void> {
  const isWanted = wanted(filter);
  const items = takesItems(filter);
  const events: RecordedEvent[] = [];
  let reached = after;
  let bytes = 0;
  const full = () => events.length >= limit || bytes >= ITEMS_BYTES;
  const page = (): Batch => {
    bytes = 0;
    return { events: events.splice(0), position: reached, caughtUp: false };
  };
  for (const [n, event] of batch.events.entries()) {
    const rest = n === 0 ? first : undefined;
    if (rest === undefined) {
      if (full()) yield page();
      if (isWanted(event)) events.push(event);
      reached = event.position;
    }
    const count = items ? itemCountOf(event) : 0;
    for (let from = rest ?? 0; from < count;) {
      if (full()) yield page();
      const found = await readItems(log, event, from, limit - events.length);
      for (const item of found) {
        bytes += estimateBytes(item.data);
        if (isWanted(item)) events.push(item);
      }
      from += found.length;
      reached = found.at(-1)!.position;
    }
  }
  // The log knows nothing of items: its own position of a run that it ends with lies before them.
  yield { ...batch, position: later(batch.position, reached), events };
}

/** Some of a run's items, at the positions that they have in the feed. */
async function readItems(
  log: EventLog,
  run: RecordedEvent,
  from: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const { team, id } = parseStreamName(run.stream);
  const count = Math.min(limit, ITEMS_READ, itemCountOf(run) - from);
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

function ofStreams({ stream }: RecordedEvent, filter: EventFilter | undefined): boolean {
  return filter?.streams === undefined || filter.streams.some((prefix) => stream.startsWith(prefix));
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
