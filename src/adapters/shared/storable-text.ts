/**
 * Whether every store gives a text back as it was. SQLite's driver ends a text at a NUL, and both drivers replace half
 * a surrogate pair. The MongoDB adapters keep records of their own under ids that no such text can be.
 */
export function isStorableText(text: string): boolean {
  return text !== '' && !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
