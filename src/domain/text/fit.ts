/** Keeps a text within its bytes: whole blocks are left out, and a line counts them. */
import { counted } from './amounts.js';

export type Section = {
  /** Shown before the first item that fits. */
  heading: string;
  items: readonly string[];
  /** Also those that are not among `items`. */
  total: number;
  /** One and many of them, for the line about what was left out. */
  thing: readonly [one: string, many: string];
};

/** Room for the line about what was left out, which has one part for each section. */
const TAIL_BYTES = 600;

/**
 * Returns the head and as many items as fit into `bytes` of UTF-8, in their order. After the first one that does not fit
 * there are no more, so that nothing less important takes its place. `leftOut` makes the last line.
 */
export function fit(
  head: string,
  sections: readonly Section[],
  { bytes, leftOut }: { bytes: number; leftOut: (counted: readonly LeftOut[]) => string },
): string {
  const blocks = [head];
  let room = bytes - TAIL_BYTES - sizeOf(head);
  let isFull = room < 0;
  const missing: LeftOut[] = [];
  for (const { heading, items, total, thing } of sections) {
    let shown = 0;
    for (const item of items) {
      const block = shown === 0 ? `${heading}\n\n${item}` : item;
      isFull ||= sizeOf(block) > room;
      if (isFull) break;
      room -= sizeOf(block);
      blocks.push(block);
      shown += 1;
    }
    if (shown < total) missing.push({ count: total - shown, thing });
  }
  if (missing.length > 0) blocks.push(leftOut(missing));
  return `${blocks.join('\n\n')}\n`;
}

/** What was left out of one section. */
export type LeftOut = { count: number; thing: Section['thing'] };

export function leftOutWords(missing: readonly LeftOut[]): string {
  return `Left out here: ${missing.map(({ count, thing }) => counted(count, ...thing)).join(', ')}.`;
}

/** With the empty line that parts it from the next one. */
function sizeOf(block: string): number {
  return Buffer.byteLength(block) + 2;
}
