/**
 * A small number as one character: no blank, and none that JSON escapes. Up to 90 it is one byte of UTF-8, so the numbers that
 * come most often should be small.
 */
const FIRST = 0x23;
const BACKSLASH = 0x5c;
const LAST_OF_ASCII = 0x7e;
const FIRST_OF_LATIN = 0xa1;
const OF_ASCII = LAST_OF_ASCII - FIRST;

export function characterOf(value: number): string {
  if (value >= OF_ASCII) return String.fromCharCode(FIRST_OF_LATIN + value - OF_ASCII);
  const code = FIRST + value;
  return String.fromCharCode(code < BACKSLASH ? code : code + 1);
}

export function numberAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code > LAST_OF_ASCII) return code - FIRST_OF_LATIN + OF_ASCII;
  return code < BACKSLASH ? code - FIRST : code - FIRST - 1;
}
