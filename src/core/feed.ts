/**
 * The feed: the log as every consumer reads it. Streams of bulk items (`items-`) are passed over where they lie:
 * an item exists only once its run says so, and the feed will yield it right after that `RunCreated`.
 */
import type { Position, RecordedEvent } from '../domain/event.js';
import type { Batch, EventLog, FollowOptions, ReadAllOptions } from './ports.js';

export type Feed = {
  /** One page after a position. `position` covers what was looked at. */
  read(options: ReadAllOptions): Promise<Batch>;
  /** Position of the newest event. */
  head(): Promise<Position>;
  /** Everything after a position, then live, one batch at a time. */
  follow(options: FollowOptions): AsyncIterable<Batch>;
};

export function openFeed(log: EventLog): Feed {
  return {
    read: async (options) => withoutLoose(await log.readAll(options)),
    head: () => log.head(),
    async *follow(options) {
      for await (const batch of log.follow(options)) yield withoutLoose(batch);
    },
  };
}

function withoutLoose(batch: Batch): Batch {
  return batch.events.some(isItem)
    ? { ...batch, events: batch.events.filter((event) => !isItem(event)) }
    : batch;
}

function isItem(event: RecordedEvent): boolean {
  return event.stream.startsWith('items-');
}
