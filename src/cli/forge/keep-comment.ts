/** One comment on a pull request: found by a hidden mark, updated, and made only where there is something to say. */

/** What a forge can do with the comments of one pull request. Each function @throws ForgeError. */
export type Comments = {
  /**
   * The comments of this token's own user, from the oldest on. `again`: from the page on with which the last call ended,
   * because new comments come last.
   */
  own(again?: 'again'): AsyncIterable<{ id: string; body: string }>;
  create(body: string): Promise<{ id: string; url: string }>;
  update(id: string, body: string): Promise<string>;
  remove(id: string): Promise<void>;
};

/** A pull request with more comments gets a second one of ours, which is better than a job that reads for ever. */
export const MOST_PAGES_OF_COMMENTS = 60;

export type Commented = { did: 'created' | 'updated' | 'nothing'; url: string | null };

/**
 * @param isWorthSaying whether to begin a comment. One that is there already is always brought up to date, so that it
 *   does not show failures that are fixed.
 */
export async function keepComment(
  comments: Comments,
  { mark, text, isWorthSaying }: { mark: string; text: string; isWorthSaying: boolean },
): Promise<Commented> {
  const body = `${mark}\n${text}`;
  for await (const comment of comments.own()) {
    if (!comment.body.startsWith(mark)) continue;
    // Forges end a line with CR LF, or leave out the last one.
    if (comment.body.replaceAll('\r\n', '\n').trimEnd() === body.trimEnd())
      return { did: 'nothing', url: null };
    return { did: 'updated', url: await comments.update(comment.id, body) };
  }
  if (!isWorthSaying) return { did: 'nothing', url: null };
  const created = await comments.create(body);
  const first = await firstWith(comments, mark);
  if (first === null || first === created.id) return { did: 'created', url: created.url };
  // Another job of the build has made one in the same moment. Every later job updates the first one and no other.
  const url = await comments.update(first, body);
  await comments.remove(created.id);
  return { did: 'updated', url };
}

async function firstWith(comments: Comments, mark: string): Promise<string | null> {
  for await (const { id, body } of comments.own('again')) if (body.startsWith(mark)) return id;
  return null;
}

/** `key` tells comments of one project apart, such as those of two suites. Nothing in it can end the HTML comment. */
export function markOf(project: string, key: string): string {
  return `<!-- testledger: ${inMark(project)} ${inMark(key)} -->`;
}

/** Nothing in it can end an HTML comment. */
export function inMark(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('-', '%2D');
}
