/**
 * Many texts, stored as UTF-8 outside the heap. As a string, a text with a single character outside Latin-1 takes twice
 * the memory; and the garbage collector does not have to visit bytes outside the heap.
 */
import { freeBuffers } from './free-buffers.js';

export type PackedTexts = {
  add(text: string): void;
  readonly count: number;
  get(n: number): string;
  /** Gives their memory back. Nothing can be read after it. */
  free(): void;
};

/**
 * Each block is twice as large as the one before it, up to the largest. V8 collects the whole heap whenever 64 MiB were
 * allocated beside it: with 1 MiB for each submission, however small, that took a quarter of the time of the thread.
 */
const FIRST_BLOCK_BYTES = 8 * 1024;
const LARGEST_BLOCK_BYTES = 1024 * 1024;

/** A text lies in one block. A text that is larger than a block has a block of its own. */
export function packTexts(first = FIRST_BLOCK_BYTES, largest = LARGEST_BLOCK_BYTES): PackedTexts {
  const blocks: Buffer<ArrayBuffer>[] = [];
  const places: { block: number[]; from: number[]; to: number[] } = { block: [], from: [], to: [] };
  let used = 0;
  let next = first;

  return {
    add(text) {
      const size = Buffer.byteLength(text);
      if (used + size > (blocks.at(-1)?.length ?? -1)) {
        blocks.push(Buffer.allocUnsafeSlow(Math.max(size, next)));
        next = Math.min(next * 2, largest);
        used = 0;
      }
      blocks.at(-1)!.write(text, used);
      places.block.push(blocks.length - 1);
      places.from.push(used);
      places.to.push((used += size));
    },
    get count() {
      return places.to.length;
    },
    get: (n) => blocks[places.block[n]!]!.toString('utf8', places.from[n], places.to[n]),
    free: () => freeBuffers(blocks.splice(0).map(({ buffer }) => buffer)),
  };
}
