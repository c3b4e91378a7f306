/** Reads of streams, page by page, and of the event with which a result of a bulk submission began. */
import { setImmediate } from 'node:timers/promises';
import type { LRUCache } from 'lru-cache';
import {
  parseStreamName,
  streamName,
  type Position,
  type RecordedEvent,
  type StreamName,
} from '../domain/event.js';
import type { EventData } from '../domain/events.js';
import { bulkOriginOf } from '../domain/ids.js';
import { recentlyUsed } from '../memory/recently-used.js';
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
  limit = PAGE,
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

/** Takes the same pages, without a generator: it costs less where most reads find nothing new. */
export async function forEachPage(
  log: StreamReader,
  stream: StreamName,
  from: number,
  take: (events: readonly RecordedEvent[]) => void,
): Promise<void> {
  const { events, isEnd } = await log.readStream(stream, { from, limit: PAGE });
  if (events.length > 0) take(events);
  if (isEnd || events.length === 0) return;
  await setImmediate();
  for await (const more of streamPages(log, stream, events.at(-1)!.revision + 1)) take(more);
}

const PAGE = 1_000;

/**
 * The event with which a submitted result began: an item of an `items-` stream. Later events of the result are in its
 * own stream. Null for any other stream. An item exists only if the stream of its run says so.
 */
export async function readBulkOrigin(log: StreamReader, stream: StreamName): Promise<RecordedEvent | null> {
  return (await readBulkBeginning(log, stream))?.origin ?? null;
}

/** `since`: the position of the event that made the item exist. All events of the result's own stream come after it. */
export type BulkBeginning = { origin: RecordedEvent; since: Position };

/** The same with the position since which the result exists. */
export async function readBulkBeginning(
  log: StreamReader,
  stream: StreamName,
): Promise<BulkBeginning | null> {
  if (!stream.startsWith('result-')) return null;
  const { team, id } = parseStreamName(stream);
  const place = bulkOriginOf(id);
  if (place === null) return null;
  const { submission_id, ordinal } = place;
  const counting = countingIn(log);
  const key = countingKey(team, submission_id);
  if (!counting.has(key)) {
    // A run without a key has the id of its submission.
    const [first] = (await log.readStream(streamName('run', team, submission_id), { limit: 1 })).events;
    if (first !== undefined) counting.set(key, { items: itemCountOf(first), since: first.position });
  }
  const known = counting.get(key);
  if (known !== undefined && ordinal >= known.items) return null;
  const origin = await readItem(log, team, submission_id, ordinal);
  if (origin === null) return null;
  const { items, since } = known ?? (await submissionOf(log, origin, submission_id)) ?? NOTHING;
  return origin.revision < items ? { origin, since } : null;
}

async function readItem(
  log: StreamReader,
  team: string,
  submission: string,
  ordinal: number,
): Promise<RecordedEvent | null> {
  const stream = streamName('items', team, submission);
  const [item] = (await log.readStream(stream, { from: ordinal, limit: 1 })).events;
  return item?.revision === ordinal ? item : null;
}

type Submission = { items: number; since: Position };

const NOTHING: Submission = { items: 0, since: '' };

/** What the run of an item says of its submission. All submissions of the run become known at once. */
async function submissionOf(
  log: StreamReader,
  item: RecordedEvent,
  submission: string,
): Promise<Submission | undefined> {
  const { team } = parseStreamName(item.stream);
  const counting = countingIn(log);
  const { run_id } = item.data as EventData['ResultSubmitted'];
  let found: Submission | undefined;
  for await (const events of streamPages(log, streamName('run', team, run_id))) {
    for (const event of events) {
      if (event.type !== 'ItemsSubmitted') continue;
      const { submission_id, items } = event.data as EventData['ItemsSubmitted'];
      const submitted = { items, since: event.position };
      counting.set(countingKey(team, submission_id), submitted);
      if (submission_id === submission) found = submitted;
    }
  }
  return found;
}

/**
 * By team and submission: the submissions that count, for each log. Without it, every look at an item would read the
 * first event of its run, or the whole stream of a run with a thousand shards.
 */
const counting = new WeakMap<StreamReader, LRUCache<string, Submission>>();
const MOST_COUNTING = 10_000;

function countingIn(log: StreamReader): LRUCache<string, Submission> {
  let known = counting.get(log);
  if (known === undefined) counting.set(log, (known = recentlyUsed(MOST_COUNTING)));
  return known;
}

function countingKey(team: string, submission: string): string {
  return `${team}.${submission}`;
}

/** The number of results that come right after an event in the feed: 0 for most. */
export function itemCountOf({ type, data }: RecordedEvent): number {
  if (type === 'RunCreated') return (data as EventData['RunCreated']).items;
  return type === 'ItemsSubmitted' ? (data as EventData['ItemsSubmitted']).items : 0;
}

/** The stream of these results. */
export function itemStreamOf({ type, data, stream }: RecordedEvent): StreamName {
  const { team, id } = parseStreamName(stream);
  const submission = type === 'ItemsSubmitted' ? (data as EventData['ItemsSubmitted']).submission_id : id;
  return streamName('items', team, submission);
}
