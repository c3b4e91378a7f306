/** Reading the SQLite log: on the calling thread, where a look-up costs less than asking another thread. */
import type { EventFilter, ReadStreamOptions } from '../../../ports/event-log.js';
import { START, type Position, type RecordedEvent, type StreamName } from '../../../domain/event.js';
import { LedgerError } from '../../../errors.js';
import { pageReaders, type ReadPage } from './page.js';
import { toPosition } from './position.js';
import { COLUMNS, toEvent, type Row } from './row.js';
import { isCorrupt, sqliteCode, type SqliteDatabase } from '../database.js';

/** Each throws LedgerError `log_unavailable` where the file cannot be read. */
export type LogReader = {
  head(team: string | undefined): Position;
  stream(stream: StreamName, options: ReadStreamOptions): RecordedEvent[];
  /** The reader of the pages of a filter. @throws Error when a prefix is not one. */
  pages(filter: EventFilter | undefined): ReadPage;
};

/** Prepares all reading through a connection; `file` is for the messages. */
export function logReader(database: SqliteDatabase, file: string): LogReader {
  const newest = database.prepare('SELECT position FROM events ORDER BY position DESC LIMIT 1').raw();
  const newestOfTeam = database
    .prepare(
      `SELECT position FROM events INDEXED BY events_by_team
       WHERE team = (SELECT id FROM teams WHERE name = ?) ORDER BY position DESC LIMIT 1`,
    )
    .raw();
  const forwards = database
    .prepare(`SELECT ${COLUMNS} FROM events e WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?`)
    .raw();
  const backwards = database
    .prepare(
      `SELECT ${COLUMNS} FROM events e WHERE stream = ? AND revision <= ? ORDER BY revision DESC LIMIT ?`,
    )
    .raw();
  const pages = pageReaders(database, () => (newest.get() as [number] | undefined)?.[0] ?? 0);

  return {
    head: translated(file, (team) => {
      const row = (team === undefined ? newest.get() : newestOfTeam.get(team)) as [number] | undefined;
      return row === undefined ? START : toPosition(row[0]);
    }),
    stream: translated(file, (stream, { direction = 'forwards', from, limit = 1000 }) => {
      const rows =
        direction === 'forwards'
          ? forwards.all(stream, from ?? 0, limit)
          : backwards.all(stream, from ?? Number.MAX_SAFE_INTEGER, limit);
      return (rows as Row[]).map(toEvent);
    }),
    pages: translated(file, (filter) => translated(file, pages(filter))),
  };
}

/** A read whose errors say what is wrong with the file. */
function translated<A extends unknown[], T>(file: string, read: (...values: A) => T): (...values: A) => T {
  return (...values) => {
    try {
      return read(...values);
    } catch (error) {
      throw unreadable(file, error);
    }
  };
}

function unreadable(file: string, error: unknown): unknown {
  // A SyntaxError is JSON.parse on a row whose text is no longer what was written.
  if (isCorrupt(error) || error instanceof SyntaxError) {
    return new LedgerError('log_unavailable', `The event log is damaged: ${file}`, { cause: error });
  }
  if (sqliteCode(error) === '') return error;
  return new LedgerError('log_unavailable', 'The event log cannot be read', { cause: error, retryAfter: 5 });
}
