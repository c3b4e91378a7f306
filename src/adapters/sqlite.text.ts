/** Texts that SQLite gives back as it got them: the driver ends one at a NUL and replaces half a surrogate pair. */
export function isStorableText(text: string): boolean {
  return text !== '' && !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
