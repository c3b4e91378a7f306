/** Of the groups that a list looks through: those with the words that it wants, and their order. */
import type { GroupDocument } from '../../projections/history/failure-counts.js';
import type { Titles } from '../domain/contents.js';
import { hasAll } from './words.js';

/** Those whose titles have all words. */
export async function withWords(
  titles: Titles,
  documents: readonly GroupDocument[],
  words: readonly string[],
): Promise<readonly GroupDocument[]> {
  if (words.length === 0) return documents;
  const of = await titles(documents.map(({ group }) => group.title));
  return documents.filter(({ group }) => hasAll(of.get(group.title) ?? '', words));
}

export function sortGroups(groups: GroupDocument[], field: 'runs' | 'last_at', order: 'asc' | 'desc'): void {
  const sign = order === 'asc' ? 1 : -1;
  groups.sort((one, other) => sign * (one[field] < other[field] ? -1 : one[field] > other[field] ? 1 : 0));
}
