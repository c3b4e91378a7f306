/**
 * The owners and tags of the results of a pack, in the pack itself: a list that is filtered by them need not read the bodies,
 * of which a run of 50,000 results has 400. A result that was changed has a document of its own, which says them.
 */
import { characterOf, numberAt } from '../../src/domain/comparison/one-character.js';
import { valueIn, type ItemChunk } from '../../src/domain/runs/item-chunk.js';
import { tagsIn, textIn } from '../../src/domain/understood.js';

/** An owner, and the tags behind it. */
export type Label = readonly [owner: string | null, ...tags: string[]];

/**
 * `sets`: the different ones; the first one is empty. `of`: the number of that of each result, as one character; those behind its
 * end have the first one.
 */
export type PackLabels = { sets: readonly Label[]; of: string };

/** Null where they are too long to be kept: then the bodies say them. Absent where no result has any. */
export type Labelled = { labels?: PackLabels | null };

/** A pack is written again with each change of a result, so that they stay small. */
const MOST_CHARACTERS = 4_000;
const NONE: Label = [null];

/** Those of a pack with more of a chunk. `at`: how many results the pack has. `from`, `to`: places in the chunk. */
export function withLabels(
  former: Labelled['labels'],
  { metadata }: ItemChunk,
  { at, from, to }: { at: number; from: number; to: number },
): Labelled {
  if (former === null) return { labels: null };
  const sets: Label[] = [...(former?.sets ?? [NONE])];
  const numbers = new Map(sets.map((set, number) => [keyOf(set), number]));
  let characters = sets.reduce((sum, set) => sum + charactersOf(set), 0);
  let of = '';
  for (let n = from; n < to; n += 1) {
    const set = labelIn(valueIn(metadata, n));
    const key = keyOf(set);
    let number = numbers.get(key);
    if (number === undefined) {
      characters += charactersOf(set);
      if (characters > MOST_CHARACTERS) return { labels: null };
      number = sets.push(set) - 1;
      numbers.set(key, number);
    }
    of += characterOf(number);
  }
  if (sets.length === 1) return {};
  return { labels: { sets, of: (former?.of ?? '').padEnd(at, characterOf(0)) + of } };
}

/** That of one result of a pack. */
export function labelAt({ sets, of }: PackLabels, n: number): Label {
  return n < of.length ? sets[numberAt(of, n)]! : NONE;
}

export function labelIn(metadata: Record<string, unknown> | null): Label {
  if (metadata === null || (metadata['owner'] === undefined && metadata['tags'] === undefined)) return NONE;
  return [textIn(metadata, 'owner'), ...(tagsIn(metadata) ?? [])];
}

function keyOf(set: Label): string {
  return set === NONE ? 'null' : set.map((text) => (text === null ? 'null' : JSON.stringify(text))).join();
}

/** With what JSON puts around each. */
function charactersOf(set: Label): number {
  return set.reduce((sum, text) => sum + (text?.length ?? 4) + 3, 2);
}
