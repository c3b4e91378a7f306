/** Where a large body is no JSON, without another parser going over all of it. */
import { faultIn, type Fault } from '../json.js';

/** As far as a tolerant parser is let: it makes a text of each run of blanks, character by character. */
const MOST_BYTES = 1024 * 1024;

export type JsonLocation = Pick<Fault, 'line' | 'column'>;

/** Of the first fault in a part of the body, which lies from a byte on; null where it is not to be found. */
export function placeWithin(body: Uint8Array, part: string, from: number): JsonLocation | null {
  const fault = faultIn(part);
  return fault === null ? null : placeAt(body, from + Buffer.byteLength(part.slice(0, fault.from)));
}

/** Of the first fault in the body without what is in its list. */
export function placeInOutline(
  body: Uint8Array,
  outline: string,
  list: { from: number; to: number },
): JsonLocation | null {
  const fault = faultIn(outline);
  if (fault === null) return null;
  const offset = Buffer.byteLength(outline.slice(0, fault.from));
  return placeAt(body, list.from === -1 || offset < list.from ? offset : offset + list.to - list.from);
}

/** Of the first fault at the beginning of the body: a place far behind that is not looked for. */
export function placeAtFirst(body: Buffer): JsonLocation | null {
  const cut = body.length > MOST_BYTES;
  const part = body.toString('utf8', 0, MOST_BYTES);
  const fault = faultIn(part);
  // What ends with the part is no fault of the body.
  return fault === null || (cut && fault.to >= part.length - 1) ? null : fault;
}

/** Lines and columns from 1, columns in UTF-16 as the tolerant parser counts them. */
function placeAt(body: Uint8Array, offset: number): JsonLocation {
  let [line, column] = [1, 1];
  for (let at = 0; at < offset; at += 1) {
    const byte = body[at]!;
    if (byte === NEWLINE) [line, column] = [line + 1, 1];
    // The first byte of a character; of those with four, both halves of the pair.
    else if ((byte & 0xc0) !== 0x80) column += byte >= 0xf0 ? 2 : 1;
  }
  return { line, column };
}

const NEWLINE = 0x0a;
