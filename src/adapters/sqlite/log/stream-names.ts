/**
 * The names of streams as the file has them, in each row and in an index: `result-team_….result_01m8…` is `3result_01m8…`
 * there, with the number of its team. Streams of items have an event for each result of a run, so they have numbers of
 * their own: `#12`, with the name in the table `streams`.
 */
import { LRUCache } from 'lru-cache';
import { parseStreamName, streamName, type Category, type StreamName } from '../../../domain/event.js';
import type { SqliteDatabase } from '../database.js';

/** No category begins with a digit, so no full name does. */
const SHORT = /^(\d+)([a-z]+)([._])(.+)$/s;
/** No category begins with it either. */
const NUMBERED = '#';
const NUMBERED_CATEGORY: Category = 'items';
/** Of streams, and of teams. A cache reserves room for all of them. */
const NAMES_KEPT = 1_000;

export function shortName(stream: StreamName, team: number): string {
  const { category, id } = parseStreamName(stream);
  const prefix = `${category}_`;
  return id.startsWith(prefix) && id.length > prefix.length
    ? `${team}${category}_${id.slice(prefix.length)}`
    : `${team}${category}.${id}`;
}

/** The full name of a short one. `teamOf` answers the name of a team's number. */
export function fullName(short: string, teamOf: (number: number) => string): StreamName {
  const [, team, category, separator, rest] = SHORT.exec(short) ?? [];
  if (category === undefined || team === undefined || rest === undefined) return short;
  return streamName(
    category as Category,
    teamOf(Number(team)),
    separator === '_' ? `${category}_${rest}` : rest,
  );
}

/** Prepares the function that answers the full name for one that is stored. @throws SyntaxError for a damaged row */
export function fullNames(database: SqliteDatabase): (stored: string) => StreamName {
  const selectTeam = database.prepare('SELECT name FROM teams WHERE id = ?').raw();
  const selectStream = database.prepare('SELECT name FROM streams WHERE id = ?').raw();
  const teams = new LRUCache<number, string>({ max: NAMES_KEPT });
  const streams = new LRUCache<string, StreamName>({ max: NAMES_KEPT });

  function teamOf(number: number): string {
    const known = teams.get(number);
    if (known !== undefined) return known;
    const row = selectTeam.get(number) as [string] | undefined;
    if (row === undefined) throw new SyntaxError(`there is no team ${number}`);
    teams.set(number, row[0]);
    return row[0];
  }

  return (stored) => {
    if (!stored.startsWith(NUMBERED)) return fullName(stored, teamOf);
    const known = streams.get(stored);
    if (known !== undefined) return known;
    const row = selectStream.get(Number(stored.slice(NUMBERED.length))) as [string] | undefined;
    if (row === undefined) throw new SyntaxError(`there is no stream ${stored}`);
    const name = fullName(row[0], teamOf);
    streams.set(stored, name);
    return name;
  };
}

/**
 * Prepares the function that answers the name by which the file has a stream, or would have it; null where the file does
 * not have its team, or no number for a stream of items.
 */
export function storedNames(database: SqliteDatabase): (stream: StreamName) => string | null {
  const selectTeam = database.prepare('SELECT id FROM teams WHERE name = ?').raw();
  const numberedName = numberedNames(database);
  const teams = new LRUCache<string, number>({ max: NAMES_KEPT });
  return (stream) => {
    const { team, category } = parseStreamName(stream);
    const known = teams.get(team) ?? (selectTeam.get(team) as [number] | undefined)?.[0];
    if (known === undefined) return null;
    teams.set(team, known);
    const short = shortName(stream, known);
    return category === NUMBERED_CATEGORY ? numberedName(short) : short;
  };
}

export type NewStoredNames = {
  /** The name by which the file has a stream, or will have it. `team`: its number. */
  of(stream: StreamName, team: number): string;
  /** After a rollback: a number that was not stored may be given to another stream. */
  forget(): void;
};

/** Names streams, in the thread that writes the log. */
export function newStoredNames(database: SqliteDatabase): NewStoredNames {
  const numberedName = numberedNames(database);
  const insert = database.prepare('INSERT INTO streams (name) VALUES (?) RETURNING id').raw();
  const known = new LRUCache<string, string>({ max: NAMES_KEPT });
  return {
    of: (stream, team) => {
      const short = shortName(stream, team);
      if (parseStreamName(stream).category !== NUMBERED_CATEGORY) return short;
      const stored =
        known.get(short) ?? numberedName(short) ?? `${NUMBERED}${(insert.get(short) as [number])[0]}`;
      known.set(short, stored);
      return stored;
    },
    forget: () => known.clear(),
  };
}

function numberedNames(database: SqliteDatabase): (short: string) => string | null {
  const select = database.prepare('SELECT id FROM streams WHERE name = ?').raw();
  return (short) => {
    const row = select.get(short) as [number] | undefined;
    return row === undefined ? null : `${NUMBERED}${row[0]}`;
  };
}
