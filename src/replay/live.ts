/**
 * What happens in a team, read and written as text once for all who follow it live. One follower of the log for each
 * team that somebody follows; the newest events are kept a while for those who take them a little later.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { later, type Position, type RecordedEvent } from '../domain/event.js';
import type { Feed } from '../log/feed.js';
import type { Batch } from '../ports/event-log.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import { teamStreams } from '../domain/team-streams.js';
import { READ_AT_ONCE } from './page.js';

export type LiveTeams = {
  /** For one reader. `rendering` names what `render` does. */
  join(team: string, rendering: string, render: (event: RecordedEvent) => string): LiveTeam;
};

export type LiveTeam = {
  /**
   * What came after a position, as much as is sent at once; null where not all of that is kept.
   * @throws what the log failed with
   */
  read(options: { after: Position; limit: number; key: string; shown: Shown }): RecentChunk | null;
  /** Begins to follow after a position, unless it has begun; answers whether what came after it is kept. */
  begin(after: Position): boolean;
  /** Changes with whatever comes. */
  count(): number;
  /** Waits for what comes after the `seen` count; false when it has waited so long, or until the abort. */
  next(seen: number, withinMs: number, signal: AbortSignal): Promise<boolean>;
  /** The last one ends the following. */
  leave(): void;
};

type Shown = (event: RecordedEvent) => boolean;

/** `text` is shared: of all who stand at one position and are shown the same. */
export type RecentChunk = { text: Buffer; position: Position; count: number };

/** Events come together for so long: fifty readers would cost fifty writes for each event. */
const GATHER_MS = 200;
/** Of what is kept, roughly. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_EVENTS = 5_000;
/** What is sent at once, in characters. A slow reader holds no more than this. */
const SENT_AT_ONCE = 128 * 1024;
/** Shared texts that are kept until the next events come. */
const MOST_TEXTS = 32;
/** Readers that are woken at once: requests must not wait for all of them. */
const WOKEN_AT_ONCE = 2;

type Followed = LiveTeam & { joined(): void };

type Entry = { event: RecordedEvent; text: string | null; size: number };

export function openLiveTeams(feed: Feed): LiveTeams {
  const teams = new Map<string, Followed>();
  return {
    join(team, rendering, render) {
      const key = JSON.stringify([team, rendering]);
      // One that has failed is not joined any more, and may have a successor.
      const ended = () => teams.get(key) === joined && teams.delete(key);
      const joined: Followed = teams.get(key) ?? followTeam(feed, team, render, () => ended());
      teams.set(key, joined);
      joined.joined();
      return joined;
    },
  };
}

function followTeam(
  feed: Feed,
  team: string,
  render: (event: RecordedEvent) => string,
  ended: () => void,
): Followed {
  let entries: Entry[] = [];
  let bytes = 0;
  /** All that came after it is kept; null before the following has begun. */
  let floor: Position | null = null;
  let reached: Position = '';
  let count = 0;
  let readers = 0;
  let fault: { error: unknown } | null = null;
  const stop = new AbortController();
  const waiting = new Set<() => void>();
  const texts = new Map<string, RecentChunk>();

  function add({ events, position }: Batch): void {
    for (const event of events) {
      const size = estimateBytes(event.data);
      entries.push({ event, text: null, size });
      bytes += size;
    }
    let dropped = 0;
    while (entries.length - dropped > MOST_EVENTS || bytes > MOST_BYTES) {
      const { event, size } = entries[dropped]!;
      bytes -= size;
      floor = event.position;
      dropped += 1;
    }
    if (dropped > 0) entries = entries.slice(dropped);
    reached = position;
    texts.clear();
  }

  /** A few at a time, spread over so long: all at once, each of them would have to wait for what the others are sent. */
  async function wakeAll(withinMs: number): Promise<void> {
    const woken = [...waiting];
    waiting.clear();
    const each = withinMs / Math.max(1, Math.ceil(woken.length / WOKEN_AT_ONCE));
    for (let at = 0; at < Math.max(1, woken.length); at += WOKEN_AT_ONCE) {
      for (const wake of woken.slice(at, at + WOKEN_AT_ONCE)) wake();
      await pause(each, undefined, { signal: stop.signal, ref: false });
    }
  }

  async function follow(after: Position): Promise<void> {
    const { signal } = stop;
    try {
      const filter = { streams: teamStreams(team) };
      for await (const batch of feed.follow({ after, limit: READ_AT_ONCE, filter, signal })) {
        add(batch);
        // Other teams' events wake nobody.
        if (batch.events.length === 0) continue;
        count += 1;
        await wakeAll(batch.caughtUp ? GATHER_MS : 0);
      }
    } catch (error) {
      if (signal.aborted) return;
      // Told to each reader: his connection ends, and he comes back to where he was.
      fault = { error };
      ended();
      for (const wake of waiting) wake();
    }
  }

  function indexAfter(position: Position): number {
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (entries[middle]!.event.position > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function textFrom(after: Position, limit: number, shown: Shown): RecentChunk {
    const parts: string[] = [];
    let position = later(reached, after);
    let length = 0;
    for (let index = indexAfter(after); index < entries.length; index += 1) {
      const entry = entries[index]!;
      if (!shown(entry.event)) continue;
      entry.text ??= render(entry.event);
      parts.push(entry.text);
      length += entry.text.length;
      if (parts.length < limit && length < SENT_AT_ONCE) continue;
      position = entry.event.position;
      break;
    }
    return { text: Buffer.from(parts.join('')), position, count: parts.length };
  }

  return {
    joined: () => void (readers += 1),
    read({ after, limit, key, shown }) {
      if (fault !== null) throw fault.error;
      if (floor === null || after < floor) return null;
      const name = `${after} ${limit} ${key}`;
      const known = texts.get(name) ?? textFrom(after, limit, shown);
      // Those who fall behind stand at a position each.
      if (texts.size >= MOST_TEXTS) texts.clear();
      texts.set(name, known);
      return known;
    },
    begin(after) {
      if (floor === null) {
        floor = reached = after;
        void follow(after);
      }
      return after >= floor;
    },
    count: () => count,
    next(seen, withinMs, signal) {
      if (count !== seen || signal.aborted || fault !== null) return Promise.resolve(true);
      return new Promise((resolve) => {
        const timer = setTimeout(() => done(false), withinMs);
        const woken = () => done(true);
        waiting.add(woken);
        signal.addEventListener('abort', woken);

        function done(news: boolean): void {
          clearTimeout(timer);
          waiting.delete(woken);
          signal.removeEventListener('abort', woken);
          resolve(news);
        }
      });
    },
    leave() {
      readers -= 1;
      if (readers > 0) return;
      stop.abort();
      ended();
    },
  };
}
