/**
 * The names of streams as the file has them, in each row and in an index: `result-team_….result_01m8…` is `3result_01m8…`
 * there, with the number of its team. Streams that an older version began keep their full names.
 */
import { parseStreamName, streamName, type Category, type StreamName } from '../../../domain/event.js';
import type { SqliteDatabase } from '../database.js';

/** No category begins with a digit, so no full name does. */
const STORED = /^(\d+)([a-z]+)([._])(.+)$/s;

export function storedStream(stream: StreamName, team: number): string {
  const { category, id } = parseStreamName(stream);
  const prefix = `${category}_`;
  return id.startsWith(prefix) && id.length > prefix.length
    ? `${team}${category}_${id.slice(prefix.length)}`
    : `${team}${category}.${id}`;
}

/** The full name. `nameOf` answers the name of a team's number. */
export function fullStream(stored: string, nameOf: (team: number) => string): StreamName {
  const [, team, category, separator, rest] = STORED.exec(stored) ?? [];
  if (category === undefined || team === undefined || rest === undefined) return stored;
  return streamName(
    category as Category,
    nameOf(Number(team)),
    separator === '_' ? `${category}_${rest}` : rest,
  );
}

/** Answers whether the file has a stream under its full name: an older version began it. */
export function openOlderStreams(database: SqliteDatabase): (stream: StreamName) => boolean {
  const first = database.prepare('SELECT stream FROM events ORDER BY position LIMIT 1').raw();
  const one = database.prepare('SELECT 1 FROM events WHERE stream = ? LIMIT 1').raw();
  // An older version wrote the first events of a file, or none.
  let hasOlder: boolean | null = null;
  return (stream) => {
    if (hasOlder === null) {
      const [name] = (first.get() as [string] | undefined) ?? [];
      if (name === undefined) return false;
      hasOlder = !STORED.test(name);
    }
    return hasOlder && one.get(stream) !== undefined;
  };
}
