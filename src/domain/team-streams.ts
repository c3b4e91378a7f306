/** The names of a team's streams. */
import { categories, streamName, type StreamName } from './event.js';
import { isId } from './ids.js';
import { fail } from '../errors.js';

/** A malformed id names nothing: its stream is never asked for. @throws LedgerError `not_found`. */
export function nameOf(
  category: 'project' | 'run' | 'result' | 'artifact' | 'test' | 'webhook',
  team: string,
  id: string,
): StreamName {
  if (!isId(category, id)) fail('not_found', `There is no such ${category}.`);
  return streamName(category, team, id);
}

/** Of all streams of one team: a replay for a team is a filter on these prefixes. */
export function teamStreams(team: string): string[] {
  return categories.map((category) => `${category}-${team}.`);
}
