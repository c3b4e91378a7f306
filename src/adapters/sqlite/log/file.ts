/** The file of the SQLite log: its tables and its positions. */
import { join } from 'node:path';
import { CONTENT_TABLES } from '../contents/table.js';
import { openDatabase } from '../database.js';
import type { SqliteFile } from '../errors.js';
import type { Migrations } from '../migrations.js';
import { type Position, START, isLogPosition } from '../../../domain/event.js';
import { fail } from '../../../errors.js';

/** The path of the log in a folder. */
export function logFile(folder: string): string {
  return join(folder, 'events.sqlite');
}

/**
 * Streams of these categories make a history long. All other categories have an index of their own, so that following
 * them costs the same beside ten events as beside ten million.
 */
export const FREQUENT_CATEGORIES: readonly string[] = ['result', 'items'];

/** A query must repeat these words. Otherwise SQLite does not see that the partial index holds its rows. */
export const IS_RARE = `category NOT IN (${FREQUENT_CATEGORIES.map((name) => `'${name}'`).join(', ')})`;

// `position` is the row id, so every index contains it without naming it, and a page is a range of row ids. `data`
// comes last, so that a scan that filters never reads the overflow pages of long data. `text_bytes`: of the text that
// is deflated in it; null where it is a text itself.
const TABLES = `
  CREATE TABLE teams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    team INTEGER NOT NULL REFERENCES teams (id),
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    meta TEXT NOT NULL,
    text_bytes INTEGER,
    data ANY NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  CREATE INDEX events_by_team ON events (team);
  CREATE INDEX events_by_rare_category ON events (category) WHERE ${IS_RARE};
  ${CONTENT_TABLES}
`;

export const LOG_MIGRATIONS: Migrations = [TABLES];

export function logStore(file: string): SqliteFile {
  return {
    file,
    code: 'log_unavailable',
    damaged: 'Restore it from the backup.',
    migrations: LOG_MIGRATIONS,
  };
}

/**
 * Makes the file and its tables where they are missing, and migrates a file of a version before.
 * @throws Error naming the file when it is not a log, or when a newer program wrote it.
 */
export function prepareLogFile(file: string): void {
  openDatabase(file, {
    synchronous: 'FULL',
    busyTimeoutMs: 5000,
    erases: true,
    migrations: LOG_MIGRATIONS,
  }).close();
}

/** The position of a row's number. In the file, positions are whole numbers without a gap. 0 is `START`. */
export function positionOfRow(number: number): Position {
  return number === 0 ? START : String(number).padStart(20, '0');
}

/** The row's number. @throws AppError `not_a_position` for a text that is not a position of this log. */
export function rowOfPosition(position: Position): number {
  if (position === START) return 0;
  const number = isLogPosition(position) ? Number(position) : NaN;
  if (!Number.isSafeInteger(number)) fail('not_a_position', `not a position of this log: ${position}`);
  return number;
}
