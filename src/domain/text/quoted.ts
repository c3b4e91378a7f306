/** The text as a part of a regular expression that matches exactly this text. `RegExp.escape` is not in Node 20. */
export function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
