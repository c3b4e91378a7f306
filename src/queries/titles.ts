/** The titles of groups of failures: they are contents, and the history has the hashes that stand for them. */
import type { Titles } from '../domain/contents.js';
import type { Contents } from '../ports/contents.js';

export function openTitles(contents: Pick<Contents, 'read'>): Titles {
  return async (hashes) => {
    const texts = await contents.read(hashes);
    return new Map([...texts].map(([hash, text]) => [hash, JSON.parse(text) as string]));
  };
}
