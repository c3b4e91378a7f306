/** The titles of groups of failures: they are contents, and the history has the hashes that stand for them. */
import type { Titles } from '../domain/contents.js';
import type { Contents } from '../ports/contents.js';

export function openTitles(contents: Pick<Contents, 'read'>): Titles {
  return async (hashes) => {
    const texts = await contents.read(hashes);
    return new Map(hashes.map((hash) => [hash, titleIn(texts.get(hash))]));
  };
}

/** Where a title is gone: a group is shown by something. */
const NO_TITLE = '(no longer kept)';

function titleIn(text: string | undefined): string {
  return text === undefined ? NO_TITLE : (JSON.parse(text) as string);
}
