/**
 * Live feeds: one follower of the log for each team that has readers, shared by all of them. The newest events stay in
 * a buffer for readers who take them a little later.
 */
import type { Position, RecordedEvent } from '../domain/event.js';
import type { Feed } from '../log/feed.js';
import { sleep } from '../concurrency/sleep.js';
import { waitForCallback } from '../concurrency/wait-for-callback.js';
import { teamStreams } from '../domain/teams/team-streams.js';
import { openEventBuffer, type BufferQuery, type RenderedEvents, type SplitText } from './event-buffer.js';

export type LiveFeeds = {
  /** Adds a reader to the feed of a team. */
  join(team: string): LiveFeed;
  /** The text of one event, as the feeds render it. */
  render: RenderEvent;
};

export type RenderEvent = (event: RecordedEvent) => SplitText;

export type LiveFeed = {
  /**
   * The events after a position, as many as are sent at once. Null where the feed does not hold all of them.
   * @throws what the log failed with
   */
  read(query: BufferQuery): RenderedEvents | null;
  /** Begins to follow the log after a position, unless it has begun. Returns whether the feed holds all after it. */
  begin(after: Position): boolean;
  /** Changes whenever events come. */
  count(): number;
  /** Waits for events after the `seen` count. False after `withinMs`; true at the abort. */
  wait(seen: number, withinMs: number, signal: AbortSignal): Promise<boolean>;
  /** Removes a reader. The last one ends the feed. */
  leave(): void;
};

/** Events of this time are sent together: one by one, fifty readers would cost fifty writes an event. */
const GATHER_MS = 200;
/** Readers that are woken at the same time: requests must not wait for all of them. */
const WOKEN_AT_ONCE = 2;

/** Few, because the events are parsed on the thread that answers requests. */
const EVENTS_PER_READ = 250;

type SharedFeed = LiveFeed & { addReader(): void };

export function openLiveFeeds(feed: Feed, render: RenderEvent): LiveFeeds {
  const feeds = new Map<string, SharedFeed>();
  return {
    render,
    join(team) {
      // A feed that failed takes no more readers, and may have a successor already.
      const ended = () => feeds.get(team) === joined && feeds.delete(team);
      const joined: SharedFeed = feeds.get(team) ?? openLiveFeed(feed, team, render, () => ended());
      feeds.set(team, joined);
      joined.addReader();
      return joined;
    },
  };
}

function openLiveFeed(feed: Feed, team: string, render: RenderEvent, ended: () => void): SharedFeed {
  const buffer = openEventBuffer(render);
  const stop = new AbortController();
  const waiting = new Set<() => void>();
  let count = 0;
  let readers = 0;
  let fault: { error: unknown } | null = null;

  /** Wakes a few at a time, over `withinMs`: woken together, each would wait until all the others have their events. */
  async function wakeReaders(withinMs: number): Promise<void> {
    const woken = [...waiting];
    waiting.clear();
    const pauseMs = withinMs / Math.max(1, Math.ceil(woken.length / WOKEN_AT_ONCE));
    for (let at = 0; at < Math.max(1, woken.length); at += WOKEN_AT_ONCE) {
      for (const wake of woken.slice(at, at + WOKEN_AT_ONCE)) wake();
      await sleep(pauseMs, stop.signal);
    }
  }

  async function follow(after: Position): Promise<void> {
    const { signal } = stop;
    try {
      const filter = { streams: teamStreams(team) };
      for await (const batch of feed.follow({ after, limit: EVENTS_PER_READ, filter, signal })) {
        buffer.add(batch);
        // Events of other teams move the position only: no reader is woken for them.
        if (batch.events.length === 0) continue;
        count += 1;
        await wakeReaders(batch.caughtUp ? GATHER_MS : 0);
      }
    } catch (error) {
      if (signal.aborted) return;
      // Every reader gets the fault: its connection ends, and its client comes back to where it was.
      fault = { error };
      ended();
      for (const wake of waiting) wake();
    }
  }

  return {
    addReader: () => void (readers += 1),
    read(query) {
      if (fault !== null) throw fault.error;
      return buffer.read(query);
    },
    begin(after) {
      if (!buffer.hasBegun()) {
        buffer.begin(after);
        void follow(after);
      }
      return buffer.covers(after);
    },
    count: () => count,
    async wait(seen, withinMs, signal) {
      if (count !== seen || fault !== null) return true;
      const subscribe = (wake: () => void) => {
        waiting.add(wake);
        return () => waiting.delete(wake);
      };
      return (await waitForCallback(subscribe, { withinMs, signal })) !== 'timeout';
    },
    leave() {
      readers -= 1;
      if (readers > 0) return;
      stop.abort();
      ended();
    },
  };
}
