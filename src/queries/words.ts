/** A text that people look for: words, all of which must be there, in any order, in capitals or not. */

export function wordsIn(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}

/** Compares as the `contains` of views does. */
export function hasAll(text: string, words: readonly string[]): boolean {
  const folded = text.toUpperCase();
  return words.every((word) => folded.includes(word.toUpperCase()));
}
