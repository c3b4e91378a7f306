/**
 * Reads of the SQLite log. They run on the calling thread, because a look-up costs less than a message to another
 * thread.
 */
import {
  STREAM_PAGE_BYTES,
  type Batch,
  type EventFilter,
  type ReadStreamOptions,
  type StreamPage,
} from '../../../ports/event-log.js';
import { type Position, START, type StreamName } from '../../../domain/event.js';
import { AppError } from '../../../errors.js';
import { EVENT_ROW_OR_POSITION, prepareRows, type EventRow } from './event-rows.js';
import { rowOfPosition, positionOfRow } from './file.js';
import { jsonList, listIn } from '../json-list.js';
import { MARK } from './deltas.js';
import { eventReader, type EventReader } from './rows.js';
import { storedNames } from './stream-names.js';
import { type SqliteDatabase, isCorrupt, sqliteCode } from '../database.js';
import { type PagePlan, planPage } from './page-plan.js';

/** Each throws AppError `log_unavailable` where the file cannot be read. */
export type LogReader = {
  head(team: string | undefined): Position;
  stream(stream: StreamName, options: ReadStreamOptions): StreamPage;
  /** The reader of a filter's pages. @throws Error for a text that is not a prefix. */
  pages(filter: EventFilter | undefined): ReadPage;
};

/** Prepares all reads of a connection. `file` is for the messages. */
export function logReader(database: SqliteDatabase, file: string): LogReader {
  const newest = database.prepare('SELECT position FROM events ORDER BY position DESC LIMIT 1').raw();
  const newestOfTeam = database
    .prepare(
      `SELECT position FROM events INDEXED BY events_by_team
       WHERE team = (SELECT id FROM teams WHERE name = ?) ORDER BY position DESC LIMIT 1`,
    )
    .raw();
  const inStream = (order: 'revision >= ? ORDER BY revision' | 'revision <= ? ORDER BY revision DESC') => {
    const from = `FROM events e WHERE stream = ? AND ${order} LIMIT ?`;
    return {
      rows: prepareRows(database, `SELECT ${EVENT_ROW_OR_POSITION} ${from}`),
      sizes: database
        .prepare(`SELECT ${jsonList('size')} FROM (SELECT coalesce(${SIZE}, 0) AS size ${from})`)
        .raw(),
    };
  };
  const forwards = inStream('revision >= ? ORDER BY revision');
  const backwards = inStream('revision <= ? ORDER BY revision DESC');
  const events = eventReader(database);
  const storedNameOf = storedNames(database);
  const pages = pageReaders(database, events, () => (newest.get() as [number] | undefined)?.[0] ?? 0);

  return {
    head: withStoreErrors(file, (team) => {
      const row = (team === undefined ? newest.get() : newestOfTeam.get(team)) as [number] | undefined;
      return row === undefined ? START : positionOfRow(row[0]);
    }),
    stream: withStoreErrors(file, (stream, { direction = 'forwards', from, limit = 1000 }) => {
      const isForwards = direction === 'forwards';
      const { rows, sizes } = isForwards ? forwards : backwards;
      const name = storedNameOf(stream);
      if (name === null) return { events: [], isEnd: true };
      const queries: StreamQueries = {
        rows: (next, count) => rows(name, next, count).map(events.row),
        sizes: (next, count) => listIn<number>(sizes.get(name, next, count)),
        sizeOf: events.size,
      };
      const first = from ?? (isForwards ? 0 : Number.MAX_SAFE_INTEGER);
      const page = streamPage(queries, first, limit, isForwards ? 1 : -1);
      return { events: page.rows.map(events.event), isEnd: page.isEnd };
    }),
    pages: withStoreErrors(file, (filter) => withStoreErrors(file, pages(filter))),
  };
}

/**
 * Of an event, for a delta with all of its base: the cast reads the number at the beginning of its text. Null where the base
 * is missing: to read such a row shows that the file is damaged.
 */
const SIZE = `octet_length(e.meta) + coalesce(e.text_bytes, octet_length(e.data))
  + iif(e.text_bytes IS NULL AND unicode(e.data) = unicode('${MARK}'), (
    SELECT octet_length(base.meta) + octet_length(base.data) FROM events base
    WHERE base.position = CAST(substr(e.data, 2) AS INTEGER)), 0)`;

/** Most streams are shorter. Longer ones cost a look at the sizes of their rows, which reads none of the data. */
const FIRST_ROWS = 4;

type StreamQueries = {
  rows(from: number, count: number): EventRow[];
  /** The size of each row in bytes. */
  sizes(from: number, count: number): number[];
  /** The same of a row that was read. */
  sizeOf(row: EventRow): number;
};

type StreamRows = { rows: EventRow[]; isEnd: boolean };

function streamPage(
  { rows, sizes, sizeOf }: StreamQueries,
  first: number,
  limit: number,
  step: 1 | -1,
): StreamRows {
  const found = rows(first, Math.min(FIRST_ROWS, limit));
  const last = found.at(-1);
  if (last === undefined || found.length < Math.min(FIRST_ROWS, limit)) return { rows: found, isEnd: true };
  if (found.length === limit) return { rows: found, isEnd: false };
  const next = last[2] + step;
  const left = limit - found.length;
  const all = sizes(next, left);
  let bytes = found.reduce((sum, row) => sum + sizeOf(row), 0);
  let count = 0;
  while (count < all.length && bytes < STREAM_PAGE_BYTES) bytes += all[count++]!;
  if (count > 0) found.push(...rows(next, count));
  return { rows: found, isEnd: count === all.length && count < left };
}

/** Wraps a read, so that its errors say what is wrong with the file. */
function withStoreErrors<A extends unknown[], T>(
  file: string,
  read: (...values: A) => T,
): (...values: A) => T {
  return (...values) => {
    try {
      return read(...values);
    } catch (error) {
      throw unreadable(file, error);
    }
  };
}

function unreadable(file: string, error: unknown): unknown {
  // A SyntaxError comes from JSON.parse, on a row that does not hold what was written.
  if (isCorrupt(error) || error instanceof SyntaxError) {
    return new AppError('log_unavailable', `The event log is damaged: ${file}`, { cause: error });
  }
  if (sqliteCode(error) === '') return error;
  return new AppError('log_unavailable', 'The event log cannot be read.', { cause: error, retryAfter: 5 });
}

/** Reads one page after a position. */
export type ReadPage = (after: Position, limit: number, inclusive?: boolean) => Batch;

/** How many filters keep their statements. Clients choose the filters, so there are any number of them. */
const FILTERS_KEPT = 50;

const CHUNK = 250;
/** The size of text at which a page ends. 2,000 events with the largest metadata would be 120 MiB. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Returns the reader of a filter's pages, which is prepared once. `headNumber` reads the newest position. */
function pageReaders(
  database: SqliteDatabase,
  events: EventReader,
  headNumber: () => number,
): (filter: EventFilter | undefined) => ReadPage {
  const readers = new Map<string, ReadPage>();
  return (filter) => {
    const key = JSON.stringify(filter ?? null);
    const known = readers.get(key);
    if (known !== undefined) return known;
    const plan = planPage(filter);
    const made = plan === null ? emptyPages(headNumber) : pages(database, events, headNumber, plan);
    const [oldest] = readers.keys();
    if (readers.size >= FILTERS_KEPT && oldest !== undefined) readers.delete(oldest);
    readers.set(key, made);
    return made;
  };
}

function pages(
  database: SqliteDatabase,
  events: EventReader,
  headNumber: () => number,
  plan: PagePlan,
): ReadPage {
  const page = prepareRows(database, plan.page);
  const reach = plan.reach.by === 'rows' ? database.prepare(plan.reach.query).raw() : null;

  return (after, atMost, inclusive = false) => {
    const limit = Math.min(atMost, plan.mostRead);
    const start = Math.max(0, rowOfPosition(after) - (inclusive ? 1 : 0));
    // Read before the rows, and rows after it are left out: an event that comes in between belongs to the next page.
    const newest = Math.max(start, headNumber());
    const last = plan.reach.by === 'range' ? Math.min(newest, start + plan.mostRead) : newest;
    const rows: EventRow[] = [];
    const upTo = (position: number): Batch => ({
      events: rows.map(events.event),
      position: positionOfRow(position),
      caughtUp: position === newest,
    });
    let bytes = 0;
    for (;;) {
      // In chunks, so that a page of large events ends before all of it is in memory.
      const chunk = Math.min(CHUNK, limit - rows.length);
      const from = rows.at(-1)?.[0] ?? start;
      const found = page(from, last, chunk, ...plan.values);
      for (const each of found) {
        const row = events.row(each);
        rows.push(row);
        bytes += events.size(row);
        if (bytes >= PAGE_BYTES) return upTo(row[0]);
      }
      if (found.length < chunk) return upTo(coveredFrom(from, last));
      if (rows.length === limit) return upTo(rows.at(-1)![0]);
    }
  };

  /** How far the query of a chunk has looked, which began after `start`. */
  function coveredFrom(start: number, last: number): number {
    if (reach === null) return last;
    const [position, rows] = reach.get([start, last, 0, ...plan.values]) as [number | null, number];
    return position === null || rows < plan.mostRead ? last : position;
  }
}

function emptyPages(headNumber: () => number): ReadPage {
  return (after) => {
    const position = positionOfRow(Math.max(rowOfPosition(after), headNumber()));
    return { events: [], position, caughtUp: true };
  };
}
