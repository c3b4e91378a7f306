/** The streams of one team: a replay for a team is a filter on these prefixes. */
import type { Category } from '../domain/event.js';

const categories: readonly Category[] = ['team', 'project', 'run', 'items', 'result'];

export function teamStreams(team: string): string[] {
  return categories.map((category) => `${category}-${team}.`);
}
