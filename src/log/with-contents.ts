/** Puts the contents back into what results say. */
import { hashesOf, joinContents, type ContentRefs, type Gone, type Texts } from '../domain/contents.js';
import type { Contents } from '../ports/contents.js';

/** `id`: of the result. */
export type Apart<T extends Texts> = { id: string; refs: ContentRefs; kept: T };

/** `contents`: whether all of it is there. */
export type Whole<T extends Texts> = { texts: T; contents: 'kept' | Gone };

export type ContentReader = Pick<Contents, 'read' | 'marked'>;

/** By one look at the store, however many they are. */
export async function withContents<T extends Texts>(
  contents: ContentReader,
  all: readonly Apart<T>[],
): Promise<Whole<T>[]> {
  if (all.length === 0) return [];
  const hashes = all.flatMap(({ refs }) => hashesOf(refs));
  const [texts, marks] = await Promise.all([contents.read(hashes), contents.marked(all.map(({ id }) => id))]);
  // Equal failures share one content: it is parsed once.
  const values = new Map([...texts].map(([hash, text]) => [hash, JSON.parse(text) as unknown]));
  const isWhole = hashes.every((hash) => values.has(hash));
  return all.map(({ id, refs, kept }) => {
    const mark = marks.get(id);
    const isThere = isWhole || hashesOf(refs).every((hash) => values.has(hash));
    const state = mark ?? (isThere ? 'kept' : 'expired');
    // Another result may hold the same content still.
    const valueOf = (hash: string) => (mark === undefined ? values.get(hash) : undefined);
    return { texts: joinContents(kept, refs, valueOf), contents: state };
  });
}
