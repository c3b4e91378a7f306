/** The streams of one team: a replay for a team is a filter on these prefixes. */
import { categories } from '../domain/event.js';

export function teamStreams(team: string): string[] {
  return categories.map((category) => `${category}-${team}.`);
}
