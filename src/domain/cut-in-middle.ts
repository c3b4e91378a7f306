import { unitsOf } from './first-characters.js';

/**
 * The text itself if its JSON has at most `most` bytes between its quotes. Else its beginning and its end, with a mark
 * between them that says how much is left out: the beginning of a traceback says what was called, and the end what
 * failed. No cut divides a character.
 */
export function cutInMiddle(text: string, most: number): string {
  // A unit of UTF-16 takes at most six bytes.
  if (text.length * 6 <= most || Buffer.byteLength(JSON.stringify(text)) - 2 <= most) return text;
  const half = Math.floor((most - Buffer.byteLength(JSON.stringify(markFor(text.length)))) / 2);
  const start = endOfBeginning(text, half);
  const end = startOfEnd(text, half);
  return text.slice(0, start) + markFor(charactersIn(text, start, end)) + text.slice(end);
}

function markFor(characters: number): string {
  return `\n[… ${characters} characters left out …]\n`;
}

/** Where the longest beginning ends whose JSON has at most `most` bytes. */
function endOfBeginning(text: string, most: number): number {
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const point = text.codePointAt(end)!;
    bytes += jsonBytesOf(point);
    if (bytes > most) break;
    end += unitsOf(point);
  }
  return end;
}

/** Where the longest end begins whose JSON has at most `most` bytes. */
function startOfEnd(text: string, most: number): number {
  let bytes = 0;
  let start = text.length;
  while (start > 0) {
    const pair = start > 1 ? text.codePointAt(start - 2)! : 0;
    const point = pair > 0xffff ? pair : text.codePointAt(start - 1)!;
    bytes += jsonBytesOf(point);
    if (bytes > most) break;
    start -= unitsOf(point);
  }
  return start;
}

function charactersIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += unitsOf(text.codePointAt(at)!)) count += 1;
  return count;
}

const escapedShort = new Set(Array.from('\b\t\n\f\r"\\', (character) => character.codePointAt(0)));

/**
 * The bytes of a character in compact JSON. It counts them, because a call of JSON.stringify for each character would
 * take seconds for a body of long messages.
 */
function jsonBytesOf(point: number): number {
  if (escapedShort.has(point)) return 2;
  if (point < 0x20) return 6;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}
