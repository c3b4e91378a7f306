/** Pages of the whole log, through a filter. */
import type { Batch, EventFilter } from '../../../ports/event-log.js';
import type { Position } from '../../../domain/event.js';
import { planPage, type PagePlan } from './filter.js';
import { toNumber, toPosition } from './position.js';
import { toEvent, type Row } from './row.js';
import type { SqliteDatabase } from '../database.js';

/** One page after a position. */
export type ReadPage = (after: Position, limit: number, inclusive?: boolean) => Batch;

/** Filters whose statements are kept. Clients choose filters, so there is no end of them. */
const KEPT = 50;

const CHUNK = 250;
/** Text of a page at which it ends: 2,000 events with the largest metadata would be 120 MiB. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Answers the reader of the pages of a filter, prepared once. `headNumber` reads the newest position. */
export function pageReaders(
  database: SqliteDatabase,
  headNumber: () => number,
): (filter: EventFilter | undefined) => ReadPage {
  const kept = new Map<string, ReadPage>();
  return (filter) => {
    const key = JSON.stringify(filter ?? null);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const plan = planPage(filter);
    const made = plan === null ? emptyPages(headNumber) : pages(database, headNumber, plan);
    const [oldest] = kept.keys();
    if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, made);
    return made;
  };
}

function pages(database: SqliteDatabase, headNumber: () => number, plan: PagePlan): ReadPage {
  const page = database.prepare(plan.page).raw();
  const reach = plan.reach.by === 'rows' ? database.prepare(plan.reach.query).raw() : null;

  return (after, atMost, inclusive = false) => {
    const limit = Math.min(atMost, plan.look);
    const start = Math.max(0, toNumber(after) - (inclusive ? 1 : 0));
    // Read before the rows, and none after it is looked at: an event that comes in between is the next page's.
    const newest = Math.max(start, headNumber());
    const last = plan.reach.by === 'range' ? Math.min(newest, start + plan.look) : newest;
    const rows: Row[] = [];
    let from = start;
    // In chunks, so that a page of large events is cut short before it is in memory.
    for (let bytes = 0; rows.length < limit && bytes < PAGE_BYTES;) {
      const chunk = Math.min(CHUNK, limit - rows.length);
      const found = page.all([from, last, chunk, ...plan.values]) as Row[];
      rows.push(...found);
      if (found.length < chunk) {
        const covered = lookedUpTo(from, last);
        return { events: rows.map(toEvent), position: toPosition(covered), caughtUp: covered === newest };
      }
      from = found.at(-1)![0];
      bytes += found.reduce((sum, [, , , , , , meta, data]) => sum + meta.length + data.length, 0);
    }
    return { events: rows.map(toEvent), position: toPosition(from), caughtUp: from === newest };
  };

  function lookedUpTo(start: number, last: number): number {
    if (reach === null) return last;
    const [position, rows] = reach.get([start, last, 0, ...plan.values]) as [number | null, number];
    return position === null || rows < plan.look ? last : position;
  }
}

function emptyPages(headNumber: () => number): ReadPage {
  return (after) => {
    const position = toPosition(Math.max(toNumber(after), headNumber()));
    return { events: [], position, caughtUp: true };
  };
}
