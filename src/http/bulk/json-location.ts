/** Finds where a large body stops being JSON, without a second parse of all of it. */
import { limits } from '../../limits.js';
import { faultIn, type Fault } from '../bodies/json.js';

export type JsonLocation = Pick<Fault, 'line' | 'column'>;

/** The first fault of an item, which begins at byte `from` of the body; null where none is found. */
export function locateInItem(body: Uint8Array, item: string, from: number): JsonLocation | null {
  const fault = faultIn(item);
  return fault === null ? null : locationOf(body, from + Buffer.byteLength(item.slice(0, fault.from)));
}

/** The first fault of the outline, which is the body without the items of its list. */
export function locateInOutline(
  body: Uint8Array,
  outline: string,
  list: { from: number; to: number },
): JsonLocation | null {
  const fault = faultIn(outline);
  if (fault === null) return null;
  const offset = Buffer.byteLength(outline.slice(0, fault.from));
  return locationOf(body, list.from === -1 || offset < list.from ? offset : offset + list.to - list.from);
}

/**
 * The first fault in the first part of the body, as long as any other body can be. The tolerant parser must not see
 * more: it copies each run of blanks character by character.
 */
export function locateAtStart(body: Buffer): JsonLocation | null {
  const cut = body.length > limits.bodyBytes;
  const part = body.toString('utf8', 0, limits.bodyBytes);
  const fault = faultIn(part);
  // A fault at the end of the part comes from the cut.
  return fault === null || (cut && fault.to >= part.length - 1) ? null : fault;
}

/** Lines and columns from 1, columns in UTF-16 as the tolerant parser counts them. */
function locationOf(body: Uint8Array, offset: number): JsonLocation {
  let [line, column] = [1, 1];
  for (let at = 0; at < offset; at += 1) {
    const byte = body[at]!;
    if (byte === NEWLINE) [line, column] = [line + 1, 1];
    // Counts at the first byte of a character; a character of four bytes is a pair in UTF-16.
    else if ((byte & 0xc0) !== 0x80) column += byte >= 0xf0 ? 2 : 1;
  }
  return { line, column };
}

const NEWLINE = 0x0a;
