/** Copies contents, and the marks of results, into another store of them. */
import type { Contents } from '../ports/contents.js';

type Source = Pick<Contents, 'held' | 'read' | 'marks'>;
type Target = Pick<Contents, 'keep' | 'mark'>;

const HOLDERS_AT_ONCE = 100;
const CONTENTS_AT_ONCE = 100;
const MARKS_AT_ONCE = 1_000;

/**
 * Returns how many were copied, for each holder. Call it when the events are there: all contents that they name are then in the
 * source. What is in the target already stays, so a copy that was killed is made again.
 */
export async function copyContents(source: Source, target: Target): Promise<number> {
  let copied = 0;
  for (let after: string | null = ''; after !== null;) {
    const page = await source.held(after, HOLDERS_AT_ONCE);
    for (const { hashes, ...by } of page) {
      for (let from = 0; from < hashes.length; from += CONTENTS_AT_ONCE) {
        const texts = await source.read(hashes.slice(from, from + CONTENTS_AT_ONCE));
        await target.keep(
          by,
          [...texts].map(([hash, text]) => ({ hash, text })),
        );
        copied += texts.size;
      }
    }
    after = page.at(-1)?.holder ?? null;
  }
  for (let after: string | null = ''; after !== null;) {
    const page = await source.marks(after, MARKS_AT_ONCE);
    for (const { id, reason } of page) await target.mark([id], reason);
    after = page.at(-1)?.id ?? null;
  }
  return copied;
}
