/**
 * The names of streams as the file has them, in each row and in an index: `result-team_….result_01m8…` is `3result_01m8…`
 * there, with the number of its team.
 */
import { LRUCache } from 'lru-cache';
import { parseStreamName, streamName, type Category, type StreamName } from '../../../domain/event.js';
import type { SqliteDatabase } from '../database.js';

/** No category begins with a digit, so no full name does. */
const SHORT = /^(\d+)([a-z]+)([._])(.+)$/s;
/** Of teams. A cache reserves room for all of them. */
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
  const teams = new LRUCache<number, string>({ max: NAMES_KEPT });

  function teamOf(number: number): string {
    const known = teams.get(number);
    if (known !== undefined) return known;
    const row = selectTeam.get(number) as [string] | undefined;
    if (row === undefined) throw new SyntaxError(`there is no team ${number}`);
    teams.set(number, row[0]);
    return row[0];
  }

  return (stored) => fullName(stored, teamOf);
}

/**
 * Prepares the function that answers the name by which the file has a stream, or would have it; null where the file does
 * not have its team.
 */
export function storedNames(database: SqliteDatabase): (stream: StreamName) => string | null {
  const selectTeam = database.prepare('SELECT id FROM teams WHERE name = ?').raw();
  const teams = new LRUCache<string, number>({ max: NAMES_KEPT });
  return (stream) => {
    const { team } = parseStreamName(stream);
    const known = teams.get(team) ?? (selectTeam.get(team) as [number] | undefined)?.[0];
    if (known === undefined) return null;
    teams.set(team, known);
    return shortName(stream, known);
  };
}
