/**
 * What the writing process knows without asking the file: it alone appends and it hears of every commit, so the head
 * of a team and the end of a stream can be remembered. Each GET asks for the first, each write for the second.
 */
import { LRUCache } from 'lru-cache';
import type { EventLog } from '../../../ports/event-log.js';
import { parseStreamName, type Position } from '../../../domain/event.js';
import { isLedgerError } from '../../../errors.js';

const MOST_TEAMS = 10_000;
const MOST_STREAMS = 20_000;
const ALL = '';

/** Puts the memory before a log that nobody else appends to. */
export function withCache(log: EventLog): EventLog {
  const heads = new LRUCache<string, Position>({ max: MOST_TEAMS });
  const tails = new LRUCache<string, number>({ max: MOST_STREAMS });

  // A repeat is answered as the first time, with a position long past: what is known never goes back.
  const raise = (team: string, position: Position) => {
    const known = heads.get(team);
    if (known !== undefined && known < position) heads.set(team, position);
  };

  return {
    ...log,
    async append(stream, expected, events) {
      try {
        const appended = await log.append(stream, expected, events);
        raise(ALL, appended.position);
        raise(parseStreamName(stream).team, appended.position);
        tails.set(stream, Math.max(tails.get(stream) ?? -1, appended.revision));
        return appended;
      } catch (error) {
        tails.delete(stream);
        // Something may have been written all the same: ask the file again.
        if (isLedgerError(error, 'log_unavailable')) heads.clear();
        throw error;
      }
    },
    async readStream(stream, options = {}) {
      const { from = 0, direction = 'forwards', limit = 1_000 } = options;
      if (direction === 'backwards') return log.readStream(stream, options);
      const tail = tails.get(stream);
      if (tail !== undefined && from > tail) return [];
      const events = await log.readStream(stream, options);
      if (events.length < limit) {
        tails.set(stream, Math.max(tails.get(stream) ?? -1, from + events.length - 1));
      }
      return events;
    },
    async head(team = ALL) {
      const known = heads.get(team);
      if (known !== undefined) return known;
      const head = await log.head(team === ALL ? undefined : team);
      heads.set(team, head);
      return head;
    },
  };
}
