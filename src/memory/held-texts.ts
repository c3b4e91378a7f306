/**
 * Texts by their ids, which wait until they are taken, as UTF-8 outside the heap: the garbage collector lets a heap grow to
 * a multiple of what waits in it, and visits all of it each time.
 */
import { freeBuffers } from './free-buffers.js';

export type HeldTexts = {
  /** Replaces the text of the same id. */
  add(id: string, text: string): void;
  get(id: string): string | null;
  delete(id: string): void;
  /** Of all texts and ids that wait. */
  readonly bytes: number;
};

const BLOCK_BYTES = 256 * 1_024;
/** Before each text: its length. */
const HEAD_BYTES = 4;

type Block = { bytes: Buffer<ArrayBuffer>; used: number; waiting: number };

/** A block is given back when the last of its texts was taken. Texts that come together mostly go together. */
export function heldTexts(): HeldTexts {
  /** The number of a block, and the place in it. */
  const places = new Map<string, number>();
  const blocks = new Map<number, Block>();
  let last = 0;
  let bytes = 0;

  const partsOf = (place: number): [number: number, block: Block, from: number] => {
    const number = Math.floor(place / BLOCK_BYTES);
    return [number, blocks.get(number)!, place % BLOCK_BYTES];
  };

  function remove(id: string): void {
    const place = places.get(id);
    if (place === undefined) return;
    const [number, block, from] = partsOf(place);
    places.delete(id);
    bytes -= id.length + block.bytes.readUInt32LE(from);
    block.waiting -= 1;
    if (block.waiting > 0) return;
    // Where each text is taken before the next one comes, a block for each would be freed later than it is made.
    if (number === last && block.bytes.length === BLOCK_BYTES) {
      block.used = 0;
      return;
    }
    blocks.delete(number);
    freeBuffers([block.bytes.buffer]);
  }

  return {
    add(id, text) {
      remove(id);
      const length = Buffer.byteLength(text);
      const needed = HEAD_BYTES + length;
      let block = blocks.get(last);
      if (block === undefined || block.used + needed > block.bytes.length) {
        last += 1;
        block = { bytes: Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, needed)), used: 0, waiting: 0 };
        blocks.set(last, block);
      }
      places.set(id, last * BLOCK_BYTES + block.used);
      block.bytes.writeUInt32LE(length, block.used);
      block.bytes.write(text, block.used + HEAD_BYTES);
      block.used += needed;
      block.waiting += 1;
      bytes += id.length + length;
    },
    get(id) {
      const place = places.get(id);
      if (place === undefined) return null;
      const [, block, from] = partsOf(place);
      const start = from + HEAD_BYTES;
      return block.bytes.toString('utf8', start, start + block.bytes.readUInt32LE(from));
    },
    delete: remove,
    get bytes() {
      return bytes;
    },
  };
}
