/** The names of a team's streams. */
import { categories, streamName, type StreamName } from '../event.js';
import { isId } from '../ids.js';
import { notFound } from '../life.js';

/** Returns the name of a stream by an id that a client sent. @throws AppError `not_found` for a malformed id. */
export function streamNameOf(
  category: 'project' | 'run' | 'result' | 'artifact' | 'test' | 'webhook',
  team: string,
  id: string,
): StreamName {
  if (!isId(category, id)) notFound(category);
  return streamName(category, team, id);
}

/** Returns the prefixes of all streams of one team. The replay for a team filters by them. */
export function teamStreams(team: string): string[] {
  return categories.map((category) => `${category}-${team}.`);
}
