/**
 * The text of a failure as lines, with a bound. A message or a stack may have 256 KiB, and clients write what they
 * like in it: what follows looks at a window of it, and at the beginning of each line.
 */

/** The most characters of a text that are looked at, from its beginning or from its end. */
const WINDOW = 64 * 1024;
const LINES = 4_000;
const LINE = 1_000;

/** The lines at the beginning of a text, without escape codes and without the empty ones. */
export function firstLines(text: string): string[] {
  return linesOf(text.slice(0, WINDOW)).slice(0, LINES);
}

/** The same at the end of a text. The first of them may be a part of one. */
export function lastLines(text: string): string[] {
  return linesOf(text.slice(-WINDOW)).slice(-LINES);
}

/** One line of plain text: no line feeds, no control characters, no halves of characters, up to `most` characters. */
export function oneLine(text: string, most: number): string {
  const plain = text
    .slice(0, 8 * most)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (plain.length <= most) return plain;
  const characters = Array.from(plain);
  return characters.length <= most ? plain : `${characters.slice(0, most - 1).join('')}…`;
}

/** One line without its escape codes, as far as it is looked at. */
export function plainLine(line: string): string {
  return withoutEscapeCodes(line.slice(0, LINE));
}

function linesOf(text: string): string[] {
  return withoutEscapeCodes(text)
    .split(/[\r\n]+/)
    .map((line) => line.slice(0, LINE));
}

/**
 * The escape character may have become another one on the way: XML cannot hold it, so pytest writes `#x1B` and others
 * write a replacement character. No part of these expressions can match an escape character twice, so they are linear.
 */
function withoutEscapeCodes(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .replace(/(?:\u001b|#x1B|\ufffd|\u241b)\[[0-?]*[ -/]*[@-~]/g, '')
      // oxlint-disable-next-line no-control-regex
      .replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000e-\u001f\u007f]/g, '')
  );
}
