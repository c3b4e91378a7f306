/** A stream of a team's events as text, from a position on: to the end of the log, or on to live events. */
import type { Position, RecordedEvent } from '../domain/event.js';
import type { Feed } from '../log/feed.js';
import { sleep } from '../concurrency/sleep.js';
import type { RenderedEvents } from './event-buffer.js';
import type { LiveFeeds } from './live-feed.js';
import { EVENTS_PER_READ } from './page.js';
import { feedFilterOf, isVisible, scopeKeyOf, type ReplayScope } from './scope.js';

/** Some events as text. The text is empty where the reader sees none of the events up to `position`. */
export type ReplayChunk = RenderedEvents & { caughtUp: boolean };

export type ReadOptions = {
  /** A position of the log. */
  after: Position;
  /** The highest number of events. */
  limit?: number;
  /** Makes the text of one event. */
  render: (event: RecordedEvent) => string;
  /** Ends the iteration, without an error. */
  signal: AbortSignal;
};

const NOTHING = Buffer.alloc(0);

/** Yields the events up to the end of the log. Reads the next chunk when the last one was taken. */
export async function* readToEnd(
  feed: Feed,
  scope: ReplayScope,
  { after, limit = Infinity, render, signal }: ReadOptions,
): AsyncGenerator<ReplayChunk, void> {
  let left = limit;
  const options = { after, limit: EVENTS_PER_READ, filter: feedFilterOf(scope), signal };
  for await (const batch of feed.follow(options)) {
    const visible = batch.events.filter((event) => isVisible(scope, event)).slice(0, left);
    left -= visible.length;
    const position = left === 0 ? visible.at(-1)!.position : batch.position;
    const text = visible.length === 0 ? NOTHING : Buffer.from(visible.map(render).join(''));
    yield { text, count: visible.length, position, caughtUp: batch.caughtUp };
    if (batch.caughtUp || left === 0) return;
  }
}

export type LiveOptions = ReadOptions & {
  /** Names what `render` does: readers with the same name share the texts. */
  rendering: string;
  /** After this long without events, a chunk without text says how far the log was read. */
  progressEveryMs: number;
};

/** Yields the events of the log, and then live events. A reader who falls behind the live feed reads the log again. */
export async function* followLive(
  feed: Feed,
  feeds: LiveFeeds,
  scope: ReplayScope,
  { limit = Infinity, rendering, progressEveryMs, ...options }: LiveOptions,
): AsyncGenerator<ReplayChunk, void> {
  const { signal, render } = options;
  const query = {
    scopeKey: scopeKeyOf(scope),
    isVisible: (event: RecordedEvent) => isVisible(scope, event),
  };
  const live = feeds.join(scope.team, rendering, render);
  let position = options.after;
  let left = limit;
  try {
    while (!signal.aborted) {
      const seen = live.count();
      const buffered = live.read({ after: position, limit: left, ...query });
      if (buffered === null) {
        for await (const chunk of readToEnd(feed, scope, { ...options, after: position, limit: left })) {
          position = chunk.position;
          left -= chunk.count;
          yield chunk;
          if (left === 0) return;
        }
        // The log may end before what the buffer holds: without a pause, this loop would read it again and again.
        if (!live.begin(position)) await sleep(RETRY_MS, signal);
      } else if (buffered.position > position) {
        position = buffered.position;
        left -= buffered.count;
        yield { ...buffered, caughtUp: false };
        if (left === 0) return;
      } else if (!(await live.wait(seen, progressEveryMs, signal))) {
        yield { text: NOTHING, count: 0, position, caughtUp: true };
      }
    }
  } finally {
    live.leave();
  }
}

const RETRY_MS = 100;
