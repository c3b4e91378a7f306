/** A cache in front of the log: the head of a team, which every GET asks for, and the end of a stream, which every write asks for. */
import type { LRUCache } from 'lru-cache';
import { parseStreamName, type Position, type StreamName } from '../../../domain/event.js';
import { recentlyUsed } from '../../../memory/recently-used.js';
import type { EventLog } from '../../../ports/event-log.js';
import { rowOfPosition } from './file.js';
import type { Watermark, Watermarks } from './watermarks.js';

/** How many teams and streams the cache holds. */
const MOST_TEAMS = 10_000;
const MOST_STREAMS = 20_000;

/** What is known of a team or a stream while its watermark is `asOf`. */
type Known<T> = { value: T; asOf: Watermark };

/**
 * The head of all teams is read from the file each time: a follower reads an event when it is committed, which is before
 * its append is answered, and a position that a reader was given must not lie after the head.
 */
export function cachedLog(log: EventLog, watermarks: Pick<Watermarks, 'of'>): EventLog {
  const heads = recentlyUsed<string, Known<Position>>(MOST_TEAMS);
  const tails = recentlyUsed<StreamName, Known<number>>(MOST_STREAMS);

  function current<T>(cache: LRUCache<string, Known<T>>, name: string): T | undefined {
    const known = cache.get(name);
    return known !== undefined && watermarks.of(name) === known.asOf ? known.value : undefined;
  }

  /** Only what was asked for before: most streams are written once, and would drive the others out of the cache. */
  function raise<T extends Position | number>(
    cache: LRUCache<string, Known<T>>,
    name: string,
    value: T,
    asOf: Watermark,
  ): void {
    const known = cache.get(name);
    if (known !== undefined && known.value < value) cache.set(name, { value, asOf });
  }

  return {
    ...log,
    async append(stream, expected, events) {
      try {
        const appended = await log.append(stream, expected, events);
        const row = rowOfPosition(appended.position);
        raise(heads, parseStreamName(stream).team, appended.position, row);
        raise(tails, stream, appended.revision, row);
        return appended;
      } catch (error) {
        tails.delete(stream);
        throw error;
      }
    },
    async readStream(stream, options = {}) {
      const { from = 0, direction = 'forwards' } = options;
      if (direction === 'backwards') return log.readStream(stream, options);
      const tail = current(tails, stream);
      if (tail !== undefined && from > tail) return { events: [], isEnd: true };
      // Before the read: what is appended from now on may be missing in it.
      const asOf = watermarks.of(stream);
      const page = await log.readStream(stream, options);
      if (page.isEnd) tails.set(stream, { value: from + page.events.length - 1, asOf });
      return page;
    },
    lastRevision: (stream) => current(tails, stream),
    async head(team) {
      if (team === undefined) return log.head();
      const known = current(heads, team);
      if (known !== undefined) return known;
      const asOf = watermarks.of(team);
      const head = await log.head(team);
      heads.set(team, { value: head, asOf });
      return head;
    },
  };
}
