/**
 * Ids and keys that every store gives back as it got them: SQLite's driver ends a text at a NUL, both drivers replace
 * half a surrogate pair, and the MongoDB adapters keep their own records under ids that no such text can be.
 */
export function isStorableText(text: string): boolean {
  return text !== '' && !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
