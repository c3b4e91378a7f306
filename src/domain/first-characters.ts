/** The first characters of a text: Unicode code points, so no character is divided. */
export function firstCharacters(text: string, count: number): string {
  // A text has at least as many UTF-16 units as characters.
  if (text.length <= count) return text;
  let end = 0;
  for (let n = 0; n < count && end < text.length; n += 1) end += unitsOf(text.codePointAt(end)!);
  return text.slice(0, end);
}

/** The UTF-16 units of a code point: two for a surrogate pair, which is one character. */
export function unitsOf(point: number): number {
  return point > 0xffff ? 2 : 1;
}
